r"""What became of an aircraft among moving decks: phases, and whether it slid, toppled, overloaded a clamp.

Read from a run's records. A phase is a stretch of one kind: flight, touchdown (contact, not yet held), secured,
traverse (held, and what carries the clamps moves on the ship), released, launch. Bounces shorter than `BOUNCE` do not
make a phase of their own.

It slides where a foot that no clamp touches has gone further than `way` over the deck on which it stands; it topples
where the airframe leans from the deck's normal by more than `tilt`; a clamp is overloaded above its `strength`; it is
overboard once it is below the deck of the first platform.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, kind, parameter
from dovetail.mechanics.securing.platform import poses, rotation_of

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft

BOUNCE = 0.25  # [s]
TOUCH = 1.0  # [N] below which a pair does not count as touching
MOVING = 2e-3  # [m/s] or [rad/s] of what carries the clamps
STOOD = 1.0  # [s] after touching before a way is counted: legs splay as they take the load


@kind("deck-limits")
class DeckLimits(Part):
    """What counts as sliding, toppling and overload."""

    way: jax.Array = parameter("m", "of a foot over the deck that counts as sliding", default=0.1, above=0.0)
    tilt: jax.Array = parameter(
        "rad", "from the deck's normal that counts as toppling", default=0.6, above=0.0
    )
    strength: jax.Array = parameter("N", "load that a clamp may bear", default=np.inf, above=0.0)
    gear_strength: jax.Array = parameter("N", "load that a foot may bear", default=np.inf, above=0.0)


class Phase(NamedTuple):
    """A stretch of a mission."""

    name: str
    start: float  # [s]
    end: float  # [s]
    foot_load: float  # [N] largest on a foot
    clamp_load: float  # [N] largest of a clamp


class Fate(NamedTuple):
    """When what happened first [s], not a number where it did not; and how far it went."""

    slides: float
    topples: float
    overloads: float
    breaks: float  # a foot beyond its strength
    overboard: float
    way: float  # [m] largest of a free foot
    tilt: float  # [rad] largest on deck
    clamp_load: float  # [N] largest

    def words(self) -> str:
        """In words; "stands" where nothing happened."""
        said = [
            f"{text} at {t:.2f} s"
            for text, t in (
                (f"slides ({self.way:.2g} m in all)", self.slides),
                (f"topples ({self.tilt:.2g} rad)", self.topples),
                (f"overloads a clamp ({self.clamp_load:.4g} N)", self.overloads),
                ("overloads a foot", self.breaks),
                ("goes overboard", self.overboard),
            )
            if np.isfinite(t)
        ]
        return (
            ", ".join(said) if said else f"holds: {1e3 * self.way:.2g} mm of way, {self.tilt:.2g} rad of tilt"
        )


def _platform_poses(aircraft: DeckAircraft, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r, R = jax.jit(jax.vmap(lambda t: poses(aircraft.platforms, t)))(jnp.asarray(times))
    return np.asarray(r), np.asarray(R)


def _roles(aircraft: DeckAircraft) -> tuple[list[int], list[int]]:
    """Platforms to stand on, and clamps."""
    clamps = [i for i, p in enumerate(aircraft.platforms) if p.role == "clamp"]
    return [i for i in range(len(aircraft.platforms)) if i not in clamps], clamps


def _carried(aircraft: DeckAircraft, times: np.ndarray) -> np.ndarray:
    """Where what carries the clamps moves on the ship."""
    _, clamps = _roles(aircraft)
    parents = {aircraft.platforms[i].parent for i in clamps} - {""}
    moving = np.zeros(len(times), bool)
    for platform in aircraft.platforms:
        if platform.name in parents and platform.parent:
            rate = jax.jit(jax.vmap(jax.jacfwd(platform.motion.pose)))(jnp.asarray(times, float))
            moving |= np.abs(np.asarray(rate)).max(1) > MOVING
    return moving


def phases(aircraft: DeckAircraft, data: Any) -> list[Phase]:
    """The stretches of a run, in order."""
    t = data.time.values
    pairs = data["pair_normal_force"].values  # (time, feet, platforms)
    _, clamps = _roles(aircraft)
    pressed = (pairs > TOUCH).any((1, 2))
    pressed[0] |= pressed[:2].any()  # a foot that stands from the start has no depth in the first record
    touching = _bridged(t, pressed)
    each = [(pairs[:, :, i] > TOUCH).any(1) for i in clamps]
    held = _bridged(t, np.all(each, 0)) if each else np.zeros(len(t), bool)
    moving = _carried(aircraft, t)
    ever_held = np.maximum.accumulate(held)
    ever_touched = np.maximum.accumulate(touching)
    code = np.where(held, np.where(moving, 3, 2), np.where(ever_held, 4, 1))
    code = np.where(touching, code, np.where(ever_held | ever_touched, 5, 0))
    names = ("flight", "touchdown", "secured", "traverse", "released", "launch")
    cuts = np.flatnonzero(np.diff(code)) + 1
    edges = [0, *cuts.tolist(), len(t)]
    force = np.sqrt(np.sum(data["contact_force"].values ** 2, -1))
    spans = []
    for a, b in itertools.pairwise(edges):
        clamp = float(pairs[a:b, :, clamps].max()) if clamps else 0.0
        end = float(t[min(b, len(t) - 1)])
        spans.append(Phase(names[code[a]], float(t[a]), end, float(force[a:b].max()), clamp))
    return spans


def _bridged(t: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Gaps and blips shorter than `BOUNCE` taken out; what holds at the end stays."""
    on = on.copy()
    for state in (False, True):
        edges = [0, *(np.flatnonzero(np.diff(on)) + 1).tolist(), len(on)]
        for a, b in itertools.pairwise(edges):
            if on[a] == state and a > 0 and b < len(on) and t[b] - t[a] < BOUNCE:
                on[a:b] = not state
    return on


def fate(aircraft: DeckAircraft, data: Any) -> Fate:
    """What became of the aircraft in a run."""
    limits, t = aircraft.limits, data.time.values
    pairs = data["pair_normal_force"].values
    r, R = _platform_poses(aircraft, t)
    r = data["platform_position"].values if "platform_position" in data else r  # drives give way
    decks, clamps = _roles(aircraft)
    feet = data["node_position"].values[:, list(aircraft.feet)]
    clamp = pairs[:, :, clamps].max((1, 2)) if clamps else np.zeros(len(t))
    free = clamp <= TOUCH
    way = _ways(t, feet, pairs, r, R, decks, free)
    tilt = np.zeros(len(t))
    angles = np.asarray(data["attitude_angles"].values).reshape(len(t), -1)
    up = np.asarray(jax.vmap(rotation_of)(jnp.asarray(angles)))[..., -1]  # the body's upward axis
    for i in decks:
        lean = np.arccos(np.clip(np.einsum("ti,ti->t", up, R[:, i, :, -1]), -1, 1))
        tilt = np.maximum(tilt, np.where(pairs[:, :, i].max(1) > TOUCH, lean, 0.0))
    below = np.einsum("tji,tj->ti", R[:, 0], data["displacement"].values - r[:, 0])[:, -1] < 0
    force = np.sqrt(np.sum(data["contact_force"].values ** 2, -1)).max(1)

    def first(on: np.ndarray) -> float:
        return float(t[np.argmax(on)]) if on.any() else float("nan")

    return Fate(
        first(way > float(limits.way)),
        first(tilt > float(limits.tilt)),
        first(clamp > float(limits.strength)),
        first(force > float(limits.gear_strength)),
        first(below),
        float(way.max()),
        float(tilt.max()),
        float(clamp.max()),
    )


def _ways(t, feet, pairs, r, R, decks, free):
    """Largest way of a free foot over a deck so far, from where it stood, (time,) [m]."""
    most = np.zeros(len(t))
    for i in decks:
        local = np.einsum("tji,tfj->tfi", R[:, i], feet - r[:, i, None])[..., :-1]
        for f in range(feet.shape[1]):
            on = _bridged(t, (pairs[:, f, i] > TOUCH) & free)
            edges = [0, *(np.flatnonzero(np.diff(on)) + 1).tolist(), len(on)]
            for a, b in itertools.pairwise(edges):
                stood = a + int(np.searchsorted(t[a:b], t[a] + STOOD)) if a else a
                if on[a] and stood < b:
                    gone = np.linalg.norm(local[stood:b, f] - local[stood, f], axis=-1)
                    most[stood:b] = np.maximum(most[stood:b], gone)
    return most

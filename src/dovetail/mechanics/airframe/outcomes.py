r"""Outcome of an aircraft run on moving decks: mission phases, sliding, toppling and overloads.

The outcome is computed from the recorded signals of a run. The phases are flight, touchdown (contact, not yet
clamped), secured (clamped), traverse (clamped, and the platform that carries the clamps moves on the ship), released
and launch. Bounces shorter than `MAX_BOUNCE_TIME` are not separate phases.

The aircraft slides if a foot without clamp contact moves further than `max_slip` over its deck. It topples if the
airframe tilts from the deck normal by more than `max_tilt`. A clamp is overloaded above `clamp_strength`. The aircraft
is overboard once it is below the deck of the first platform.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, kind, parameter
from dovetail.mechanics.securing.platform import poses, rotation_of

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft

MAX_BOUNCE_TIME = 0.25  # [s] longest interruption of a contact that is not a separate phase
MIN_CONTACT_FORCE = 1.0  # [N] smallest normal force that counts as contact
MIN_CARRIER_SPEED = 2e-3  # [m/s] or [rad/s] smallest speed of a moving clamp carrier
SETTLING_TIME = 1.0  # [s] after touchdown before slip is measured, because the legs splay under load


@kind("deck-limits")
class DeckLimits(Part):
    """Limits of sliding, tilt and foot and clamp loads."""

    max_slip: Parameter = parameter(
        "m", "largest slip of a foot over the deck", default=0.1, above=0.0, finite=False
    )
    max_tilt: Parameter = parameter(
        "rad", "largest tilt from the deck normal", default=0.6, above=0.0, finite=False
    )
    clamp_strength: Parameter = parameter("N", "largest load of a clamp", default=np.inf, above=0.0)
    gear_strength: Parameter = parameter("N", "largest load of a foot", default=np.inf, above=0.0)


class Phase(NamedTuple):
    """Phase of a mission."""

    name: str
    start: float  # [s]
    end: float  # [s]
    foot_load: float  # [N] largest load on a foot
    clamp_load: float  # [N] largest load of a clamp


class DeckOutcome(NamedTuple):
    """Time of each first event [s], NaN if it did not occur, and largest slip, tilt and clamp load."""

    slides: float
    topples: float
    overloads: float
    breaks: float  # first overload of a foot
    overboard: float
    slip: float  # [m] largest slip of a free foot
    tilt: float  # [rad] largest tilt on deck
    clamp_load: float  # [N] largest load of a clamp

    def summary(self) -> str:
        """Return the outcome as text."""
        events = [
            f"{text} at {t:.2f} s"
            for text, t in (
                (f"slides ({self.slip:.2g} m in total)", self.slides),
                (f"topples ({np.degrees(self.tilt):.3g} deg)", self.topples),
                (f"overloads a clamp ({self.clamp_load:.4g} N)", self.overloads),
                ("overloads a foot", self.breaks),
                ("goes overboard", self.overboard),
            )
            if np.isfinite(t)
        ]
        return (
            ", ".join(events)
            if events
            else f"held: {1e3 * self.slip:.2g} mm slip, {np.degrees(self.tilt):.3g} deg largest tilt"
        )


def _platform_poses(aircraft: DeckAircraft, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r, R = jax.jit(jax.vmap(lambda t: poses(aircraft.platforms, t)))(jnp.asarray(times))
    return np.asarray(r), np.asarray(R)


def _roles(aircraft: DeckAircraft) -> tuple[list[int], list[int]]:
    """Return the indices of the decks and of the clamps."""
    clamps = [i for i, p in enumerate(aircraft.platforms) if p.role == "clamp"]
    return [i for i in range(len(aircraft.platforms)) if i not in clamps], clamps


def _carrier_moves(aircraft: DeckAircraft, times: np.ndarray) -> np.ndarray:
    """Return for each time whether a platform that carries clamps moves on the ship."""
    _, clamps = _roles(aircraft)
    parents = {aircraft.platforms[i].parent for i in clamps} - {""}
    moving = np.zeros(len(times), bool)
    for platform in aircraft.platforms:
        if platform.name in parents and platform.parent:
            rate = jax.jit(jax.vmap(jax.jacfwd(platform.motion.pose)))(jnp.asarray(times, float))
            moving |= np.abs(np.asarray(rate)).max(1) > MIN_CARRIER_SPEED
    return moving


def phases(aircraft: DeckAircraft, data: Any) -> list[Phase]:
    """Return the phases of a run in time order."""
    t = data.time.values
    pairs = data["pair_normal_force"].values  # (time, feet, platforms)
    _, clamps = _roles(aircraft)
    pressed = (pairs > MIN_CONTACT_FORCE).any((1, 2))
    pressed[0] |= pressed[:2].any()  # a foot that stands initially has no penetration in the first sample
    touching = _without_bounces(t, pressed)
    each = [(pairs[:, :, i] > MIN_CONTACT_FORCE).any(1) for i in clamps]
    held = _without_bounces(t, np.all(each, 0)) if each else np.zeros(len(t), bool)
    moving = _carrier_moves(aircraft, t)
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


def _without_bounces(t: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Return a flag without gaps and pulses shorter than `MAX_BOUNCE_TIME`; the last state is kept."""
    on = on.copy()
    for state in (False, True):
        edges = [0, *(np.flatnonzero(np.diff(on)) + 1).tolist(), len(on)]
        for a, b in itertools.pairwise(edges):
            if on[a] == state and a > 0 and b < len(on) and t[b] - t[a] < MAX_BOUNCE_TIME:
                on[a:b] = not state
    return on


def deck_outcome(aircraft: DeckAircraft, data: Any) -> DeckOutcome:
    """Return the outcome of the aircraft in a run."""
    limits, t = aircraft.limits, data.time.values
    pairs = data["pair_normal_force"].values
    r, R = _platform_poses(aircraft, t)
    r = data["platform_position"].values if "platform_position" in data else r  # drives deflect
    decks, clamps = _roles(aircraft)
    feet = data["node_position"].values[:, list(aircraft.feet)]
    clamp = pairs[:, :, clamps].max((1, 2)) if clamps else np.zeros(len(t))
    free = clamp <= MIN_CONTACT_FORCE
    slip = _largest_slip(t, feet, pairs, r, R, decks, free)
    tilt = np.zeros(len(t))
    angles = np.asarray(data["attitude_angles"].values).reshape(len(t), -1)
    up = np.asarray(jax.vmap(rotation_of)(jnp.asarray(angles)))[..., -1]  # upward axis of the body
    for i in decks:
        lean = np.arccos(np.clip(np.einsum("ti,ti->t", up, R[:, i, :, -1]), -1, 1))
        tilt = np.maximum(tilt, np.where(pairs[:, :, i].max(1) > MIN_CONTACT_FORCE, lean, 0.0))
    below = np.einsum("tji,tj->ti", R[:, 0], data["displacement"].values - r[:, 0])[:, -1] < 0
    force = np.sqrt(np.sum(data["contact_force"].values ** 2, -1)).max(1)

    def first(on: np.ndarray) -> float:
        return float(t[np.argmax(on)]) if on.any() else float("nan")

    return DeckOutcome(
        first(slip > float(limits.max_slip)),
        first(tilt > float(limits.max_tilt)),
        first(clamp > float(limits.clamp_strength)),
        first(force > float(limits.gear_strength)),
        first(below),
        float(slip.max()),
        float(tilt.max()),
        float(clamp.max()),
    )


def _largest_slip(
    t: np.ndarray,
    feet: np.ndarray,
    pairs: np.ndarray,
    r: np.ndarray,
    R: np.ndarray,
    decks: Any,
    free: np.ndarray,
) -> np.ndarray:
    """Return the running maximum of the slip of free feet over the decks, (time,) [m]."""
    largest = np.zeros(len(t))
    for i in decks:
        local = np.einsum("tji,tfj->tfi", R[:, i], feet - r[:, i, None])[..., :-1]
        for f in range(feet.shape[1]):
            on = _without_bounces(t, (pairs[:, f, i] > MIN_CONTACT_FORCE) & free)
            edges = [0, *(np.flatnonzero(np.diff(on)) + 1).tolist(), len(on)]
            for a, b in itertools.pairwise(edges):
                stood = a + int(np.searchsorted(t[a:b], t[a] + SETTLING_TIME)) if a else a
                if on[a] and stood < b:
                    slip = np.linalg.norm(local[stood:b, f] - local[stood, f], axis=-1)
                    largest[stood:b] = np.maximum(largest[stood:b], slip)
    return largest

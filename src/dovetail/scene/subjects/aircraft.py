"""Helicopter on its landing gear on moving platforms, planar or spatial."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.recording import Recording
from dovetail.scene import shapes
from dovetail.scene.force_ratios import weight_ratio
from dovetail.scene.scene import Arrow, Line, Points, Pose, Scene, Solid, Tube, aim_camera
from dovetail.scene.subjects.water import FREEBOARD, water

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft
    from dovetail.mechanics.securing.platform import Platform

BODY, GEAR, DECK, CLAMP, FORCE, SHIP = "#a9b3bc", "#0072b2", "#767f87", "#d55e00", "#b5179e", "#5c656d"
DEVICE, RAIL, GLASS = "#939ca4", "#d7dce0", "#2f4b66"
GAUGE, THICK = (
    0.6,
    0.05,
)  # distance of the rails as a fraction of the device width; thickness of the rails [m]
WEIGHT = 0.5  # [m] length of the arrow of the largest force
DEPTH, SPOT, PAINT = (
    6.0,
    1.8,
    0.02,
)  # [m] depth of a planar deck, radius of the ring on it, height of the paint
DEVICE_DEPTH = 4.4  # [m] depth of a device on a planar deck, larger than the ring
APART = 0.4  # [m] fore and aft offset of the two drawings of a planar gear


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw gear, aircraft, platforms and forces on the feet."""
    aircraft = run.test.numerical
    nodes, force = data["node_position"].values, data["contact_force"].values
    flat = nodes.shape[2] == 2
    pairs = elements(aircraft, nodes.shape[1])
    feet = np.asarray(aircraft.feet)
    width = max(float(np.ptp(spatial(nodes[0])[:, 1])), 0.2)
    pose, decks = _pose(data, flat), Decks(aircraft, data)
    weight = float(aircraft.gravity) * (float(aircraft.airframe.mass) + float(aircraft.model.mass))  # [N]
    floor = float(spatial(nodes[0])[:, 2].max() - spatial(data["displacement"].values[0][None])[0, 2])
    parts = _helicopter(round(1.7 * width, 3), round(floor, 3), round(1.7 * width, 3))
    solids = [
        Solid("aircraft", parts["body"], pose, BODY),
        Solid("aircraft windows", parts["glass"], pose, GLASS),
        Solid("mast", parts["mast"], pose, "#6b747c"),
        Solid("rotor", parts["rotor"], pose, "#6b747c", 0.15, scenery=True),
        *_platforms(aircraft, decks, flat),
    ]
    lowest = float(np.nanmin(decks.places[..., 2]))
    still, waves = water(aircraft.platforms, data.time.values, lowest)

    def gear(k: int) -> np.ndarray:
        here = spatial(nodes[k])[pairs]
        if not flat:
            return here
        skids = np.stack([_aside(spatial(nodes[k][feet]), s) for s in (-1.3, 1.3)], axis=1)
        return np.concatenate([_aside(here, -1.0), _aside(here, 1.0), skids])

    def notes(k: int) -> str:
        loads = ", ".join(f"{np.linalg.norm(f):.4g}" for f in force[k])
        return f"foot loads {loads} N" + ("; planar model, same gear fore and aft" if flat else "")

    scene = Scene(
        title,
        data.time.values,
        _markings(aircraft, decks, flat),
        _loads(nodes[:, feet], force, weight),
        notes=notes,
        solids=[*solids, *still],
        surfaces=waves,
        tubes=[Tube("gear", gear, 0.02 * width, GEAR)],
        setting="sea",
        focus=lambda k: pose(k)[1],
        nearby=2.6 * width,
    )
    return aim_camera(scene, (-0.75, 0.6, -0.3) if flat else (-0.6, 0.75, -0.35))


def _loads(feet: np.ndarray, force: np.ndarray, weight: float) -> list[Arrow]:
    """Return force arrows on the feet, from positions and forces (time, foot, 2 or 3) [m, N]."""
    largest = max(float(np.nanmax(np.linalg.norm(force, axis=-1))), 1e-12)

    def of(i: int, values: np.ndarray) -> Points:
        return lambda k: spatial(values[k, i])

    def on(i: int) -> Arrow:
        at, ratio = of(i, feet), weight_ratio(force[:, i], weight)
        return Arrow(f"foot {i + 1}", at, of(i, force), WEIGHT / largest, FORCE, ratio, at)

    return [on(i) for i in range(feet.shape[1])]


@cache
def _helicopter(length: float, floor: float, rotor: float) -> dict[str, shapes.Triangles]:
    return shapes.helicopter(length, floor, rotor)


def _pose(data: Recording, flat: bool) -> Pose:
    """Return the pose of the airframe from its centre of gravity and attitude (one angle, or roll, pitch, yaw)."""
    from scipy.spatial.transform import Rotation

    position = data["displacement"].values
    angles = data["attitude_angles"].values if "attitude_angles" in data else np.zeros((len(position), 1))
    angles = angles.reshape(len(position), -1)
    order = "x" if angles.shape[1] == 1 else "ZYX"
    turns = Rotation.from_euler(order, angles[:, ::-1]).as_matrix()
    return lambda k: (turns[k], spatial(position[k][None])[0])


class Decks:
    """Recorded poses of all platforms; a driven platform can differ from its prescribed motion."""

    def __init__(self, aircraft: DeckAircraft, data: Recording):
        from dovetail.mechanics.securing.platform import poses

        times = jnp.asarray(data.time.values)
        turns = np.asarray(jax.jit(jax.vmap(lambda t: poses(aircraft.platforms, t)[1]))(times))
        recorded = data["platform_position"].transpose("time", "platform", "axis").values
        self.places = spatial(recorded)  # (time, platform, 3) [m]
        self.turns = np.broadcast_to(np.eye(3), (*recorded.shape[:2], 3, 3)).copy()
        n = turns.shape[-1]  # across and up, or all three
        self.turns[..., 3 - n :, 3 - n :] = turns

    def at(self, i: int) -> Pose:
        """Return the pose of a platform."""
        return lambda k: (self.turns[k, i], self.places[k, i])

    def on(self, i: int, parent: int) -> np.ndarray:
        """Return the positions (time, 3) [m] of a platform in the axes of another."""
        return np.einsum("tji,tj->ti", self.turns[:, parent], self.places[:, i] - self.places[:, parent])


def _platforms(aircraft: DeckAircraft, decks: Decks, flat: bool) -> list[Solid]:
    """Return decks and clamps; a planar one has the depth of a deck or clamp."""
    solids = []
    named = {platform.name: i for i, platform in enumerate(aircraft.platforms)}
    for i, platform in enumerate(aircraft.platforms):
        corners, deck = body_of(platform, flat), platform.role == "deck"
        if deck and not platform.parent:
            solids.append(Solid("ship", below(corners), decks.at(i), SHIP, scenery=True))
        if deck and platform.parent:
            parent = named[platform.parent]
            track = rails(body_of(aircraft.platforms[parent], flat), corners, decks.on(i, parent), flat)
            solids.append(Solid(f"rails of {platform.name}", track, decks.at(parent), RAIL, scenery=True))
        solids.append(
            Solid(
                f"platforms/{platform.name}",
                shapes.hull(corners),
                decks.at(i),
                (DEVICE if platform.parent else DECK) if deck else CLAMP,
                scenery=deck,
            )
        )
    return solids


def body_of(platform: Platform, flat: bool) -> np.ndarray:
    """Return the corners (n, 3) [m] of a platform in its own axes."""
    corners = np.asarray(platform.body.corners(), float)
    if not flat:
        return corners
    deck = platform.role == "deck"
    deep = max(DEPTH, float(np.ptp(corners, axis=0).max())) if deck else 2.6 * APART
    deep = DEVICE_DEPTH if deck and platform.parent else deep
    return np.concatenate([np.column_stack([np.full(len(corners), s * deep), corners]) for s in (-0.5, 0.5)])


def rails(deck: np.ndarray, device: np.ndarray, path: np.ndarray, flat: bool) -> shapes.Triangles:
    """Return two rails across a deck, in the direction of travel of a device on it.

    Takes the corners of both (n, 3) and the positions of the device on the deck (time, 3) [m]. The rails of a device
    at rest run fore and aft, or across in a planar model.
    """
    travel = np.ptp(path[:, :2], axis=0)
    along = 1 if flat or travel[1] > travel[0] else 0
    aside = 1 - along
    long = np.ptp(deck, axis=0)[along]
    apart = GAUGE * float(np.ptp(device, axis=0)[aside])
    size, middle = np.full(3, THICK), np.zeros(3)
    size[along] = long
    middle[along] = 0.5 * (deck[:, along].min() + deck[:, along].max())
    middle[2] = deck[:, 2].max() + THICK / 2
    offset = np.eye(3)[aside] * 0.5 * apart
    start = np.median(path, axis=0) * np.eye(3)[aside]
    return shapes.merge(
        *(shapes.translate(shapes.box(size.tolist()), middle + start + s * offset) for s in (-1, 1))
    )


def below(deck: np.ndarray) -> shapes.Triangles:
    """Return a hull with its bow ahead, from the corners of a deck (n, 3) [m] down into the water."""
    (back, right, z), (front, left, top) = deck.min(axis=0), deck.max(axis=0)
    wide = left - right
    rim = [(x, y, z - 0.01) for x in (back, front) for y in (right, left)]
    keel = z - FREEBOARD - 0.4 * wide
    foot = [(x, 0.7 * y, keel) for x in (back, front) for y in (right, left)]
    middle = 0.5 * (left + right)
    bow = [(front + 0.8 * wide, middle, top - 0.02), (front + 0.5 * wide, middle, keel)]
    return shapes.hull(np.array([*rim, *foot, *bow]))


def _markings(aircraft: DeckAircraft, decks: Decks, flat: bool) -> list[Line]:
    """Return landing spot and centre line of the uppermost deck; empty without deck."""
    numbers = [i for i, platform in enumerate(aircraft.platforms) if platform.role == "deck"]
    if not numbers:
        return []
    bodies = {i: body_of(aircraft.platforms[i], flat) for i in numbers}
    uppermost = max(numbers, key=lambda i: float(bodies[i][:, 2].max() + decks.places[0, i, 2]))
    corners = bodies[uppermost]
    top = float(corners[:, 2].max()) + PAINT
    a = np.linspace(0, 2 * np.pi, 49)
    ring = np.stack([SPOT * np.cos(a), SPOT * np.sin(a), np.full(49, top)], axis=1)
    back, front = corners[:, 0].min(), corners[:, 0].max()
    centre = np.array([[[back, 0.0, top], [-SPOT, 0.0, top]], [[SPOT, 0.0, top], [front, 0.0, top]]])

    def deck_markings(marks: np.ndarray) -> Points:
        def at(k: int) -> np.ndarray:
            R, p = decks.at(uppermost)(k)
            return marks @ R.T + p

        return at

    return [
        Line("landing spot", deck_markings(ring), "#f5f5f5", 3.0),
        Line("centre line", deck_markings(centre), "#f5f5f5", 2.0),
    ]


def elements(aircraft: DeckAircraft, count: int) -> np.ndarray:
    """Return the pairs of nodes joined by a tube; neighbours if the gear defines none."""
    if not aircraft.gear.elements:
        return np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    return np.asarray(aircraft.gear.elements, int)


def _aside(points: np.ndarray, side: float) -> np.ndarray:
    return points + np.array([side * APART, 0.0, 0.0])


def spatial(points: np.ndarray) -> np.ndarray:
    """Return points (..., 2), across and up, or (..., 3) as (..., 3) with z up."""
    if points.shape[-1] == 3:
        return points
    return np.concatenate([np.zeros((*points.shape[:-1], 1)), points], axis=-1)

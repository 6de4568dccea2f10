"""A helicopter on its gear among moving platforms, planar or spatial, as a stage."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.view import shapes
from dovetail.view.stage import Arrow, Line, Points, Pose, Solid, Stage, Tube, looked_at
from dovetail.view.water import FREEBOARD, water

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft

BODY, GEAR, DECK, CLAMP, FORCE, SHIP = "#a9b3bc", "#0072b2", "#767f87", "#d55e00", "#b5179e", "#5c656d"
WEIGHT = 0.5  # [m] that the largest force is drawn long
DEPTH, SPOT, PAINT = 6.0, 1.8, 0.02  # [m] of a planar deck, of the ring on it, and how far that lies above it
APART = 0.4  # [m] fore and aft of the middle, where a planar gear is drawn twice


def draw(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
    """Tubes of the gear, the aircraft above them at its attitude, platforms as solids, forces on the feet."""
    aircraft = run.test.system
    nodes, force = data["node_position"].values, data["contact_force"].values
    flat = nodes.shape[2] == 2
    pairs = elements(aircraft, nodes.shape[1])
    feet = np.asarray(aircraft.feet)
    largest = max(float(np.nanmax(np.linalg.norm(force, axis=-1))), 1e-12)
    width = max(float(np.ptp(spatial(nodes[0])[:, 1])), 0.2)
    pose = _pose(data, flat)
    floor = float(spatial(nodes[0])[:, 2].max() - spatial(data["displacement"].values[0][None])[0, 2])
    parts = _helicopter(round(1.7 * width, 3), round(floor, 3), round(1.7 * width, 3))
    solids = [
        Solid("aircraft", parts["body"], pose, BODY),
        Solid("mast", parts["mast"], pose, "#6b747c"),
        Solid("rotor", parts["rotor"], pose, "#6b747c", 0.15, scenery=True),
        *_platforms(aircraft, data.time.values, flat),
    ]
    lowest = float(np.nanmin(_poses(aircraft, data.time.values)[0][..., -1]))
    still, waves = water(aircraft.platforms, data.time.values, lowest)

    def gear(k: int) -> np.ndarray:
        here = spatial(nodes[k])[pairs]
        if not flat:
            return here
        skids = np.stack([_aside(spatial(nodes[k][feet]), s) for s in (-1.3, 1.3)], axis=1)
        return np.concatenate([_aside(here, -1.0), _aside(here, 1.0), skids])

    def foot_at(foot: int) -> Points:
        return lambda k: spatial(nodes[k][foot][None])[0]

    def force_on(i: int) -> Points:
        return lambda k: spatial(force[k][i][None])[0]

    arrows = [
        Arrow(f"foot {i + 1}", foot_at(foot), force_on(i), WEIGHT / largest, FORCE)
        for i, foot in enumerate(feet)
    ]

    def notes(k: int) -> str:
        loads = ", ".join(f"{np.linalg.norm(f):.4g}" for f in force[k])
        return f"load on each foot {loads} N" + ("; a planar model, drawn fore and aft alike" if flat else "")

    stage = Stage(
        title,
        data.time.values,
        _markings(aircraft, data.time.values, flat),
        arrows,
        notes=notes,
        solids=[*solids, *still],
        surfaces=waves,
        tubes=[Tube("gear", gear, 0.02 * width, GEAR)],
        setting="sea",
        focus=lambda k: pose(k)[1],
        nearby=2.6 * width,
    )
    return looked_at(stage, (-0.75, 0.6, -0.3) if flat else (-0.6, 0.75, -0.35))


@cache
def _helicopter(length: float, floor: float, rotor: float) -> dict[str, shapes.Triangles]:
    return shapes.helicopter(length, floor, rotor)


def _pose(data: xr.Dataset, flat: bool) -> Pose:
    """Of the airframe: its centre of gravity and its attitude, one angle or roll, pitch and yaw."""
    from scipy.spatial.transform import Rotation

    position = data["displacement"].values
    angles = data["attitude_angles"].values if "attitude_angles" in data else np.zeros((len(position), 1))
    angles = angles.reshape(len(position), -1)
    order = "x" if angles.shape[1] == 1 else "ZYX"
    turns = Rotation.from_euler(order, angles[:, ::-1]).as_matrix()
    return lambda k: (turns[k], spatial(position[k][None])[0])


def _platforms(aircraft: DeckAircraft, times: np.ndarray, flat: bool) -> list[Solid]:
    """Decks and clamps at their poses; a planar one is drawn as deep as a deck is, or as a clamp."""
    places, turns = _poses(aircraft, times)

    def at(i: int) -> Pose:
        def pose(k: int) -> tuple[np.ndarray, np.ndarray]:
            return _turn(turns[k, i]), spatial(places[k, i][None])[0]

        return pose

    solids = []
    for i, platform in enumerate(aircraft.platforms):
        corners, deck = np.asarray(platform.body.corners(), float), platform.role == "deck"
        if flat:
            deep = max(DEPTH, float(np.ptp(corners, axis=0).max())) if deck else 2.6 * APART
            corners = np.concatenate(
                [np.column_stack([np.full(len(corners), s * deep), corners]) for s in (-0.5, 0.5)]
            )
        if deck and not platform.parent:
            solids.append(Solid("ship", below(corners), at(i), SHIP, scenery=True))
        solids.append(
            Solid(
                f"platforms/{platform.name}",
                shapes.hull(corners),
                at(i),
                DECK if deck else CLAMP,
                scenery=deck,
            )
        )
    return solids


def below(deck: np.ndarray) -> shapes.Triangles:
    """A ship's hull with its bow ahead, from a deck's corners (n, 3) [m] down into the water."""
    (back, right, z), (front, left, top) = deck.min(axis=0), deck.max(axis=0)
    wide = left - right
    rim = [(x, y, z - 0.01) for x in (back, front) for y in (right, left)]
    keel = z - FREEBOARD - 0.4 * wide
    foot = [(x, 0.7 * y, keel) for x in (back, front) for y in (right, left)]
    middle = 0.5 * (left + right)
    bow = [(front + 0.8 * wide, middle, top - 0.02), (front + 0.5 * wide, middle, keel)]
    return shapes.hull(np.array([*rim, *foot, *bow]))


def _markings(aircraft: DeckAircraft, times: np.ndarray, flat: bool) -> list[Line]:
    """A landing spot and the way fore and aft, painted on the uppermost deck, where there is one."""
    decks = [i for i, platform in enumerate(aircraft.platforms) if platform.role == "deck"]
    if not decks:
        return []
    places, turns = _poses(aircraft, times)
    tops = {i: _corners(aircraft.platforms[i])[:, 2].max() for i in decks}
    uppermost = max(decks, key=lambda i: float(tops[i] + spatial(places[0, i][None])[0, 2]))
    corners = _corners(aircraft.platforms[uppermost])
    top = float(tops[uppermost]) + PAINT
    a = np.linspace(0, 2 * np.pi, 49)
    ring = np.stack([SPOT * np.cos(a), SPOT * np.sin(a), np.full(49, top)], axis=1)
    back, front = (-0.5 * DEPTH, 0.5 * DEPTH) if flat else (corners[:, 0].min(), corners[:, 0].max())
    way = np.array([[[back, 0.0, top], [-SPOT, 0.0, top]], [[SPOT, 0.0, top], [front, 0.0, top]]])

    def painted(marks: np.ndarray) -> Points:
        return lambda k: marks @ _turn(turns[k, uppermost]).T + spatial(places[k, uppermost][None])[0]

    return [
        Line("landing spot", painted(ring), "#f5f5f5", 3.0),
        Line("line fore and aft", painted(way), "#f5f5f5", 2.0),
    ]


def _corners(platform: Any) -> np.ndarray:
    return spatial(np.asarray(platform.body.corners(), float))


def elements(aircraft: DeckAircraft, count: int) -> np.ndarray:
    """Pairs of nodes that a tube joins; where the gear has none, neighbours."""
    if not aircraft.gear.joined:
        return np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    return np.asarray(aircraft.gear.joined, int)


def _poses(aircraft: DeckAircraft, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from dovetail.mechanics.securing.platform import poses

    found = jax.jit(jax.vmap(lambda t: poses(aircraft.platforms, t)))(jnp.asarray(times))
    return np.asarray(found[0]), np.asarray(found[1])


def _turn(R: np.ndarray) -> np.ndarray:
    """Axes (2, 2), across and up, or (3, 3), as (3, 3)."""
    if R.shape == (3, 3):
        return R
    whole = np.eye(3)
    whole[1:, 1:] = R
    return whole


def _aside(points: np.ndarray, share: float) -> np.ndarray:
    return points + np.array([share * APART, 0.0, 0.0])


def spatial(points: np.ndarray) -> np.ndarray:
    """Points (n, 2), across and up, or (n, 3), as (n, 3) with z up."""
    if points.shape[-1] == 3:
        return points
    return np.stack([np.zeros(len(points)), points[:, 0], points[:, 1]], axis=1)

"""An aircraft on its gear among moving platforms, planar or spatial, as a stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.view.stage import Arrow, Line, Points, Stage, framed

AIRFRAME, GEAR, DECK, FORCE = "#333333", "#0072b2", "#8d969e", "#b5179e"
WEIGHT = 0.5  # [m] that the weight of the aircraft would be drawn long


def draw(title: str, run: Any, data: xr.Dataset) -> Stage:
    """Elements of the gear as lines, the airframe as a box above it, platforms by their corners, forces on the feet."""
    aircraft = run.test.system
    nodes = data["node_position"].values
    pairs = _elements(aircraft, nodes.shape[1])
    position, force = data["displacement"].values, data["contact_force"].values
    corners = [np.asarray(platform.body.corners()) for platform in aircraft.platforms]
    places = _poses(aircraft, data.time.values)
    feet = np.asarray(aircraft.feet)
    largest = max(float(np.abs(force).max()), 1e-12)

    def gear(k: int) -> np.ndarray:
        return _spatial(nodes[k][pairs].reshape(-1, nodes.shape[2]))

    def airframe(k: int) -> np.ndarray:
        middle = _spatial(position[k][None])[0]
        size = 0.35 * float(np.ptp(_spatial(nodes[k]), axis=0).max())
        square = size * np.array([[0, -1, 0], [0, 1, 0], [0, 1, 1], [0, -1, 1], [0, -1, 0]])
        return middle + square

    lines = [
        Line("gear", gear, GEAR, 5.0),
        Line("airframe", airframe, AIRFRAME, 3.0),
    ]

    def platform_at(i: int) -> Points:
        return lambda k: _spatial(_outline(corners[i]) @ places[1][k, i].T + places[0][k, i])

    def foot_at(foot: int) -> Points:
        return lambda k: _spatial(nodes[k][foot][None])[0]

    def force_on(i: int) -> Points:
        return lambda k: _spatial(force[k][i][None])[0]

    lines += [
        Line(f"platforms/{platform.name}", platform_at(i), DECK, 3.0)
        for i, platform in enumerate(aircraft.platforms)
    ]
    arrows = [
        Arrow(f"force on foot {i + 1}", foot_at(foot), force_on(i), WEIGHT / largest, FORCE)
        for i, foot in enumerate(feet)
    ]
    eye, target = _eye(lines, len(data.time), nodes.shape[2])

    def notes(k: int) -> str:
        loads = ", ".join(f"{np.linalg.norm(f):.4g}" for f in force[k])
        return f"load on each foot {loads} N"

    return Stage(title, data.time.values, lines, arrows, (), "+z", eye, target, notes)


def _elements(aircraft: Any, count: int) -> np.ndarray:
    """Pairs of nodes that a tube joins; where the gear has none, neighbours."""
    mesh = getattr(aircraft.gear, "mesh", None)
    if mesh is None:
        return np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    return np.asarray([list(element)[:2] for element in mesh.elements], int) - 1  # elements name nodes from 1


def _poses(aircraft: Any, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from dovetail.mechanics.securing.platform import poses

    found = jax.jit(jax.vmap(lambda t: poses(aircraft.platforms, t)))(jnp.asarray(times))
    return np.asarray(found[0]), np.asarray(found[1])


def _outline(corners: np.ndarray) -> np.ndarray:
    """Corners as one closed polyline; of a polyhedron every corner with every other."""
    if corners.shape[1] == 2:
        return np.concatenate([corners, corners[:1]])
    return np.concatenate([np.stack([a, b]) for i, a in enumerate(corners) for b in corners[i + 1 :]])


def _spatial(points: np.ndarray) -> np.ndarray:
    """Points (n, 2), across and up, or (n, 3), as (n, 3) with z up."""
    if points.shape[-1] == 3:
        return points
    return np.stack([np.zeros(len(points)), points[:, 0], points[:, 1]], axis=1)


def _eye(lines: Sequence[Line], count: int, dimension: int) -> tuple[tuple, tuple]:
    eye, target = framed(lines[:2], count)
    if dimension == 3:
        return eye, target
    reach = float(np.linalg.norm(np.asarray(eye) - target))
    return (target[0] - 1.6 * reach, target[1], target[2] + 0.2 * reach), target

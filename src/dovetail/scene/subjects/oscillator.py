"""Masses on springs, in the simulation and on the rig, one row for each axis of the interface."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from dovetail.core.recording import Recording
from dovetail.scene import shapes
from dovetail.scene.force_ratios import limit_ratio
from dovetail.scene.scene import Arrow, Points, Pose, Scene, Solid, aim_camera, fixed, visibly_different
from dovetail.scene.signal_plots import by_axis

SIMULATED, RIG, FORCE, STEEL, GHOST = "#0072b2", "#d55e00", "#b5179e", "#8d969e", "#5f6b76"
WALL, HOME = -1.3, 1.75  # [m] where springs and actuators are fixed, along x
STILL = 1e-6  # fraction of the largest motion; an axis with less motion is not drawn
REACH = 0.5  # [m] length of the largest motion in the drawing


@cache
def _meshes() -> dict[str, shapes.Triangles]:
    return {
        "block": shapes.box((0.3, 0.36, 0.36)),
        "plate": shapes.box((0.06, 0.3, 0.3)),
        "coil": shapes.coil(0.09, 0.014),
        "wall": shapes.translate(shapes.box((0.08, 0.6, 0.7)), (-0.04, 0, 0.06)),
        "cylinder": shapes.merge(
            shapes.rod(0.11, 0.55), shapes.translate(shapes.box((0.1, 0.3, 0.46)), (0.55, 0, -0.05))
        ),
        "rod": shapes.rod(0.04, 1.0),
        "cell": shapes.rod(0.08, 0.07),
        "floor": shapes.translate(shapes.box((4.2, 1.0, 0.05)), (0.2, 0.0, -0.3)),
    }


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw one row for each moving axis: simulated mass in front, rig behind; motion along x, scaled."""
    demand = by_axis(data["displacement"])
    measured = by_axis(data["measured_displacement"]) if "measured_displacement" in data else None
    largest = data.attrs["largest"] or max(float(np.nanmax(np.abs(demand))), 1e-12)
    magnified = REACH / largest
    reference_motion = (
        None if reference is None or "displacement" not in reference else by_axis(reference["displacement"])
    )
    force = by_axis(data["measured_force"]) if "measured_force" in data else None
    solids: list[Solid] = []
    arrows: list[Arrow] = []
    marks: list[tuple[str, tuple[float, float, float]]] = []
    names = [str(v) for v in data.axis.values] if "axis" in data["displacement"].dims else [""]
    reach = np.nanmax(np.abs(demand), axis=0)
    moving = [i for i in range(len(names)) if reach[i] > STILL * largest] or [0]
    for row, i in enumerate(moving):
        name = names[i]
        y, label = -2.2 * row, f"{name}/" if len(names) > 1 else ""
        solids += _mass(f"{label}simulation", place(demand[:, i], magnified, y), SIMULATED)
        marks.append((f"{name} simulation".strip(), (WALL - 0.1, y, 0.5)))
        if reference_motion is not None:
            ghost = place(reference_motion[:, i], magnified, y)
            solids.append(Solid(f"{label}reference", _meshes()["block"], at(ghost), GHOST, 0.3))
        if measured is None:
            continue
        there = place(measured[:, i], magnified, y + 1.0)
        solids += _rig(f"{label}rig", there)
        if visibly_different(data, demand[:, i], measured[:, i], largest):
            wish = at(place(demand[:, i], magnified, y + 1.0))
            solids.append(Solid(f"{label}rig/demand", _meshes()["plate"], wish, SIMULATED, 0.35))
        marks.append((f"{name} rig".strip(), (WALL - 0.1, y + 1.0, 0.5)))
        if force is not None:
            scale = REACH / max(float(np.nanmax(np.abs(force[:, i]))), 1e-12)
            top = place(measured[:, i], magnified, y + 1.0, 0.3)
            ratio = limit_ratio(run.test, force[:, i], i)
            arrows.append(Arrow(f"{label}force", top, along_x(force[:, i]), scale, FORCE, ratio))
    path = demand if measured is None else measured

    def notes(k: int) -> str:
        demand_text = ", ".join(f"{1e3 * z:+.3g}" for z in demand[k])
        read = ", ".join(f"{1e3 * z:+.3g}" for z in path[k])
        return f"demand {demand_text} mm, measured {read} mm; motion scaled x{magnified:.3g}"

    scene = Scene(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        marks=marks,
        enlarged=magnified,
        focus=place(path[:, moving[0]], magnified, 0.0 if measured is None else 1.0),
        nearby=1.6,
    )
    return aim_camera(scene, (-0.35, 0.8, -0.5))


def _mass(name: str, points: Points, colour: str) -> list[Solid]:
    """Return a block at the end of a spring."""
    mesh = _meshes()
    y = float(points(0)[1])
    return [
        Solid(f"{name}/mass", mesh["block"], at(points), colour),
        Solid(f"{name}/spring", mesh["coil"], fixed((WALL, y, 0)), STEEL, 1.0, _from(points, -0.15)),
        Solid(
            f"{name}/ground",
            shapes.merge(shapes.translate(mesh["wall"], (WALL, 0, 0)), mesh["floor"]),
            fixed((0, y, 0)),
            "#d9dde1",
        ),
    ]


def _rig(name: str, points: Points) -> list[Solid]:
    """Return specimen, load cell and actuator."""
    mesh = _meshes()
    y = float(points(0)[1])

    def cell(k: int) -> tuple[np.ndarray, np.ndarray]:
        return np.eye(3), points(k) + np.array([0.03, 0, 0])

    def rod(k: int) -> tuple[np.ndarray, np.ndarray]:
        return np.eye(3), points(k) + np.array([0.1, 0, 0])

    return [
        Solid(f"{name}/specimen", mesh["coil"], fixed((WALL, y, 0)), RIG, 1.0, _from(points, -0.03)),
        Solid(f"{name}/plate", mesh["plate"], at(points), RIG),
        Solid(f"{name}/load cell", mesh["cell"], cell, FORCE),
        Solid(f"{name}/rod", mesh["rod"], rod, "#c9ced3", 1.0, lambda k: HOME - float(points(k)[0]) - 0.05),
        Solid(f"{name}/actuator", mesh["cylinder"], fixed((HOME - 0.55, y, 0)), STEEL),
        Solid(
            f"{name}/ground",
            shapes.merge(shapes.translate(mesh["wall"], (WALL, 0, 0)), mesh["floor"]),
            fixed((0, y, 0)),
            "#d9dde1",
        ),
    ]


def place(x: np.ndarray, magnified: float, y: float, z: float = 0.0, ahead: float = 0.0) -> Points:
    """Return a point that moves along x by a motion (time,) [m], scaled, plus `ahead` [m]."""
    return lambda k: np.array([magnified * x[k] + ahead, y, z])


def at(points: Points) -> Pose:
    """Return an unrotated pose at a moving point."""
    return lambda k: (np.eye(3), points(k))


def _from(points: Points, short: float) -> Callable[[int], float]:
    """Return the length from the wall to a moving point, plus `short` [m]."""
    return lambda k: float(points(k)[0]) - WALL + short


def along_x(f: np.ndarray) -> Points:
    """Return vectors along x from their x components (time,)."""
    return lambda k: np.array([f[k], 0.0, 0.0])

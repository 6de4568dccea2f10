"""Masses on springs, simulated and on the rig, one row for each axis of the interface."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import xarray as xr

from dovetail.scene import shapes
from dovetail.scene.force_ratios import of_limit
from dovetail.scene.scene import Arrow, Points, Pose, Solid, Stage, fixed, haunted, looked_at
from dovetail.scene.signal_plots import by_axis

SIMULATED, RIG, FORCE, STEEL, GHOST = "#0072b2", "#d55e00", "#b5179e", "#8d969e", "#5f6b76"
WALL, HOME = -1.3, 1.75  # [m] where springs and actuators are fixed, along x
STILL = 1e-6  # of the largest motion: an axis that moves less would be drawn at rest, and is left out
REACH = 0.5  # [m] that the largest motion is drawn long


@cache
def _meshes() -> dict[str, shapes.Triangles]:
    return {
        "block": shapes.box((0.3, 0.36, 0.36)),
        "plate": shapes.box((0.06, 0.3, 0.3)),
        "coil": shapes.coil(0.09, 0.014),
        "wall": shapes.moved(shapes.box((0.08, 0.6, 0.7)), (-0.04, 0, 0.06)),
        "cylinder": shapes.joined(
            shapes.rod(0.11, 0.55), shapes.moved(shapes.box((0.1, 0.3, 0.46)), (0.55, 0, -0.05))
        ),
        "rod": shapes.rod(0.04, 1.0),
        "cell": shapes.rod(0.08, 0.07),
        "floor": shapes.moved(shapes.box((4.2, 1.0, 0.05)), (0.2, 0.0, -0.3)),
    }


def draw(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
    """Each axis that moves a row: the simulated mass in front, the rig behind it; motion along x, magnified."""
    demand = by_axis(data["displacement"])
    measured = by_axis(data["measured_displacement"]) if "measured_displacement" in data else None
    largest = data.attrs["largest"] or max(float(np.nanmax(np.abs(demand))), 1e-12)
    magnified = REACH / largest
    wanted = None if ideal is None or "displacement" not in ideal else by_axis(ideal["displacement"])
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
        solids += _mass(f"{label}simulated", place(demand[:, i], magnified, y), SIMULATED)
        marks.append((f"{name} simulated".strip(), (WALL - 0.1, y, 0.5)))
        if wanted is not None:
            ghost = place(wanted[:, i], magnified, y)
            solids.append(Solid(f"{label}ideal", _meshes()["block"], at(ghost), GHOST, 0.3))
        if measured is None:
            continue
        there = place(measured[:, i], magnified, y + 1.0)
        solids += _rig(f"{label}on the rig", there)
        if haunted(data, demand[:, i], measured[:, i], largest):
            wish = at(place(demand[:, i], magnified, y + 1.0))
            solids.append(Solid(f"{label}on the rig/demanded", _meshes()["plate"], wish, SIMULATED, 0.35))
        marks.append((f"{name} on the rig".strip(), (WALL - 0.1, y + 1.0, 0.5)))
        if force is not None:
            scale = REACH / max(float(np.nanmax(np.abs(force[:, i]))), 1e-12)
            top = place(measured[:, i], magnified, y + 1.0, 0.3)
            share = of_limit(run.test, force[:, i], i)
            arrows.append(Arrow(f"{label}force", top, along_x(force[:, i]), scale, FORCE, share))
    told = demand if measured is None else measured

    def notes(k: int) -> str:
        shown = ", ".join(f"{1e3 * z:+.3g}" for z in demand[k])
        read = ", ".join(f"{1e3 * z:+.3g}" for z in told[k])
        return f"demand {shown} mm, measured {read} mm; motion drawn {magnified:.3g} times as large"

    stage = Stage(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        marks=marks,
        enlarged=magnified,
        focus=place(told[:, moving[0]], magnified, 0.0 if measured is None else 1.0),
        nearby=1.6,
    )
    return looked_at(stage, (-0.35, 0.8, -0.5))


def _mass(name: str, points: Points, colour: str) -> list[Solid]:
    """A block at the end of a spring."""
    mesh = _meshes()
    y = float(points(0)[1])
    return [
        Solid(f"{name}/mass", mesh["block"], at(points), colour),
        Solid(f"{name}/spring", mesh["coil"], fixed((WALL, y, 0)), STEEL, 1.0, _from(points, -0.15)),
        Solid(
            f"{name}/ground",
            shapes.joined(shapes.moved(mesh["wall"], (WALL, 0, 0)), mesh["floor"]),
            fixed((0, y, 0)),
            "#d9dde1",
        ),
    ]


def _rig(name: str, points: Points) -> list[Solid]:
    """A specimen between its support and a load cell that an actuator's rod moves."""
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
            shapes.joined(shapes.moved(mesh["wall"], (WALL, 0, 0)), mesh["floor"]),
            fixed((0, y, 0)),
            "#d9dde1",
        ),
    ]


def place(x: np.ndarray, magnified: float, y: float, z: float = 0.0, ahead: float = 0.0) -> Points:
    """Points that move along x as (time,) [m] says, magnified, with so much added."""
    return lambda k: np.array([magnified * x[k] + ahead, y, z])


def at(points: Points) -> Pose:
    """What stands upright at moving points."""
    return lambda k: (np.eye(3), points(k))


def _from(points: Points, short: float) -> Callable[[int], float]:
    """How long what begins at the wall is, with so much less or more at its end."""
    return lambda k: float(points(k)[0]) - WALL + short


def along_x(f: np.ndarray) -> Points:
    """Vectors along x, of the sizes (time,)."""
    return lambda k: np.array([f[k], 0.0, 0.0])

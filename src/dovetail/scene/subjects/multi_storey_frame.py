"""Multi-storey frame, and beside it the tested storey on its rig."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from dovetail.core.recording import Recording
from dovetail.scene import shapes
from dovetail.scene.force_ratios import limit_ratio
from dovetail.scene.scene import Arrow, Pose, Scene, Solid, Tube, aim_camera, fixed, visibly_different
from dovetail.scene.signal_plots import by_axis

SIMULATED, RIG, FORCE, STEEL, GHOST = "#0072b2", "#d55e00", "#b5179e", "#8d969e", "#5f6b76"
STOREY, ASIDE, WALL = (
    0.9,
    -2.2,
    2.3,
)  # [m] height of a storey, lateral position of the rig, position of its wall
REACH = 0.35  # [m] length of the largest motion in the drawing
CORNERS = np.array([[-0.5, -0.4], [-0.5, 0.4], [0.5, -0.4], [0.5, 0.4]])
BENT = np.linspace(0.0, 1.0, 9)
SWAY = BENT**2 * (3 - 2 * BENT)  # deflection of a column clamped at both ends


@cache
def _meshes() -> dict[str, shapes.Triangles]:
    return {
        "floor": shapes.box((1.2, 1.0, 0.08)),
        "ground": shapes.translate(shapes.box((1.8, 1.4, 0.1)), (0, 0, -0.05)),
        "rig": shapes.merge(
            shapes.translate(shapes.box((3.6, 1.4, 0.1)), (0.9, 0, -0.05)),
            shapes.translate(shapes.box((0.25, 0.9, 1.4)), (WALL + 0.12, 0, 0.7)),
        ),
        "rod": shapes.rod(0.045, 1.0),
        "cylinder": shapes.rod(0.11, 0.7),
        "cell": shapes.rod(0.09, 0.09),
    }


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw floors and bent columns, motion scaled; the first storey again on its rig."""
    sways = by_axis(data["storey_displacement"])
    largest = data.attrs["largest"] or max(float(np.nanmax(np.abs(sways))), 1e-12)
    grown = REACH / largest
    drawn = grown * sways
    mesh = _meshes()
    solids = [Solid("simulation/ground", mesh["ground"], fixed(), "#d9dde1")]
    tubes = []
    for i in range(sways.shape[1]):
        under = drawn[:, i - 1] if i else np.zeros(len(drawn))
        solids.append(
            Solid(f"simulation/floor {i + 1}", mesh["floor"], _floor(drawn[:, i], i + 1), SIMULATED)
        )
        tubes.append(
            Tube(f"simulation/columns {i + 1}", _columns(under, drawn[:, i], i, 0.0), 0.035, SIMULATED)
        )
    marks = [("simulation", (-0.9, 0.0, STOREY * sways.shape[1] + 0.2))]
    if reference is not None and "storey_displacement" in reference:
        reference_motion = grown * by_axis(reference["storey_displacement"])
        solids += [
            Solid(
                f"reference/floor {i + 1}", mesh["floor"], _floor(reference_motion[:, i], i + 1), GHOST, 0.3
            )
            for i in range(reference_motion.shape[1])
        ]
    arrows: list[Arrow] = []
    if "measured_displacement" in data:
        there = grown * by_axis(data["measured_displacement"])[:, 0]
        force = by_axis(data["measured_force"])[:, 0] if "measured_force" in data else None
        rig, tube, arrows = _rig(there, force)
        if force is not None:
            arrows = [replace(arrow, text=limit_ratio(run.test, force)) for arrow in arrows]
        solids += rig
        wish = grown * by_axis(data["displacement"])[:, 0]
        if visibly_different(data, wish, there, REACH):
            pose = _floor(wish, 1, ASIDE)
            solids.append(Solid("rig/demand", mesh["floor"], pose, SIMULATED, 0.35))
        tubes.append(tube)
        marks.append(("rig", (-0.9, ASIDE - 0.6, 0.1)))

    def notes(k: int) -> str:
        text = ", ".join(f"{1e3 * z:+.3g}" for z in sways[k])
        return f"storeys at {text} mm relative to the ground; motion scaled x{grown:.3g}"

    scene = Scene(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        tubes=tubes,
        marks=marks,
        enlarged=grown,
        focus=lambda k: np.array([drawn[k, 0], 0.0, STOREY]),
        nearby=2.0,
    )
    return aim_camera(scene, (-0.45, 0.8, -0.25))


def _rig(sway: np.ndarray, force: np.ndarray | None) -> tuple[list[Solid], Tube, list[Arrow]]:
    """Return the tested storey: floor, columns, load cell, and an actuator on a wall."""
    mesh = _meshes()

    def beyond(by: float) -> Pose:
        return lambda k: (np.eye(3), np.array([sway[k] + 0.6 + by, ASIDE, STOREY]))

    solids = [
        Solid("rig/ground", mesh["rig"], fixed((0, ASIDE, 0)), "#d9dde1"),
        Solid("rig/floor", mesh["floor"], _floor(sway, 1, ASIDE), RIG),
        Solid("rig/load cell", mesh["cell"], beyond(0.0), FORCE),
        Solid("rig/rod", mesh["rod"], beyond(0.09), "#c9ced3", 1.0, lambda k: WALL - 1.2 - float(sway[k])),
        Solid("rig/actuator", mesh["cylinder"], fixed((WALL - 0.7, ASIDE, STOREY)), STEEL),
    ]
    tube = Tube("rig/columns", _columns(np.zeros(len(sway)), sway, 0, ASIDE), 0.035, RIG)
    if force is None:
        return solids, tube, []
    scale = 0.6 / max(float(np.nanmax(np.abs(force))), 1e-12)
    arrow = Arrow(
        "force",
        lambda k: np.array([sway[k], ASIDE, STOREY + 0.15]),
        lambda k: np.array([force[k], 0.0, 0.0]),
        scale,
        FORCE,
    )
    return solids, tube, [arrow]


def _floor(sway: np.ndarray, number: int, y: float = 0.0) -> Pose:
    return lambda k: (np.eye(3), np.array([sway[k], y, number * STOREY]))


def _columns(lower: np.ndarray, upper: np.ndarray, number: int, y: float) -> Callable[[int], np.ndarray]:
    """Return segments (4 x 8, 2, 3) of four columns clamped to two floors."""

    def at(k: int) -> np.ndarray:
        x = lower[k] + SWAY * (upper[k] - lower[k])
        line = np.stack([x, np.full_like(x, y), (number + BENT) * STOREY], axis=1)
        pieces = np.stack([line[:-1], line[1:]], axis=1)
        shifts = np.column_stack([CORNERS, np.zeros(4)])
        return (pieces[None] + shifts[:, None, None]).reshape(-1, 2, 3)

    return at

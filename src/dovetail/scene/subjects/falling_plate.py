"""A plate that falls on a ball: where it was demanded and where the rig had it, the ball squeezed between."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import xarray as xr

from dovetail.scene import shapes
from dovetail.scene.force_ratios import of_limit
from dovetail.scene.scene import Arrow, Pose, Solid, Stage, fixed, haunted, looked_at
from dovetail.scene.signal_plots import by_axis
from dovetail.specimens.tennis_ball import TennisBall

SIMULATED, RIG, FORCE, STEEL, BALL = "#0072b2", "#d55e00", "#b5179e", "#8d969e", "#c6d93a"
THICK = 0.02  # [m] of the plate
SEEN_THROUGH = 0.6  # how much the plate hides: at its lowest the ball is all below it
X, Z = np.eye(3)[0], np.eye(3)[2]
UPRIGHT = np.stack([Z, np.eye(3)[1], -X], axis=1)  # a body whose own x axis stands up


def draw(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
    """True to scale: the plate between its rails over a ball on a base."""
    ball = run.test.rig.specimen
    assert isinstance(ball, TennisBall)
    home, wide = float(ball.home), float(ball.diameter)
    demanded = home + by_axis(data["displacement"])[:, 0]
    name = "measured_displacement" if "measured_displacement" in data else "displacement"
    measured = home + by_axis(data[name])[:, 0]
    mesh = _meshes(round(wide, 4), round(home, 4))

    def squeezed(k: int) -> float:
        return float(np.clip(measured[k] / wide, 0.05, 1.0))

    solids = [
        Solid("base", mesh["base"], fixed(), STEEL),
        Solid("rails", mesh["rails"], fixed(), "#c9ced3"),
        Solid("on the rig/ball", mesh["ball"], lambda k: (UPRIGHT, np.zeros(3)), BALL, 1.0, squeezed),
        Solid("on the rig/plate", mesh["plate"], _at(measured), RIG, SEEN_THROUGH),
    ]
    if haunted(data, demanded, measured, home):
        solids.append(Solid("simulated/plate", mesh["plate"], _at(demanded), SIMULATED, 0.35))
    arrows = []
    if "measured_force" in data:
        force = by_axis(data["measured_force"])[:, 0]
        scale = 0.08 / max(float(np.nanmax(np.abs(force))), 1e-12)
        arrows = [
            Arrow(
                "force on the plate",
                lambda k: np.array([0.0, 0.0, measured[k] + THICK]),
                lambda k: np.array([0.0, 0.0, force[k]]),
                scale,
                FORCE,
                of_limit(run.test, force),
                lambda k: np.array([0.0, 0.0, measured[k]]),
            )
        ]

    def notes(k: int) -> str:
        deep = 1e3 * max(wide - float(measured[k]), 0.0)
        return f"plate {1e3 * measured[k]:.4g} mm over the base, ball squeezed by {deep:.3g} mm"

    stage = Stage(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        focus=lambda k: np.array([0.0, 0.0, min(float(measured[k]), wide)]),
        nearby=0.25,
    )
    return looked_at(stage, (-0.5, 0.8, -0.06))


def _at(height: np.ndarray) -> Pose:
    return lambda k: (np.eye(3), np.array([0.0, 0.0, height[k]]))


@cache
def _meshes(wide: float, home: float) -> dict[str, shapes.Triangles]:
    radius = wide / 2
    rail = [shapes.between((0.15, y, 0), (0.15, y, home + 0.1), 0.008) for y in (-0.04, 0.04)]
    return {
        "base": shapes.moved(shapes.box((0.42, 0.3, 0.03)), (0, 0, -0.015)),
        "rails": shapes.joined(*rail),
        "ball": shapes.moved(shapes.ellipsoid((radius, radius, radius)), (radius, 0, 0)),
        "plate": shapes.moved(shapes.box((0.24, 0.12, THICK)), (0.04, 0, THICK / 2)),
    }

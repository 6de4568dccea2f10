"""Plate that falls on a ball: demanded and measured position, and the compressed ball."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dovetail.core.recording import Recording
from dovetail.scene import shapes
from dovetail.scene.force_ratios import limit_ratio
from dovetail.scene.scene import Arrow, Pose, Scene, Solid, aim_camera, fixed, visibly_different
from dovetail.scene.signal_plots import by_axis
from dovetail.specimens.tennis_ball import TennisBall

SIMULATED, RIG, FORCE, STEEL, BALL = "#0072b2", "#d55e00", "#b5179e", "#8d969e", "#c6d93a"
THICK = 0.02  # [m] thickness of the plate
SEEN_THROUGH = 0.6  # opacity of the plate, so that the ball below it is visible
X, Z = np.eye(3)[0], np.eye(3)[2]
UPRIGHT = np.stack([Z, np.eye(3)[1], -X], axis=1)  # pose of a body with its x axis upwards


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw the plate between its rails over a ball on a base, to scale."""
    ball = run.test.rig.specimen
    assert isinstance(ball, TennisBall)
    home, wide = float(ball.initial_position), float(ball.diameter)
    demanded = home + by_axis(data["displacement"])[:, 0]
    name = "measured_displacement" if "measured_displacement" in data else "displacement"
    measured = home + by_axis(data[name])[:, 0]
    mesh = _meshes(round(wide, 4), round(home, 4))

    def compression(k: int) -> float:
        return float(np.clip(measured[k] / wide, 0.05, 1.0))

    solids = [
        Solid("base", mesh["base"], fixed(), STEEL),
        Solid("rails", mesh["rails"], fixed(), "#c9ced3"),
        Solid("rig/ball", mesh["ball"], lambda k: (UPRIGHT, np.zeros(3)), BALL, 1.0, compression),
        Solid("rig/plate", mesh["plate"], _at(measured), RIG, SEEN_THROUGH),
    ]
    if visibly_different(data, demanded, measured, home):
        solids.append(Solid("simulation/plate", mesh["plate"], _at(demanded), SIMULATED, 0.35))
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
                limit_ratio(run.test, force),
                lambda k: np.array([0.0, 0.0, measured[k]]),
            )
        ]

    def notes(k: int) -> str:
        deep = 1e3 * max(wide - float(measured[k]), 0.0)
        return f"plate {1e3 * measured[k]:.4g} mm above the base, ball compression {deep:.3g} mm"

    scene = Scene(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        focus=lambda k: np.array([0.0, 0.0, min(float(measured[k]), wide)]),
        nearby=0.25,
    )
    return aim_camera(scene, (-0.5, 0.8, -0.06))


def _at(height: np.ndarray) -> Pose:
    return lambda k: (np.eye(3), np.array([0.0, 0.0, height[k]]))


@cache
def _meshes(wide: float, home: float) -> dict[str, shapes.Triangles]:
    radius = wide / 2
    rail = [shapes.rod_between((0.15, y, 0), (0.15, y, home + 0.1), 0.008) for y in (-0.04, 0.04)]
    return {
        "base": shapes.translate(shapes.box((0.42, 0.3, 0.03)), (0, 0, -0.015)),
        "rails": shapes.merge(*rail),
        "ball": shapes.translate(shapes.ellipsoid((radius, radius, radius)), (radius, 0, 0)),
        "plate": shapes.translate(shapes.box((0.24, 0.12, THICK)), (0.04, 0, THICK / 2)),
    }

"""Hexapod that moves a probe into a drogue: base, six legs, platform and tool.

The recording contains the motion of the interface. The kinematics of the robot gives the pose of the platform; each leg
connects a joint of the base to a joint of the platform.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.recording import Recording
from dovetail.mechanics.spatial import euler
from dovetail.scene import shapes
from dovetail.scene.force_ratios import limit_ratio
from dovetail.scene.scene import Arrow, Points, Scene, Solid, Tube, aim_camera, fixed, visibly_different
from dovetail.scene.signal_plots import by_axis
from dovetail.scene.subjects.probe_and_drogue import outline, touched
from dovetail.specimens import ProbeInDrogue
from dovetail.testing import Rig
from dovetail.transfer.hexapod_robot import HexapodRobot

SIMULATED = "#4aa3df"
STEEL, RIG, TIP, FORCE, DROGUE = "#8d969e", "#0072b2", "#d55e00", "#b5179e", "#c8b273"
UP = np.array([0.0, 0.0, 1.0])


def hexapod_of(run: Any) -> HexapodRobot | None:
    """Return the hexapod that moves a probe in a drogue, or None."""
    rig = getattr(getattr(run, "test", None), "rig", None)
    if not (isinstance(rig, Rig) and isinstance(rig.specimen, ProbeInDrogue)):
        return None
    return rig.actuator if isinstance(rig.actuator, HexapodRobot) else None


def hexapod_scene(title: str, run: Any, data: Recording, robot: HexapodRobot) -> Scene:
    """Return the scene of the robot in its own frame: z from the base through the platform."""
    specimen = run.test.rig.specimen
    name = next(n for n in ("achieved_displacement", "measured_displacement", "displacement") if n in data)
    motion, wished = by_axis(data[name]), by_axis(data["displacement"])
    stand = jax.jit(jax.vmap(lambda z: (robot.platform(z), robot.hexapod.lengths(robot.platform(z)))))
    (pose, lengths), (wish, _) = stand(jnp.asarray(motion)), stand(jnp.asarray(wished))
    R, p = np.asarray(pose.R), np.asarray(pose.p)
    leg_lengths = np.asarray(lengths)
    feet, ends = (np.asarray(joints) for joints in robot.hexapod.joints)
    reach = float(robot.tool)
    turn = np.asarray(euler.to_matrix(robot.mounting))
    place = np.asarray(robot.hexapod.home.p) + reach * UP - turn @ np.asarray(specimen.initial_position)
    far, near = shapes.cone(outline(specimen.cavity), 0.01)

    def at(k: int) -> tuple[np.ndarray, np.ndarray]:
        return R[k], p[k]

    def legs(first: float, last: float) -> Points:
        def pieces(k: int) -> np.ndarray:
            along = p[k] + ends @ R[k].T - feet
            return np.stack([feet + first * along, feet + last * along], axis=1)

        return pieces

    tool = _tool(float(specimen.radius), reach)
    solids = [
        Solid("base", _disc(1.15 * float(robot.hexapod.base_radius), 0.05, -0.05), fixed(), STEEL),
        Solid("platform", _disc(1.1 * float(robot.hexapod.platform_radius), 0.04, -0.02), at, RIG),
        Solid("probe", tool, at, TIP),
        Solid("drogue", far, lambda k: (turn, place), DROGUE),
        Solid("drogue, front half", near, lambda k: (turn, place), DROGUE, 0.3),
    ]
    if visibly_different(data, wished[:, :3], motion[:, :3], reach):
        there = np.asarray(wish.R), np.asarray(wish.p)
        solids.append(Solid("demand", tool, lambda k: (there[0][k], there[1][k]), SIMULATED, 0.35))

    def tip(k: int) -> np.ndarray:
        return p[k] + reach * R[k] @ UP

    own = touched(specimen, np.asarray(specimen.initial_position) + motion[:, :3])
    arrows = _force(run, data, turn, tip, lambda k: place + turn @ own(k))

    def notes(k: int) -> str:
        return f"legs {', '.join(f'{length:.4f}' for length in leg_lengths[k])} m"

    scene = Scene(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        tubes=[
            Tube("legs", legs(0.0, 0.55), 0.035, STEEL),
            Tube("leg rods", legs(0.55, 1.0), 0.018, "#d7dce0"),
        ],
        focus=lambda k: p[k] + reach * UP,
        nearby=0.5,
    )
    return aim_camera(scene, (-0.5, 0.8, -0.3))


def _force(run: Any, data: Recording, turn: np.ndarray, tip: Points, wall: Points) -> list[Arrow]:
    """Return the measured force on the tip in the frame of the robot, with the contact point on the wall."""
    if "measured_force" not in data:
        return []
    measured = by_axis(data["measured_force"])[:, :3]
    force = measured @ turn.T
    scale = 0.4 / max(float(np.nanmax(np.abs(force))), 1e-12)
    return [Arrow("force", tip, lambda k: force[k], scale, FORCE, limit_ratio(run.test, measured), wall)]


def _disc(radius: float, thick: float, low: float) -> shapes.Triangles:
    """Return a cylinder about z, from the height `low` [m] up."""
    upright = shapes.rotate(shapes.rod(radius, thick, 32), UP, np.array([-1.0, 0.0, 0.0]))
    return shapes.translate(upright, (0.0, 0.0, low))


def _tool(radius: float, reach: float) -> shapes.Triangles:
    """Return flange, rod and the ball at its end, `reach` [m] above the platform."""
    ball = shapes.translate(shapes.ellipsoid((radius, radius, radius)), reach * UP)
    return shapes.merge(_disc(0.1, 0.02, 0.025), _disc(0.6 * radius, reach, 0.0), ball)

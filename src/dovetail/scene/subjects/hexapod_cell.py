"""A hexapod that carries a probe into a drogue: base, six legs, platform and tool where they were, as a stage.

The recording has the motion of the interface; the platform's pose follows from it by the robot's own kinematics, and
each leg reaches from a joint of the base to one of the platform.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.mechanics.spatial import euler
from dovetail.scene import shapes
from dovetail.scene.force_ratios import of_limit
from dovetail.scene.scene import Arrow, Points, Solid, Stage, Tube, fixed, haunted, looked_at
from dovetail.scene.signal_plots import by_axis
from dovetail.scene.subjects.probe_and_drogue import outline, touched
from dovetail.specimens import ProbeInDrogue
from dovetail.testing import Rig
from dovetail.transfer.hexapod_robot import HexapodRobot

SIMULATED = "#4aa3df"
STEEL, RIG, TIP, FORCE, DROGUE = "#8d969e", "#0072b2", "#d55e00", "#b5179e", "#c8b273"
UP = np.array([0.0, 0.0, 1.0])


def hexapod_of(run: Any) -> HexapodRobot | None:
    """The hexapod that moved a probe in a drogue, where one did; None else."""
    rig = getattr(getattr(run, "test", None), "rig", None)
    if not (isinstance(rig, Rig) and isinstance(rig.specimen, ProbeInDrogue)):
        return None
    return rig.actuator if isinstance(rig.actuator, HexapodRobot) else None


def hexapod_stage(title: str, run: Any, data: xr.Dataset, robot: HexapodRobot) -> Stage:
    """The robot at every sample, in its own frame: z from the base through the platform."""
    specimen = run.test.rig.specimen
    name = next(n for n in ("achieved_displacement", "measured_displacement", "displacement") if n in data)
    motion, wished = by_axis(data[name]), by_axis(data["displacement"])
    stand = jax.jit(jax.vmap(lambda z: (robot.platform(z), robot.hexapod.lengths(robot.platform(z)))))
    (pose, lengths), (wish, _) = stand(jnp.asarray(motion)), stand(jnp.asarray(wished))
    R, p = np.asarray(pose.R), np.asarray(pose.p)
    legs_told = np.asarray(lengths)
    feet, ends = (np.asarray(joints) for joints in robot.hexapod.joints)
    reach = float(robot.tool)
    turn = np.asarray(euler.to_matrix(robot.mounting))
    place = np.asarray(robot.hexapod.home.p) + reach * UP - turn @ np.asarray(specimen.home)
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
    if haunted(data, wished[:, :3], motion[:, :3], reach):
        there = np.asarray(wish.R), np.asarray(wish.p)
        solids.append(Solid("demanded", tool, lambda k: (there[0][k], there[1][k]), SIMULATED, 0.35))

    def tip(k: int) -> np.ndarray:
        return p[k] + reach * R[k] @ UP

    own = touched(specimen, np.asarray(specimen.home) + motion[:, :3])
    arrows = _force(run, data, turn, tip, lambda k: place + turn @ own(k))

    def notes(k: int) -> str:
        return f"legs {', '.join(f'{length:.4f}' for length in legs_told[k])} m"

    stage = Stage(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        tubes=[
            Tube("legs", legs(0.0, 0.55), 0.035, STEEL),
            Tube("their rods", legs(0.55, 1.0), 0.018, "#d7dce0"),
        ],
        focus=lambda k: p[k] + reach * UP,
        nearby=0.5,
    )
    return looked_at(stage, (-0.5, 0.8, -0.3))


def _force(run: Any, data: xr.Dataset, turn: np.ndarray, tip: Points, wall: Points) -> list[Arrow]:
    """What the tip feels, in the robot's frame, and where it touches the wall."""
    if "measured_force" not in data:
        return []
    measured = by_axis(data["measured_force"])[:, :3]
    force = measured @ turn.T
    scale = 0.4 / max(float(np.nanmax(np.abs(force))), 1e-12)
    return [Arrow("force", tip, lambda k: force[k], scale, FORCE, of_limit(run.test, measured), wall)]


def _disc(radius: float, thick: float, low: float) -> shapes.Triangles:
    """A cylinder about z from the height `low` [m] up."""
    upright = shapes.turned(shapes.rod(radius, thick, 32), UP, np.array([-1.0, 0.0, 0.0]))
    return shapes.moved(upright, (0.0, 0.0, low))


def _tool(radius: float, reach: float) -> shapes.Triangles:
    """A flange, a rod that reaches so far over the platform, and the ball at its end."""
    ball = shapes.moved(shapes.ellipsoid((radius, radius, radius)), reach * UP)
    return shapes.joined(_disc(0.1, 0.02, 0.025), _disc(0.6 * radius, reach, 0.0), ball)

"""Targets of simulated robots: pose error in pseudo-dynamic tests, insensitivity to delay, full-speed tracking."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail import testing
from dovetail.air.receiver import SpeedProfile
from dovetail.core import Block, Input, Output, State, Time
from dovetail.core.block import respond
from dovetail.fidelity import pose_error
from dovetail.studies.refuelling.hung_drogue import CONTACT_RADIUS, RUN_UP
from dovetail.studies.registry import find_test
from dovetail.testing import Run
from dovetail.testing.pseudodynamic.cell_motion import arms_of
from dovetail.transfer import Delay
from dovetail.transfer.robot import MotionProfile, RobotArms

STEP = 2e-3  # [s] contact step of the test: coarse, as the results do not depend on it
DURATION = 0.25  # [s] the nozzle slides along a rib


def _strike() -> testing.Test:
    """Return the strike at 200 mm offset, with long steps."""
    test: testing.Test = testing.load(find_test("refuelling/full-scale-200"))
    assert test.pseudodynamic is not None
    settings = dataclasses.replace(
        test.pseudodynamic, contact_step=np.asarray(STEP), settling_time=np.asarray(0.6)
    )
    return dataclasses.replace(test, duration=DURATION, pseudodynamic=settings)


@cache
def late(delay: float) -> Run:
    """Run the strike with a robot delay [s]."""
    test = _strike()
    assert isinstance(test.rig, testing.Rig)
    rig = dataclasses.replace(test.rig, actuator=Delay(delay, max_delay=0.5))
    return dataclasses.replace(test, rig=rig).run_pseudodynamic()


def robot_delay() -> float:
    """RT-50: largest change of the motion [m or rad] by a delay of 20, 120 and 500 ms."""
    at_once = late(0.0).recording["displacement"].values
    return max(
        float(np.abs(late(delay).recording["displacement"].values - at_once).max())
        for delay in (0.02, 0.12, 0.5)
    )


def robot_error() -> list[float]:
    """RT-15: largest position error [m] and rotation error [deg] in contact, with the two arms of a simulated cell."""
    cell = testing.load(find_test("refuelling/cell"))
    assert isinstance(cell, testing.CellFile)
    pose_errors = pose_error(_strike().run_pseudodynamic(cell.cell()))
    return [float(pose_errors.translation.max()), float(np.degrees(pose_errors.angle.max()))]


def robot_tracking() -> float:
    """RT-49: largest distance [m] of the nozzle from its commanded position delayed by delay and lag of the drives.

    Both arms of the simulated cell follow the profile of the validation strikes at 1 m/s, 0, 15 and 35 degrees
    outwards, with joint commands every 4 ms.
    """
    cell = testing.load(find_test("refuelling/cell"))
    assert isinstance(cell, testing.CellFile)
    arms, dt = arms_of(cell._rig_with_shapes()), float(cell.control_period)
    assert arms is not None
    drive: Any = arms.drive  # a delay and a lag
    delay, lag = drive.parts
    behind = float(np.max(delay.delay) + np.max(lag.tau))
    t = dt * np.arange(round(1.2 / dt) + 1)
    way = np.asarray(jax.jit(jax.vmap(lambda t: SpeedProfile(speed=1.0).travel(t, None)[0]))(t))

    @jax.jit
    def follow(commands):
        return respond(_ArmsWithTrip(arms.with_home_pose(commands[0])), dt, commands[1:])

    worst = 0.0
    for angle in np.radians([0.0, 15.0, 35.0]):
        along = np.array([np.cos(angle), 0.0, np.sin(angle)])
        place = np.array([-0.7, 0.0, CONTACT_RADIUS]) + (way[:, None] - RUN_UP) * along
        commands = np.concatenate([place, np.broadcast_to([0.0, -angle, 0.0], place.shape)], axis=1)
        shown, trip = follow(jnp.asarray(commands))
        assert not np.any(trip), "a limit of the cell was reached"
        before = np.stack([np.interp(t[1:] - behind, t, axis) for axis in place.T], axis=1)
        worst = max(worst, float(np.linalg.norm(np.asarray(shown)[:, :3] - before, axis=1).max()))
    return worst


class _ArmsWithTrip(Block):
    """Robot arms that output their trip code as well."""

    arms: RobotArms

    def init(self) -> State:
        return self.arms.init()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        x, shown = self.arms.step(t, dt, x, u)
        return x, (shown, x["trip"][0])


def middle_speed() -> float:
    """DV-17: speed in the middle of a move of one metre in one second, by differences [m/s]."""
    before, after = np.asarray(jax.jit(jax.vmap(MotionProfile(ramp_fraction=0.1)))(np.array([0.4, 0.6])))
    return float((after - before) / 0.2)

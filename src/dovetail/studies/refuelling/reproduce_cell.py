"""Virtual robots, computed again: where they stood in creep tests, that delay does not matter, and full speed."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail import testing
from dovetail.air.receiver import SpeedProfile
from dovetail.fidelity import pose_error
from dovetail.studies.refuelling.hung_drogue import CONTACT_RADIUS, RUN_UP
from dovetail.studies.registry import find_test
from dovetail.testing import Run
from dovetail.testing.pseudodynamic.virtual_cell import arms_of
from dovetail.transfer import Delay
from dovetail.transfer.robot import Course

STEP = 2e-3  # [s] of the test in contact: coarse, since neither answer hangs on it
DURATION = 0.25  # [s]: the nozzle slides along a rib


def _strike() -> testing.Test:
    """The strike 200 mm off the axis, with long steps."""
    test: testing.Test = testing.load(find_test("refuelling/full-scale-200"))
    assert test.stepping is not None
    stepping = dataclasses.replace(
        test.stepping, contact_step=np.asarray(STEP), settling_time=np.asarray(0.6)
    )
    return dataclasses.replace(test, duration=DURATION, stepping=stepping)


@cache
def late(delay: float) -> Run:
    """The strike with a robot that is late by a delay [s]."""
    test = _strike()
    assert isinstance(test.rig, testing.Rig)
    rig = dataclasses.replace(test.rig, actuator=Delay(delay, longest=0.5))
    return dataclasses.replace(test, rig=rig).creep()


def robot_delay() -> float:
    """RT-50: largest change of the motion [m or rad] by a delay of 20, 120 and 500 ms."""
    at_once = late(0.0).data["displacement"].values
    return max(
        float(np.abs(late(delay).data["displacement"].values - at_once).max()) for delay in (0.02, 0.12, 0.5)
    )


def robot_error() -> list[float]:
    """RT-15: largest error of the place [m] and of the turn [deg] in contact, made by two arms of a virtual cell."""
    cell = testing.load(find_test("refuelling/cell"))
    assert isinstance(cell, testing.CellFile)
    found = pose_error(_strike().creep(cell.cell()))
    return [float(found.translation.max()), float(np.degrees(found.angle.max()))]


def robot_tracking() -> float:
    """RT-49: largest distance [m] of the nozzle from where it was told to be, its drives' delay and lag before.

    Both arms of the virtual cell follow the profile of the validation strikes at 1 m/s, 0, 15 and 35 degrees
    outwards, through the joints, every 4 ms.
    """
    cell = testing.load(find_test("refuelling/cell"))
    assert isinstance(cell, testing.CellFile)
    arms, dt = arms_of(cell._sized()), float(cell.period)
    assert arms is not None
    drive: Any = arms.drive  # a delay and a lag
    delay, lag = drive.parts
    behind = float(np.max(delay.delay) + np.max(lag.tau))
    t = dt * np.arange(round(1.2 / dt) + 1)
    way = np.asarray(jax.jit(jax.vmap(lambda t: SpeedProfile(speed=1.0).travel(t, None)[0]))(t))

    @jax.jit
    def followed(told):
        placed = arms.placed(told[0])
        step = lambda x, u: placed.step(0.0, dt, x, u)  # noqa: E731
        x, shown = jax.lax.scan(step, placed.init(), told[1:])
        return shown, x["trip"][0]

    worst = 0.0
    for angle in np.radians([0.0, 15.0, 35.0]):
        along = np.array([np.cos(angle), 0.0, -np.sin(angle)])
        place = np.array([-0.7, 0.0, -CONTACT_RADIUS]) + (way[:, None] - RUN_UP) * along
        told = np.concatenate([place, np.broadcast_to([0.0, angle, 0.0], place.shape)], axis=1)
        shown, trip = followed(jnp.asarray(told))
        assert int(trip) == 0, "a limit of the cell was met"
        before = np.stack([np.interp(t[1:] - behind, t, axis) for axis in place.T], axis=1)
        worst = max(worst, float(np.linalg.norm(np.asarray(shown)[:, :3] - before, axis=1).max()))
    return worst


def middle_speed() -> float:
    """DV-17: speed in the middle of a move of one metre in one second, by differences [m/s]."""
    before, after = np.asarray(jax.jit(jax.vmap(Course(ramp=0.1)))(np.array([0.4, 0.6])))
    return float((after - before) / 0.2)

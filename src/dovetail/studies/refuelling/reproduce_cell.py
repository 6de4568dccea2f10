"""Creep tests on virtual robots, computed again: where the robot stood, and that its delay does not matter."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np

from dovetail import testing
from dovetail.fidelity import pose_error
from dovetail.studies.registry import find_test
from dovetail.testing import Run
from dovetail.transfer import Delay

STEP = 2e-3  # [s] of the test in contact: coarse, since neither answer hangs on it
DURATION = 0.25  # [s]: the nozzle slides along a rib


def _strike() -> testing.Test:
    """The strike 200 mm off the axis, with long steps."""
    test = testing.load(find_test("refuelling/full-scale-200"))
    assert isinstance(test, testing.Test)
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

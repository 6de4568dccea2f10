"""The scaled strike from its file to its recording: slow steps give the motion that full speed would give."""

import numpy as np
import pytest

from dovetail import testing
from dovetail.air.receiver import StopInTime
from dovetail.specimens.scaled_specimen import ScaledSpecimen
from dovetail.studies.refuelling import reproduce_strikes
from dovetail.studies.registry import find_test


@pytest.mark.slow  # the robot makes every step of half a millisecond
def test_the_scaled_pseudodynamic_strike_equals_the_full_speed_motion():
    test = testing.load(find_test("refuelling/scaled"), {"duration": "0.12 s"})
    assert isinstance(test.numerical.receiver.approach, StopInTime)
    assert isinstance(test.rig.specimen, ScaledSpecimen)
    run = test.run_pseudodynamic()
    assert run.outcome.completed
    force = np.linalg.norm(run.data["feedback_force"].values[:, :3], axis=1)
    assert force.max() > 100.0  # N at full scale, from newtons of the small drogue
    direct = reproduce_strikes.scaled()
    time = direct["time"] - direct["time"][0] + 5e-4
    tip = np.interp(run.data["time"].values, time, direct["drogue_attitude_change"][:, 0])
    slow = run.data["drogue_attitude_change"].values[:, 0]
    assert np.abs(tip - tip[0]).max() > np.radians(1.0)
    assert np.abs(slow - tip).max() < 0.1 * np.abs(tip - tip[0]).max()

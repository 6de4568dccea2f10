"""What the robot's targets are judged by; the strikes themselves take half a minute and are slow targets."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from dovetail.core.recording import Recording
from dovetail.studies.refuelling import reproduce_cell


def test_the_largest_change_by_any_delay_counts(monkeypatch):
    def run(delay):
        motion = np.zeros((4, 6))
        motion[2, 4] = 1e-6 * delay
        return SimpleNamespace(
            recording=Recording.from_dataset(xr.Dataset({"displacement": (("time", "axis"), motion)}))
        )

    monkeypatch.setattr(reproduce_cell, "late", run)
    assert reproduce_cell.robot_delay() == 0.5e-6


@pytest.mark.slow  # reading the test takes seconds: its step is checked
def test_the_strike_is_the_study_s_with_long_steps_and_rests():
    test = reproduce_cell._strike()
    assert float(test.numerical.receiver.offset) == 0.2
    assert float(test.pseudodynamic.contact_step) == reproduce_cell.STEP
    assert test.duration == reproduce_cell.DURATION

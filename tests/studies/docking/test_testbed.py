"""The virtual testbed as a whole: `docking/testbed`."""

import numpy as np
import pytest

from dovetail import testing
from dovetail.fidelity import impact_log
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def test():
    return testing.load(find_test("docking/testbed"))


@pytest.fixture(scope="module")
def run(test):
    return test.rehearse()


@pytest.mark.slow
def test_it_runs_to_its_end_at_75_kilohertz(run):
    assert run.outcome.completed
    assert run.test.rate == 75e3


def test_noise_below_the_threshold_causes_no_motion_before_contact(run):
    free = run.data.sel(time=slice(0, 1e-3))
    assert float(np.abs(free.measured_force).max()) == 0.0
    np.testing.assert_allclose(free.velocity, 0.05)


def test_there_is_one_impact_of_the_measured_size(run):
    first = impact_log(run)[0]
    # measured: 1506 N, and 143 um of which the stack's own yielding is a part
    assert 0.7 * 1506 < first.peak_force < 1.3 * 1506
    assert 0.7 * 143e-6 < first.peak_depth < 1.3 * 143e-6
    assert first.restitution > 1  # the rig adds energy, as the real one did


def test_the_motion_stays_within_the_stroke(run):
    position = run.data.achieved_displacement + 20e-6  # from the stack's end
    # overshoot of the loop beyond the demand's limits, 0 and 239 um
    assert float(position.max()) < 250e-6
    assert float(position.min()) > -20e-6


def test_the_stack_yields_under_load(run):
    assert 20e-6 < float(run.data.support_deflection.max()) < 60e-6

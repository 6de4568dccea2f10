"""Fast reruns equal the results of the command line."""

import dataclasses

import numpy as np
import pytest

from dovetail import testing
from dovetail.app.fast_rerun import FastRerun
from dovetail.core.programs import guard
from dovetail.studies.registry import find_test

DELAY, DAMPING = "rig.actuator.delay", "numerical.c"


@pytest.fixture(scope="module")
def test():
    loaded = testing.load(find_test("substructuring/cs1"), {"duration": "2 s"})
    actuator = dataclasses.replace(loaded.rig.actuator, max_delay=12e-3)
    return dataclasses.replace(loaded, rig=dataclasses.replace(loaded.rig, actuator=actuator))


@pytest.fixture(scope="module")
def rerun(test):
    return FastRerun(test, [DELAY, DAMPING], 10_000)


@pytest.mark.parametrize("values", [{DELAY: 2.2e-3, DAMPING: 20.0}, {DELAY: 9e-3, DAMPING: 15.0}])
def test_response_reference_and_stability_equal_those_of_the_test(test, rerun, values):
    variant = test.with_values(**values)
    run, ideal, stability = variant.rehearse(), variant.reference(), variant.stability()
    motion = rerun.response(values)
    assert motion.outcome is run.outcome
    np.testing.assert_array_equal(motion.signals["displacement"], run.data.displacement.values)
    np.testing.assert_array_equal(motion.times, run.data.time.values)
    found = rerun.reference(values)
    size = float(np.abs(ideal.data.displacement).max())
    # one chunk here, several in the reference run: equal to rounding
    np.testing.assert_allclose(
        found.signals["displacement"], ideal.data.displacement.values, atol=1e-12 * size
    )
    ours = rerun.stability(values)
    for name in ("critical_delay", "margin", "growth_rate", "loop_delay", "stable", "poles"):
        assert getattr(ours, name) == pytest.approx(getattr(stability, name), rel=1e-9), name


def test_changed_values_compile_nothing(rerun):
    for values in ({DELAY: 1e-3, DAMPING: 10.0}, {DELAY: 11e-3, DAMPING: 10.0}):  # one stops at a limit
        rerun.response(values), rerun.reference(values), rerun.stability(values)
    before = guard.programs
    for delay in np.random.default_rng(1).uniform(0, 12e-3, 5):
        values = {DELAY: float(delay), DAMPING: 12.0}
        rerun.response(values), rerun.reference(values), rerun.stability(values)
    assert guard.programs == before


def test_reference_is_cached_if_it_does_not_depend_on_the_changed_value(rerun):
    rerun.reference({DELAY: 1e-3, DAMPING: 10.0})
    assert rerun.has_reference({DELAY: 5e-3, DAMPING: 10.0})
    assert not rerun.has_reference({DELAY: 5e-3, DAMPING: 11.0})


def test_growth_rates_of_a_row_equal_those_of_its_points(rerun):
    row = [{DELAY: delay, DAMPING: 15.0} for delay in (1e-3, 6e-3, 9e-3)]
    each = [rerun.stability(values).growth_rate for values in row]
    np.testing.assert_allclose(rerun.growth_rates(row), each, rtol=1e-9)
    assert each[0] < 0 < each[2]


def test_critical_delay_is_cached_if_it_does_not_depend_on_the_changed_value(rerun, monkeypatch):
    first = rerun.stability({DELAY: 1e-3, DAMPING: 10.0})
    with monkeypatch.context() as patch:
        patch.setattr("dovetail.app.fast_rerun.stability_switches", lambda *_: pytest.fail("searched again"))
        again = rerun.stability({DELAY: 5e-3, DAMPING: 10.0})
    assert again.critical_delay == first.critical_delay
    assert rerun.stability({DELAY: 5e-3, DAMPING: 20.0}).critical_delay > first.critical_delay

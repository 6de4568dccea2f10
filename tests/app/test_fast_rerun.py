"""What is computed swiftly is what the command line computes."""

import dataclasses

import numpy as np
import pytest

from dovetail import testing
from dovetail.app.fast_rerun import Swift, share
from dovetail.core.programs import guard
from dovetail.studies.registry import find_test

DELAY, DAMPING = "rig.actuator.delay", "numerical.c"


@pytest.fixture(scope="module")
def test():
    loaded = testing.load(find_test("substructuring/cs1"), {"duration": "2 s"})
    actuator = dataclasses.replace(loaded.rig.actuator, longest=12e-3)
    return dataclasses.replace(loaded, rig=dataclasses.replace(loaded.rig, actuator=actuator))


@pytest.fixture(scope="module")
def swift(test):
    return Swift(test, [DELAY, DAMPING], 10_000)


@pytest.mark.parametrize("values", [{DELAY: 2.2e-3, DAMPING: 20.0}, {DELAY: 9e-3, DAMPING: 15.0}])
def test_response_ideal_and_outlook_are_those_of_the_test_itself(test, swift, values):
    variant = test.with_values(**values)
    run, ideal, outlook = variant.rehearse(), variant.emulate(), variant.stability()
    motion = swift.response(values)
    assert motion.outcome is run.outcome
    np.testing.assert_array_equal(motion.signals["displacement"], run.data.displacement.values)
    np.testing.assert_array_equal(motion.times, run.data.time.values)
    found = swift.ideal(values)
    size = float(np.abs(ideal.data.displacement).max())
    # computed in one piece here and in several there: equal to rounding
    np.testing.assert_allclose(
        found.signals["displacement"], ideal.data.displacement.values, atol=1e-12 * size
    )
    ours = swift.outlook(values)
    for name in ("critical_delay", "margin", "growth_rate", "delay", "stable", "roots"):
        assert getattr(ours, name) == pytest.approx(getattr(outlook, name), rel=1e-9), name


def test_nothing_is_compiled_while_values_move(swift):
    for values in ({DELAY: 1e-3, DAMPING: 10.0}, {DELAY: 11e-3, DAMPING: 10.0}):  # one stops at a limit
        swift.response(values), swift.ideal(values), swift.outlook(values)
    before = guard.programs
    for delay in np.random.default_rng(1).uniform(0, 12e-3, 5):
        values = {DELAY: float(delay), DAMPING: 12.0}
        swift.response(values), swift.ideal(values), swift.outlook(values)
    assert guard.programs == before


def test_an_ideal_that_does_not_depend_on_what_moved_is_not_computed_again(swift):
    swift.ideal({DELAY: 1e-3, DAMPING: 10.0})
    assert swift.knows_ideal({DELAY: 5e-3, DAMPING: 10.0})
    assert not swift.knows_ideal({DELAY: 5e-3, DAMPING: 11.0})


def test_growths_of_a_row_are_those_of_its_points(swift):
    row = [{DELAY: delay, DAMPING: 15.0} for delay in (1e-3, 6e-3, 9e-3)]
    each = [swift.outlook(values).growth_rate for values in row]
    np.testing.assert_allclose(swift.growths(row), each, rtol=1e-9)
    assert each[0] < 0 < each[2]


def test_a_share_of_nothing_is_not_known():
    assert share(np.ones(3), np.full(3, 2.0)) == 0.5
    assert np.isnan(share(np.ones(3), np.zeros(3)))


def test_a_critical_delay_that_does_not_depend_on_what_moved_is_not_searched_again(swift, monkeypatch):
    first = swift.outlook({DELAY: 1e-3, DAMPING: 10.0})
    with monkeypatch.context() as patch:
        patch.setattr("dovetail.app.fast_rerun.switches", lambda *_: pytest.fail("searched again"))
        again = swift.outlook({DELAY: 5e-3, DAMPING: 10.0})
    assert again.critical_delay == first.critical_delay
    assert swift.outlook({DELAY: 5e-3, DAMPING: 20.0}).critical_delay > first.critical_delay

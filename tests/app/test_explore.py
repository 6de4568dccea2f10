"""A request returns the response of the test, or the reason why there is none."""

import numpy as np
import pytest

from dovetail import testing
from dovetail.app import Explorer
from dovetail.app.explore import suggest_sliders
from dovetail.core.errors import ParameterError, TestFileError
from dovetail.core.programs import guard
from dovetail.studies.registry import find_test
from dovetail.testing.test_file import read_table

DELAY, DAMPING = "rig.actuator.delay", "numerical.c"


def test_a_longer_delay_is_reported_as_unstable(explorer):
    good, bad = explorer.compute({DELAY: 3e-3}), explorer.compute({DELAY: 9.4e-3})
    assert good.stable
    assert good.completed
    assert good.margin > 0
    assert good.poles[0][0] < 0
    assert not bad.stable
    assert not bad.completed
    assert bad.end_time < good.end_time
    assert bad.margin < 0 < bad.poles[0][0]
    assert bad.critical_delay == pytest.approx(good.critical_delay)  # of the substructures alone
    assert "unstable" in bad.stability_text
    assert good.error < 0.2 < bad.error
    assert {"response", "reference", "error", "command", "achieved"} <= set(good.traces)
    assert good.traces["response"].unit == "m"


def test_the_error_is_that_of_the_comparison(explorer):
    from dovetail import fidelity

    test = testing.load(find_test("substructuring/cs1"), {"duration": "2 s", DELAY: 4e-3})
    told = fidelity.compare(test.rehearse(), test.reference())
    assert explorer.compute({DELAY: 4e-3}).error == pytest.approx(float(told.rms["e1"]), rel=1e-6)


def test_invalid_values_and_unknown_sliders_are_reported(explorer):
    assert "rig.actuator.delay   got -0.001; must be at least 0 s" in explorer.compute({DELAY: -1e-3}).fault
    assert "has no slider" in explorer.compute({"numerical.m": 1.0}).fault
    with pytest.raises(TestFileError, match="not a number"):
        Explorer(explorer.table, ["title"])
    with pytest.raises(ParameterError, match="not a test"):
        Explorer(read_table(find_test("docking/delay-by-mass")), [])


def test_moving_a_slider_compiles_nothing(explorer):
    explorer.compute({DELAY: 3e-3, DAMPING: 14.0}), explorer.compute({DELAY: 10e-3})
    before = guard.programs
    for value in np.random.default_rng(2).uniform(0.0, 12e-3, 6):
        assert not explorer.compute({DELAY: float(value), DAMPING: 16.0}).fault
    assert guard.programs == before


def test_a_value_that_changes_array_sizes_is_recompiled_and_reported(explorer):
    told = []
    answer = explorer.compute({"substeps": 2.0}, report=told.append)
    assert answer.remarks[0].startswith("recompiled: substeps")
    assert told == ["compiling, once"]
    assert answer.stable
    assert not explorer.compute({"substeps": 2.0}).remarks
    assert "substeps   got 1.5" in explorer.compute({"substeps": 1.5}).fault


def test_the_reference_may_be_added_later(explorer):
    behind = explorer.compute({DAMPING: 17.0}, wait=False)
    assert behind.reference_pending
    assert "reference" not in behind.traces
    whole = explorer.add_reference(behind)
    assert not whole.reference_pending
    assert whole.error == explorer.compute({DAMPING: 17.0}).error


def test_a_long_test_is_explored_over_its_first_ticks_with_a_remark(table):
    answer = Explorer(table, [DELAY], ticks=500).compute({})
    assert answer.remarks == ("the first 0.5 of 2 s",)
    assert answer.end_time == pytest.approx(0.5)
    assert (answer.computed_time, answer.duration) == (0.5, 2.0)


def test_initial_sliders_are_the_most_relevant_parameters(explorer):
    assert [slider.path for slider in suggest_sliders(explorer.test)][:2] == [DELAY, DAMPING]


def test_a_test_without_delay_or_damping_has_knobs_too():
    assert suggest_sliders(testing.load(find_test("docking/impact-1dof")))


def test_the_contacts_of_a_test_lie_in_the_computed_time():
    """The first contact is at 0.1 s; 10,000 ticks at 300 kHz end before it."""
    table = read_table(find_test("docking/impact-1dof"), {"rate": "300 kHz"})
    assert Explorer(table, ["numerical.m1"])._rerun({"numerical.m1": 30.0}, None)[0].ticks == 36_000

"""A question is answered with what the test does, or in words why not."""

import numpy as np
import pytest

from dovetail import testing
from dovetail.app import Feel
from dovetail.app.explore import chosen
from dovetail.core.errors import ParameterError, TestFileError
from dovetail.core.programs import guard
from dovetail.studies.registry import find_test
from dovetail.testing.test_file import read_table

DELAY, DAMPING = "rig.actuator.delay", "numerical.c"


def test_a_longer_delay_makes_it_unstable_and_the_answer_says_so(feel):
    good, bad = feel.answer({DELAY: 3e-3}), feel.answer({DELAY: 9.4e-3})
    assert good.stable
    assert good.completed
    assert good.margin > 0
    assert good.roots[0][0] < 0
    assert not bad.stable
    assert not bad.completed
    assert bad.ended < good.ended
    assert bad.margin < 0 < bad.roots[0][0]
    assert bad.critical_delay == pytest.approx(good.critical_delay)  # of the substructures alone
    assert "unstable" in bad.words
    assert good.error < 0.2 < bad.error
    assert {"response", "ideal", "error", "command", "achieved"} <= set(good.traces)
    assert good.traces["response"].unit == "m"


def test_the_error_is_that_of_the_comparison(feel):
    from dovetail import fidelity

    test = testing.load(find_test("substructuring/cs1"), {"duration": "2 s", DELAY: 4e-3})
    told = fidelity.compare(test.rehearse(), test.emulate())
    assert feel.answer({DELAY: 4e-3}).error == pytest.approx(float(told.rms["e1"]), rel=1e-6)


def test_values_out_of_range_and_knobs_that_are_not_there_are_told(feel):
    assert "rig.actuator.delay   got -0.001; must be at least 0 s" in feel.answer({DELAY: -1e-3}).fault
    assert "is no knob" in feel.answer({"numerical.m": 1.0}).fault
    with pytest.raises(TestFileError, match="is no number that could be moved"):
        Feel(feel.table, ["title"])
    with pytest.raises(ParameterError, match="nothing in it moves"):
        Feel(read_table(find_test("docking/delay-by-mass")), [])


def test_nothing_compiles_while_a_knob_moves(feel):
    feel.answer({DELAY: 3e-3, DAMPING: 14.0}), feel.answer({DELAY: 10e-3})
    before = guard.programs
    for value in np.random.default_rng(2).uniform(0.0, 12e-3, 6):
        assert not feel.answer({DELAY: float(value), DAMPING: 16.0}).fault
    assert guard.programs == before


def test_a_value_that_fixes_a_shape_is_compiled_for_and_that_is_said(feel):
    told = []
    answer = feel.answer({"substeps": 2.0}, tell=told.append)
    assert answer.said[0] == "compiled anew: substeps fixes shapes"
    assert told == ["compiling, once"]
    assert answer.stable
    assert not feel.answer({"substeps": 2.0}).said
    assert "substeps   got 1.5; needs a whole number" in feel.answer({"substeps": 1.5}).fault


def test_an_ideal_may_come_later(feel):
    behind = feel.answer({DAMPING: 17.0}, wait=False)
    assert behind.behind
    assert "ideal" not in behind.traces
    whole = feel.ideal(behind)
    assert not whole.behind
    assert whole.error == feel.answer({DAMPING: 17.0}).error


def test_of_a_long_test_the_first_ticks_are_felt_and_that_is_said(table):
    answer = Feel(table, [DELAY], ticks=500).answer({})
    assert answer.said == ("the first 0.5 of 2 s",)
    assert answer.ended == pytest.approx(0.5)
    assert (answer.shown, answer.duration) == (0.5, 2.0)


def test_knobs_to_begin_with_are_those_that_say_most(feel):
    assert [knob.path for knob in chosen(feel.test)][:2] == [DELAY, DAMPING]


def test_a_test_without_delay_or_damping_has_knobs_too():
    assert chosen(testing.load(find_test("docking/impact-1dof")))

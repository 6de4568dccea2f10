"""Explore process: newest request first, and the end of the process is reported."""

import subprocess
import sys

import pytest

from dovetail.app import ExploreProcess

DELAY, DAMPING = "rig.actuator.delay", "numerical.c"


@pytest.fixture(scope="module")
def beside(table):
    made = ExploreProcess(table, [DELAY, DAMPING], "cs1.toml")
    yield made
    made.close()


def test_the_newest_question_is_answered_and_none_that_waited_holds_it_up(beside):
    for i in range(50):
        last = beside.request({DELAY: 1e-4 * i})
    answer = beside.wait(last, with_reference=True)
    assert answer.number == last
    assert answer.values[DELAY] == pytest.approx(4.9e-3)
    assert {"response", "reference"} <= set(answer.traces)
    assert beside.state == "ready"


def test_a_bad_value_is_answered_in_words_and_the_next_one_is_answered(beside):
    assert "must be at least 0" in beside.wait(beside.request({DELAY: -1.0})).fault
    assert beside.wait(beside.request({DELAY: 2e-3})).stable


def test_a_map_fills_while_questions_are_answered(beside):
    beside.request_map(DELAY, DAMPING, {}, size=3)
    number = beside.request({DELAY: 1e-3})
    assert beside.wait(number) is not None
    with beside._changed:
        assert beside._changed.wait_for(lambda: beside._map is not None and beside._map.done == 3, 600)
    assert beside.newest_map().growth.shape == (3, 3)


def test_a_test_that_cannot_be_felt_is_told_and_nothing_waits_for_it(table):
    made = ExploreProcess(table, ["no.such"], "cs1.toml")
    assert made.wait(1) is None
    assert made.state == "gone"
    assert "no.such   is not a number" in made.fault
    made.close()


def test_a_process_that_was_ended_is_gone(table):
    made = ExploreProcess(table, [DELAY], "cs1.toml")
    made.process.kill()
    assert made.wait(made.request({}) + 1) is None
    assert made.state == "gone"
    assert "has ended" in made.fault


def test_nothing_that_asks_for_threads_is_loaded_before_it_is_told_how_many():
    code = "import sys, dovetail.app.explore_process; print(sorted({'numpy', 'scipy', 'jax'} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"

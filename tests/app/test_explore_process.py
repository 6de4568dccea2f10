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


def test_only_the_newest_request_is_computed(beside):
    for i in range(50):
        last = beside.request({DELAY: 1e-4 * i})
    answer = beside.wait(last, with_reference=True)
    assert answer.number == last
    assert answer.values[DELAY] == pytest.approx(4.9e-3)
    assert {"response", "reference"} <= set(answer.traces)
    assert beside.state == "ready"


def test_an_invalid_value_is_reported_and_the_next_one_computed(beside):
    assert "must be at least 0" in beside.wait(beside.request({DELAY: -1.0})).fault
    assert beside.wait(beside.request({DELAY: 2e-3})).stable


def test_a_map_is_computed_while_requests_are_answered(beside):
    beside.request_map(DELAY, DAMPING, {}, size=3)
    number = beside.request({DELAY: 1e-3})
    assert beside.wait(number) is not None
    with beside._changed:
        assert beside._changed.wait_for(lambda: beside._map is not None and beside._map.done == 3, 600)
    assert beside.newest_map().growth.shape == (3, 3)


def test_a_test_that_cannot_be_explored_is_reported_without_waiting(table):
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


def test_thread_counts_are_set_before_numerical_libraries_load():
    code = "import sys, dovetail.app.explore_process; print(sorted({'numpy', 'scipy', 'jax'} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"

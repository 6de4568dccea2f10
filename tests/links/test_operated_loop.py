"""Hybrid loop with tunable parameters: the loop of the test if nothing is requested, ramps if something is."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.advance import advance_samples, begin
from dovetail.core.clock import Simulated
from dovetail.core.keep import Rows
from dovetail.core.monitor import NoMonitor
from dovetail.links import remote_rig
from dovetail.links.operated_loop import OperatedLoop
from dovetail.links.remote_rig import RequestedValues
from dovetail.testing import Tunable
from dovetail.testing.hybrid_loop import HybridLoop
from dovetail.testing.modes import simulate

PATH, TICKS = "numerical.k", 50


@pytest.fixture
def request_value():
    """`request_value(value)`: requested values in Python that the loop reads in every tick."""
    registered = []

    def make(*values):
        registered.append(remote_rig.register(np.array(values)))
        return RequestedValues(jnp.asarray(registered[-1]), len(values), native=False)

    yield make
    for handle in registered:
        remote_rig.unregister(handle)


def run(test, tunable, requests):
    loop = OperatedLoop(HybridLoop.from_test(test.prepare()), tunable, requests)
    now, _ = begin(loop, NoMonitor(), Rows())
    clock = Simulated(test.dt, TICKS, precompute=False)
    return advance_samples(loop, clock, NoMonitor(), Rows(), now, TICKS)[2]


def test_without_tunable_parameters_it_is_the_loop_of_the_test(make_cs1, request_value):
    test = make_cs1(duration=0.05)
    rows = run(test, {}, request_value())
    np.testing.assert_allclose(rows["displacement"], simulate(test.prepare())[1]["displacement"], rtol=1e-12)
    assert "tunable_values" not in rows


def test_a_requested_value_is_reached_by_a_ramp_within_its_range(make_cs1, request_value):
    test = make_cs1(duration=0.05)
    start = float(test.numerical.k)
    tunable = {PATH: Tunable(min=0.0, max=2 * start, ramp_time=0.04)}
    rows = run(dataclasses.replace(test, tunable=tunable), tunable, request_value(9 * start))
    values = np.asarray(rows["tunable_values"])[:, 0]
    slope = 2 * start / 0.04
    np.testing.assert_allclose(np.diff(values[:19]), slope * test.dt, rtol=1e-9)
    assert values[-1] == pytest.approx(2 * start)

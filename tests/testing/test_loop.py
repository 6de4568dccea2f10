"""The loop: which sample is held, and that one tick is what the docstring says."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.testing.loop import Driven, start, tick


def test_one_tick_does_what_it_says(make_cs1):
    test = make_cs1(delay=0.0).prepared()
    state, _first = start(test)
    after, record = tick(test, state, jnp.asarray(0))
    driven = Driven(test.numerical, test.excitation)
    moved, _ = test.method.step(driven, 0.0, test.dt, driven.init(), state["force"], ())
    assert record["displacement"] == moved["z"]
    assert record["command"] == moved["z"]
    assert record["measured_force"] == pytest.approx(-2250.0 * float(moved["z"]), rel=1e-15)
    assert after["force"] == record["measured_force"]  # a perfect rig returns the force of this very tick


def test_the_excitation_is_felt_at_the_stages(make_cs1):
    """With no force the loop is RK4 of the driven oscillator: its error falls with the fourth power."""
    free = make_cs1(duration=1.0)
    free = eqx.tree_at(lambda t: t.rig.specimen.k, free, jnp.array(0.0))
    errors = []
    for rate in (200.0, 400.0):
        test = eqx.tree_at(lambda t: t.numerical.m, free, jnp.array(2.2))
        test = dv.Test(test.numerical, test.rig, excitation=test.excitation, rate=rate, duration=1.0)
        run, ideal = test.rehearse(), test.emulate()
        errors.append(float(abs(run.data.displacement - ideal.data.displacement).max()))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.2)


@pytest.mark.slow
def test_the_held_force_costs_half_a_tick(make_cs1):
    """At zero delay the loop behaves as if the force were late by dt / 2: half the rate, twice the error."""
    errors = {}
    for rate in (1000.0, 2000.0):
        test = make_cs1(delay=0.0, rate=rate)
        errors[rate] = float(abs(test.rehearse().data.displacement - test.emulate().data.displacement).max())
    assert errors[1000.0] / errors[2000.0] == pytest.approx(2.0, rel=0.05)
    late = make_cs1(delay=0.5e-3, rate=16000.0)  # the same half millisecond, as an actuator's delay
    error = float(abs(late.rehearse().data.displacement - late.emulate().data.displacement).max())
    assert error == pytest.approx(errors[1000.0], rel=0.1)


def test_a_batch_is_its_single_runs_to_rounding(make_cs1):
    test = make_cs1(delay=6e-3, duration=0.5).prepared()
    delays = jnp.array([1e-3, 3.3e-3, 6e-3])

    def run(delay):
        return dv.simulate(eqx.tree_at(lambda t: t.rig.actuator.delay, test, delay))[1]

    batch, alone = jax.jit(jax.vmap(run))(delays), jax.jit(run)
    for i, delay in enumerate(delays):
        single = alone(delay)
        np.testing.assert_allclose(batch["displacement"][i], single["displacement"], rtol=1e-11, atol=1e-15)


def test_the_loop_has_a_derivative(make_cs1):
    test = make_cs1(delay=3e-3, duration=0.2).prepared()

    def last(delay):
        records = dv.simulate(eqx.tree_at(lambda t: t.rig.actuator.delay, test, delay))[1]
        return records["displacement"][-1]

    delay, step = jnp.array(3.3e-3), 1e-7
    value = jax.jit(last)
    difference = (value(delay + step) - value(delay - step)) / (2 * step)
    assert float(jax.jit(jax.grad(last))(delay)) == pytest.approx(float(difference), rel=1e-5)

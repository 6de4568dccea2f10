"""The loop: which sample is held, and that one tick is what the docstring says."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.core.advance import begin
from dovetail.core.keep import Rows
from dovetail.testing import Rehearse
from dovetail.testing.hybrid_loop import Driven, HybridLoop


def test_one_tick_follows_its_definition(make_cs1):
    test = make_cs1(delay=0.0).prepare()
    loop = HybridLoop.from_test(test)
    state, _first = loop.start()
    after, record = loop.step(0.0, test.dt, state)
    driven = Driven(test.numerical, test.excitation)
    moved, _ = test.method.step(driven, 0.0, test.dt, driven.init(), state.force, ())
    assert record["displacement"] == moved["z"]
    assert record["command"] == moved["z"]
    assert record["measured_force"] == pytest.approx(-2250.0 * float(moved["z"]), rel=1e-15)
    assert after.force == record["measured_force"]  # a perfect rig returns the force of this very tick


def test_the_excitation_is_felt_at_the_stages(make_cs1):
    """With no force the loop is RK4 of the driven oscillator: its error falls with the fourth power."""
    free = make_cs1(duration=1.0)
    free = eqx.tree_at(lambda t: t.rig.specimen.k, free, jnp.array(0.0))
    errors = []
    for rate in (200.0, 400.0):
        test = eqx.tree_at(lambda t: t.numerical.m, free, jnp.array(2.2))
        test = dv.Test(test.numerical, test.rig, excitation=test.excitation, rate=rate, duration=1.0)
        run, ideal = test.rehearse(), test.reference()
        errors.append(float(abs(run.data.displacement - ideal.data.displacement).max()))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.2)


@pytest.mark.slow
def test_the_held_force_adds_half_a_tick_of_delay(make_cs1):
    """At zero delay the loop behaves as if the force were late by dt / 2: half the rate, twice the error."""
    errors = {}
    for rate in (1000.0, 2000.0):
        test = make_cs1(delay=0.0, rate=rate)
        errors[rate] = float(
            abs(test.rehearse().data.displacement - test.reference().data.displacement).max()
        )
    assert errors[1000.0] / errors[2000.0] == pytest.approx(2.0, rel=0.05)
    late = make_cs1(delay=0.5e-3, rate=16000.0)  # the same half millisecond, as an actuator's delay
    error = float(abs(late.rehearse().data.displacement - late.reference().data.displacement).max())
    assert error == pytest.approx(errors[1000.0], rel=0.1)


def test_a_batch_is_its_single_runs_to_rounding(make_cs1):
    test = make_cs1(delay=6e-3, duration=0.5).prepare()
    delays = jnp.array([1e-3, 3.3e-3, 6e-3])

    def run(delay):
        return dv.simulate(eqx.tree_at(lambda t: t.rig.actuator.delay, test, delay))[1]

    batch, alone = jax.jit(jax.vmap(run))(delays), jax.jit(run)
    for i, delay in enumerate(delays):
        single = alone(delay)
        np.testing.assert_allclose(batch["displacement"][i], single["displacement"], rtol=1e-11, atol=1e-15)


def test_the_loop_has_a_derivative(make_cs1):
    test = make_cs1(delay=3e-3, duration=0.2).prepare()

    def last(delay):
        records = dv.simulate(eqx.tree_at(lambda t: t.rig.actuator.delay, test, delay))[1]
        return records["displacement"][-1]

    delay, step = jnp.array(3.3e-3), 1e-7
    value = jax.jit(last)
    difference = (value(delay + step) - value(delay - step)) / (2 * step)
    assert float(jax.jit(jax.grad(last))(delay)) == pytest.approx(float(difference), rel=1e-5)


DRIVEN = dv.Sine(amplitude=0.012, frequency=3.0, phase=0.7, offset=1e-3)  # not zero at t = 0


def test_the_first_record_is_that_of_t_zero(make_cs1):
    test = make_cs1(excitation=DRIVEN).prepare()
    state, first = begin(HybridLoop.from_test(test), Rehearse().monitor(test), Rows())
    force, wall = float(state.x.force), 0.012 * np.sin(0.7) + 1e-3
    rate = 0.012 * 6 * np.pi * np.cos(0.7)
    assert float(first["excitation"]) == pytest.approx(wall, rel=1e-14)
    assert float(first["displacement"]) == float(first["velocity"]) == 0.0
    assert float(first["acceleration"]) == pytest.approx((force + 2250 * wall + 15 * rate) / 2.2, rel=1e-12)
    assert float(first["growth_rate"]) == 0.0


def test_acceleration_and_excitation_of_a_record_are_of_its_time(make_cs1):
    test = make_cs1(excitation=DRIVEN, rate=100.0).prepare()
    loop = HybridLoop.from_test(test)
    state, _ = loop.start()
    after, record = loop.step(3 * test.dt, test.dt, state)  # from 0.03 s to 0.04 s
    angle = 6 * np.pi * 0.04 + 0.7
    wall, rate = 0.012 * np.sin(angle) + 1e-3, 0.012 * 6 * np.pi * np.cos(angle)
    z, v = float(record["displacement"]), float(record["velocity"])
    assert float(record["excitation"]) == pytest.approx(wall, rel=1e-12)
    held = float(state.force)  # it moved under this one
    expected = (held - 2250 * (z - wall) - 15 * (v - rate)) / 2.2
    assert float(record["acceleration"]) == pytest.approx(expected, rel=1e-11)
    assert float(after.force) == float(record["feedback_force"])


def test_without_feedback_two_substeps_equal_two_ticks(make_cs1):
    """The excitation is taken at the time of each substep."""
    whole = make_cs1(excitation=DRIVEN, rate=400.0, duration=0.1)
    slow = make_cs1(excitation=DRIVEN, rate=200.0, duration=0.1, substeps=2)
    whole, slow = (eqx.tree_at(lambda t: t.rig.specimen.k, t, jnp.array(0.0)) for t in (whole, slow))
    fine, coarse = (t.rehearse().data for t in (whole, slow))
    np.testing.assert_allclose(coarse.displacement, fine.displacement[::2], rtol=0, atol=1e-16)
    assert float(abs(coarse.displacement).max()) > 1e-3

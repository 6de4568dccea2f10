"""Prediction by fixed coefficients, one step at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import FixedCoefficients, ForwardPrediction, predictor_weights
from dovetail.core.errors import ParameterError


def run(compensator, samples, dt=1e-3):
    def tick(state, z):
        state, out = compensator.step(0.0, dt, state, {"displacement": z})
        return state, out["command"]

    return np.asarray(jax.lax.scan(tick, compensator.init(), jnp.asarray(samples))[1])


@pytest.mark.parametrize(("steps", "weights"), [(1, [3.0, -3.0, 1.0]), (2, [6.0, -8.0, 3.0])])
def test_repeated_parabolic_prediction_gives_the_published_coefficients(steps, weights):
    samples = np.eye(3)[::-1]  # a one at the newest, the middle, the oldest sample
    last = [run(FixedCoefficients(1e-3 * steps), column)[-1] for column in samples]
    assert last == pytest.approx(weights, abs=1e-12)


def test_whole_steps_of_an_exact_fit_are_forward_prediction():
    samples = np.sin(0.05 * np.arange(40))
    direct = run(ForwardPrediction(7e-3, order=2, window=3), samples)
    assert run(FixedCoefficients(7e-3), samples) == pytest.approx(np.asarray(direct), abs=1e-9)


def test_a_fraction_lies_on_the_line_between_two_whole_steps():
    samples = np.sin(0.05 * np.arange(40))
    nine, ten = run(FixedCoefficients(9e-3), samples), run(FixedCoefficients(10e-3), samples)
    expected = np.where(np.arange(40) < 2, samples, 0.6 * nine + 0.4 * ten)
    assert run(FixedCoefficients(9.4e-3), samples) == pytest.approx(expected, abs=1e-12)


def test_a_least_squares_step_repeated_is_not_the_fit_extrapolated():
    compensator = FixedCoefficients.from_order(2, window=6, delay=9e-3)
    once = np.asarray(predictor_weights(2, 6, 1.0))
    assert np.asarray(compensator.coefficients) == pytest.approx(once)
    samples = np.cos(0.2 * np.arange(40))
    direct = run(ForwardPrediction(9e-3, order=2, window=6), samples)
    assert np.abs(run(compensator, samples) - direct)[6:].max() > 1e-2


def test_the_frequency_response_is_that_of_a_long_sine():
    compensator, w = FixedCoefficients(4.3e-3, gain=0.97), 2 * np.pi * 11.0
    t = 1e-3 * np.arange(400)
    command = run(compensator, np.sin(w * t))[200:]
    response = complex(compensator.response(w, 1e-3))
    assert command == pytest.approx(np.abs(response) * np.sin(w * t[200:] + np.angle(response)), abs=1e-9)


def test_each_actuator_has_its_own_delay():
    compensator = FixedCoefficients(jnp.array([1e-3, 2e-3])).with_sample_time(1e-3, (2,))
    samples = np.stack([np.arange(5.0) ** 2] * 2, axis=1)
    assert run(compensator, samples)[-1] == pytest.approx([25.0, 36.0])


def test_it_can_be_batched_over_and_differentiated():
    samples = np.sin(0.03 * np.arange(30))

    def last(delay):
        compensator = FixedCoefficients(delay)
        state = compensator.init()
        for z in samples[-3:]:
            state, out = compensator.step(0.0, 1e-3, state, {"displacement": jnp.asarray(z)})
        return out["command"]

    commands, slopes = jax.jit(jax.vmap(jax.value_and_grad(last)))(jnp.array([9.2e-3, 9.4e-3, 9.6e-3]))
    assert slopes[1] == pytest.approx(float(commands[2] - commands[0]) / 0.4e-3, rel=1e-9)  # straight there


def test_coefficients_with_an_offset_at_rest_are_rejected():
    with pytest.raises(
        ParameterError, match=r"coefficients: got \[3.0, -3.0\]; expected coefficients with sum 1"
    ):
        FixedCoefficients(1e-3, coefficients=[3.0, -3.0])


def test_a_delay_beyond_the_allowed_steps_is_rejected():
    with pytest.raises(ParameterError, match=r"0.03 s, more than 20 steps of 0.001 s; raise max_steps to 30"):
        FixedCoefficients(0.03).with_sample_time(1e-3)

"""Constant forward prediction."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import ForwardPrediction
from dovetail.core.errors import ParameterError
from dovetail.core.kinds import find


def run(compensator, samples, dt):
    def tick(state, z):
        state, out = compensator.step(0.0, dt, state, {"displacement": z})
        return state, out["command"]

    return jax.lax.scan(tick, compensator.init(), jnp.asarray(samples))[1]


def test_a_known_delay_is_cancelled_to_the_tabulated_error(bench):
    signal = bench.sine(4.5)
    out = bench.open_loop(ForwardPrediction(9.4e-3), signal, 9.4e-3)
    left = bench.rms_ratio(signal["displacement"] - out["x"], signal["displacement"], start=1.0)
    # 0.013 % printed to two digits; 26.5 % without
    assert left == pytest.approx(1.3e-4, rel=0.05)


@pytest.mark.parametrize("dt", [1e-3, 2.5e-4])
def test_a_parabola_is_predicted_by_the_delay_whatever_the_sample_time(dt):
    t = dt * np.arange(40)

    def path(s):
        return 0.3 + 2.0 * s - 7.0 * s**2

    command = run(ForwardPrediction(7.3e-3, order=2, window=9), path(t), dt)
    assert command[20:] == pytest.approx(path(t + 7.3e-3)[20:], abs=1e-12)


def test_the_demand_passes_until_the_window_has_filled():
    z = np.linspace(1.0, 2.0, 8)
    command = run(ForwardPrediction(3e-3, order=1, window=5), z, 1e-3)
    assert command[:4] == pytest.approx(z[:4], abs=1e-15)
    assert command[4:] == pytest.approx(z[4:] + 3 * (z[1] - z[0]), abs=1e-12)


def test_zero_padding_sets_earlier_samples_to_zero():
    command = run(ForwardPrediction(1e-3, order=2, window=3, startup="zero-pad"), [1.0, 1.0, 1.0], 1e-3)
    assert command == pytest.approx([3.0, 0.0, 1.0], abs=1e-12)  # 3 z0 - 3 z1 + z2


def test_each_actuator_has_its_own_delay_and_gain(bench):
    signal = bench.sine(4.5, duration=1.0)
    both = {name: np.stack([value, value], axis=1) for name, value in signal.items()}
    signal.update(both)
    compensator = ForwardPrediction(jnp.array([9.4e-3, 8.6e-3]), gain=jnp.array([0.99, 0.98]))
    out = bench.open_loop(compensator, signal, jnp.array([9.4e-3, 8.6e-3]), gain=1 / jnp.array([0.99, 0.98]))
    left = bench.rms_ratio(signal["displacement"] - out["x"], signal["displacement"], start=0.5)
    assert np.all(left < 2e-4)


def test_the_command_can_be_batched_over_and_differentiated_by_the_delay():
    samples = np.sin(0.03 * np.arange(30))

    def last(delay):
        return run(ForwardPrediction(delay), samples, 1e-3)[-1]

    delays = jnp.array([8e-3, 9e-3, 10e-3])
    commands, slopes = jax.vmap(jax.value_and_grad(last))(delays)
    assert slopes[1] == pytest.approx(float(commands[2] - commands[0]) / 2e-3, rel=1e-3)  # central difference


def test_the_compensator_is_found_by_kind():
    assert find("forward-prediction") is ForwardPrediction


def test_a_window_too_short_for_the_order_is_rejected():
    with pytest.raises(ParameterError, match="order 4 over 3 samples"):
        ForwardPrediction(9.4e-3, order=4, window=3)


def test_a_negative_delay_is_rejected():
    with pytest.raises(ParameterError, match=r"ForwardPrediction.delay: got -0.001; must be at least 0 s"):
        ForwardPrediction(-1e-3)


def test_the_frequency_response_is_that_of_a_long_sine():
    compensator, w = ForwardPrediction(9.4e-3, gain=0.97), 2 * np.pi * 11.0
    t = 1e-3 * np.arange(2000)
    command = np.asarray(run(compensator, np.sin(w * t), 1e-3))[1000:]
    response = complex(compensator.response(w, 1e-3))
    assert command == pytest.approx(np.abs(response) * np.sin(w * t[1000:] + np.angle(response)), abs=1e-9)


def test_running_is_the_state_after_start_up():
    compensator = ForwardPrediction(1e-3, order=1, window=3)
    _, starting = compensator.step(0.0, 1e-3, compensator.init(), {"displacement": jnp.asarray(1.0)})
    _, running = compensator.step(
        0.0, 1e-3, compensator.state_after_startup(compensator.init()), {"displacement": jnp.asarray(1.0)}
    )
    assert starting["command"] == 1.0
    assert running["command"] == pytest.approx(4.0 / 3.0)  # the newest weight of a line through three samples


def test_a_delay_for_another_number_of_actuators_is_rejected():
    with pytest.raises(ParameterError, match=r"delay: got shape \(2,\) for the interface \(3,\)"):
        ForwardPrediction(jnp.array([9.4e-3, 8.6e-3])).with_sample_time(1e-3, (3,))

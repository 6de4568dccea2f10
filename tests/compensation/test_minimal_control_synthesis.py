"""Minimal control synthesis."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import MinimalControlSynthesis, NoCompensation
from dovetail.transfer import FirstOrderLag

POLE, GAIN = 169.3, 166.5  # [1/s] of the published hydraulic actuator, b/(s + a)
ACTUATOR = FirstOrderLag(1 / POLE, GAIN / POLE)


def test_the_response_converges_to_the_reference_model(bench):
    signal = bench.sweep()
    out = bench.open_loop(
        MinimalControlSynthesis(reference_omega=300.0, alpha=100.0, beta=10.0), signal, actuator=ACTUATOR
    )
    reference = bench.open_loop(NoCompensation(), signal, actuator=FirstOrderLag(1 / 300.0))["x"]
    plain = bench.open_loop(NoCompensation(), signal, actuator=ACTUATOR)["x"]
    before, after = (bench.rms_ratio(reference - x, reference, start=5.0) for x in (plain, out["x"]))
    assert after < 0.25 * before


def test_the_gains_move_towards_those_that_match_the_model(bench):
    out = bench.open_loop(
        MinimalControlSynthesis(reference_omega=300.0, alpha=100.0, beta=10.0),
        bench.sweep(),
        actuator=ACTUATOR,
    )
    matched = (POLE - 300.0) / GAIN, 300.0 / GAIN
    feedback, forward = (np.asarray(out[name]) for name in ("feedback_gain", "forward_gain"))
    # from 0 and 1; more than half of the way after ten seconds
    assert feedback[-500:].mean() < 0.5 * matched[0]
    assert forward[-500:].mean() - 1.0 > 0.5 * (matched[1] - 1.0)


def test_without_adaptation_the_demand_passes():
    compensator = MinimalControlSynthesis(alpha=0.0, beta=0.0)
    u = {"displacement": jnp.asarray(0.02), "measured_displacement": jnp.asarray(0.01)}
    _, out = compensator.step(0.0, 1e-3, compensator.init(), u)
    assert out["command"] == pytest.approx(0.02)


def test_one_step_of_adaptation_is_the_law():
    compensator = MinimalControlSynthesis(alpha=100.0, beta=10.0, length_unit=1.0)
    state = {"demand": 0.3, "reference": 0.2, "feedback": 0.0, "forward": 0.0}
    state = {name: jnp.asarray(value) for name, value in state.items()}
    u = {"displacement": jnp.asarray(0.31), "measured_displacement": jnp.asarray(0.15)}
    _, out = compensator.step(0.0, 1e-3, state, u)
    assert out["feedback_gain"] == pytest.approx((100.0 * 1e-3 + 10.0) * 0.05 * 0.15)
    assert out["forward_gain"] == pytest.approx(1.0 + (100.0 * 1e-3 + 10.0) * 0.05 * 0.3)
    assert out["command"] == pytest.approx(out["feedback_gain"] * 0.15 + out["forward_gain"] * 0.31)


def test_a_leak_forgets_at_its_rate():
    compensator = MinimalControlSynthesis(alpha=0.0, beta=0.0, leak=2.0)
    state = {**compensator.init(), "feedback": jnp.asarray(1.0)}
    u = {"displacement": jnp.asarray(0.0), "measured_displacement": jnp.asarray(0.0)}
    state, _ = compensator.step(0.0, 0.5, state, u)
    assert state["feedback"] == pytest.approx(np.exp(-1.0))


def test_it_can_be_batched_over_and_differentiated(bench):
    signal = bench.sine(4.5, duration=0.3)

    def last(alpha):
        return bench.open_loop(MinimalControlSynthesis(alpha=alpha), signal, actuator=ACTUATOR)["x"][-1]

    values, slopes = jax.jit(jax.vmap(jax.value_and_grad(last)))(jnp.array([9.9, 10.0, 10.1]))
    assert slopes[1] == pytest.approx(float(values[2] - values[0]) / 0.2, rel=1e-3)  # central difference

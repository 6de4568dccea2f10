"""Time histories of delay equations and the growth read from them."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, StepSizeError
from dovetail.stability import DelayEquation, exponentials, growth_rate, integrate

from .systems import K, M, one_mass

DT = 1e-3  # s
WALL = 6 * np.pi  # rad/s, 3 Hz
C = 15.0  # N s/m


def wall(t):
    """Force per mass of a wall that moves by 1 cm at 3 Hz."""
    return jnp.array([0.0, 0.01 * (C * WALL * jnp.cos(WALL * t) + K * jnp.sin(WALL * t)) / M])


def test_hand_solution_of_the_first_two_intervals():
    # x' = -x(t - 1) with x = 1 before: 1 - t, then 1 - t + (t - 1)^2 / 2
    trace = integrate(DelayEquation([[0.0]], [([[-1.0]], 1.0)]), t_end=2.0, dt=0.01, history=[1.0])
    t = np.asarray(trace.time)
    exact = np.where(t <= 1, 1 - t, 1 - t + (t - 1) ** 2 / 2)
    assert np.abs(trace.state[:, 0] - exact).max() < 1e-13  # polynomials below order four are exact


@pytest.mark.parametrize("tau", [7.3e-3, 1.25e-3, 2.6e-3])
def test_the_method_is_of_order_four_with_delays_between_steps(tau):
    # an exact solution with a smooth past: z = sin, by choosing the forcing
    equation, w = one_mass(tau), 20.0

    def exact(t):
        return jnp.array([jnp.sin(w * t), w * jnp.cos(w * t)])

    def forcing(t):
        rate = jnp.array([w * jnp.cos(w * t), -(w**2) * jnp.sin(w * t)])
        return rate - equation.A0 @ exact(t) - equation.As[0] @ exact(t - tau)

    errors = []
    for dt in (1.25e-3, 0.625e-3):
        trace = integrate(equation, forcing, 0.5, dt, history=exact)
        errors.append(float(jnp.abs(trace.state[:, 0] - jnp.sin(w * trace.time)).max()))
    assert 3.7 < np.log2(errors[0] / errors[1]) < 4.3


def test_r14_free_growth_at_seven_milliseconds_is_that_of_the_root():
    trace = integrate(one_mass(7e-3), None, 5.0, DT, history=[0.01, 0.0])
    rate = growth_rate(trace.time[500:], trace.state[500:, 0])
    assert rate == pytest.approx(0.1097, rel=0.05)  # asked for
    assert rate == pytest.approx(one_mass(7e-3).growth(), rel=1e-4)  # reached: order four at this step


def test_r14_forced_test_reproduces_is_bounded_and_grows_at_0_6_and_7_milliseconds():
    last_second = {}
    for tau in (0.0, 6e-3, 7e-3):
        trace = integrate(one_mass(tau), wall, 6.0, DT)
        last_second[tau] = float(jnp.abs(trace.state[-1000:, 0]).max())
    assert last_second[0.0] == pytest.approx(0.01 * 0.6081, rel=1e-3)  # emulated response at 3 Hz
    assert last_second[6e-3] < 1.1 * last_second[0.0]
    exponents, _ = exponentials(trace.time[1000:], trace.state[1000:, 0], 4)
    growing = exponents[np.argmax(exponents.real)]
    assert growing.real == pytest.approx(0.1097, rel=0.05)  # e-fold of 9.1 s
    assert abs(growing.imag) / (2 * np.pi) == pytest.approx(7.1, abs=0.05)
    assert 1 / growing.real == pytest.approx(9.1, rel=0.05)


def test_growth_rate_reads_decay_and_refuses_a_trace_without_peaks():
    t = np.arange(0, 3, 1e-3)
    assert growth_rate(t, np.exp(-0.4 * t) * np.cos(30 * t)) == pytest.approx(-0.4, rel=1e-3)
    with pytest.raises(AnalysisError, match="0 peaks"):
        growth_rate(t, t)


def test_a_step_longer_than_the_shortest_delay_is_rejected_with_the_right_step():
    with pytest.raises(StepSizeError, match=r"at most 0.0005 s"):
        integrate(one_mass(0.5e-3), None, 1.0, 1e-3)

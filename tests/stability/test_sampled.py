"""The sampled loop: poles, and what holding the force costs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.stability import (
    StateSpace,
    critical_delay,
    loop_poles,
    sampled_critical_delay,
    sampled_loop,
    sampled_poles,
)
from dovetail.stability.sampled import one_step

from .systems import K, M, one_mass, one_numerical_mass

DT = 1e-3  # s
BODY, SPRING = one_numerical_mass(), np.array([[-K]])


@pytest.mark.parametrize("method", ["exact", "rk4"])
def test_r44_a_held_force_adds_half_a_sample_of_delay(method):
    found = sampled_critical_delay(BODY, SPRING, dt=DT, up_to=0.02, method=method)
    assert found == pytest.approx(6.27e-3, abs=0.05e-3)
    assert found == pytest.approx(critical_delay(one_mass(DT)) - DT / 2, abs=2e-6)


def test_half_a_sample_of_extrapolation_wins_it_back():
    found = sampled_critical_delay(BODY, SPRING, dt=DT, up_to=0.02, hold="extrapolated")
    assert found == pytest.approx(critical_delay(one_mass(DT)), rel=2e-3)  # second order in w dt remains


def test_the_sampled_limit_tends_to_that_of_the_delay_equation():
    losses = [
        critical_delay(one_mass(DT)) - sampled_critical_delay(BODY, SPRING, dt=dt, up_to=0.01)
        for dt in (1e-3, 0.5e-3)
    ]
    assert losses[0] / losses[1] == pytest.approx(2.0, rel=0.01)


def test_growth_and_frequency_are_those_of_the_delay_equation_half_a_sample_later():
    poles = sampled_poles(BODY, SPRING, tau=6.5e-3, dt=DT)
    roots = one_mass(7e-3).roots(2)
    assert poles.growth == pytest.approx(roots.growth, rel=0.02)
    assert poles.omega == pytest.approx(roots.omega, rel=1e-4)
    assert not poles.stable


def test_a_time_simulation_has_the_poles_predicted():
    tau = 4.3e-3
    matrix = sampled_loop(BODY, SPRING, tau=tau, dt=DT)
    whole, part = 4, 0.3
    Phi, Gamma = one_step(BODY, DT)
    Phi_f, Gamma_f = one_step(BODY, (1 - part) * DT)
    x, F, past = np.array([0.01, 0.0]), 0.0, [0.0] * (whole + 1)
    state = np.concatenate([x, [F, 0.0], past])
    for _ in range(50):  # written out again, as the loop would run it
        between = (BODY.C @ (Phi_f @ x + Gamma_f[:, 0] * F))[0]
        x = Phi @ x + Gamma[:, 0] * F
        past = [between, *past[:-1]]
        F = -K * past[whole]
        state = matrix @ state
    assert state[:2] == pytest.approx(x, rel=1e-10)
    assert state[2] == pytest.approx(F, rel=1e-10)


def test_a_specimen_with_states_that_are_too_fast_to_matter_acts_like_a_spring():
    fast = StateSpace([[-1e5]], [[1e5]], [[-K]], [[0.0]])
    found = sampled_critical_delay(BODY, fast, dt=DT, up_to=0.02)
    assert found == pytest.approx(sampled_critical_delay(BODY, SPRING, dt=DT, up_to=0.02) - 1e-5, abs=1e-6)


def test_a_specimen_with_a_damper_reads_the_velocity_too():
    both = StateSpace(BODY.A, BODY.B, np.eye(2), np.zeros((2, 1)))
    found = sampled_critical_delay(both, np.array([[-K, -3.0]]), dt=0.25e-3, up_to=0.02)
    from dovetail.stability import DelayEquation

    continuous = DelayEquation(BODY.A, [([[0.0, 0.0], [-K / M, -3.0 / M]], 1e-3)])
    assert found == pytest.approx(critical_delay(continuous) - 0.125e-3, abs=5e-6)


def test_loops_unstable_without_delay_and_at_no_delay_are_distinguished():
    assert sampled_critical_delay(BODY, np.array([[9e3]]), dt=DT, up_to=0.01) == 0.0
    stiff_damper = one_numerical_mass(c=120.0)
    assert sampled_critical_delay(stiff_damper, SPRING, dt=DT, up_to=0.02) == np.inf


def test_unknown_options_are_rejected():
    with pytest.raises(ParameterError, match='got "euler"'):
        sampled_loop(BODY, SPRING, tau=0.0, dt=DT, method="euler")
    with pytest.raises(ParameterError, match='got "guessed"'):
        sampled_loop(BODY, SPRING, tau=0.0, dt=DT, hold="guessed")
    with pytest.raises(ParameterError, match="zero or more"):
        sampled_loop(BODY, SPRING, tau=-1e-3, dt=DT)


def shift_loop(state):
    """The loop as a step function with a shift register of six whole samples."""
    Phi, Gamma = (jnp.asarray(x) for x in one_step(BODY, DT))
    x = Phi @ state["x"] + Gamma[:, 0] * state["force"]
    buffer = jnp.concatenate([x[:1], state["buffer"][:-1]])
    return {"x": x, "force": -K * buffer[-1], "buffer": buffer, "count": state["count"] + 1}


REST = {"x": jnp.zeros(2), "force": jnp.zeros(()), "buffer": jnp.zeros(7), "count": jnp.zeros((), int)}


def test_poles_of_a_step_function_are_those_of_the_matrix():
    poles = loop_poles(shift_loop, REST, dt=DT)
    expected = sampled_poles(BODY, SPRING, tau=6e-3, dt=DT)
    assert poles.growth == pytest.approx(expected.growth, rel=1e-9)
    assert poles.omega == pytest.approx(expected.omega, rel=1e-9)


def test_a_ring_buffer_is_read_over_its_period():
    def ring_loop(state):
        Phi, Gamma = (jnp.asarray(x) for x in one_step(BODY, DT))
        x = Phi @ state["x"] + Gamma[:, 0] * state["force"]
        place = (state["place"] + 1) % 7
        buffer = state["buffer"].at[place].set(x[0])
        return {"x": x, "force": -K * buffer[(place + 1) % 7], "buffer": buffer, "place": place}

    start = {"x": jnp.zeros(2), "force": jnp.zeros(()), "buffer": jnp.zeros(7), "place": jnp.zeros((), int)}
    poles = loop_poles(ring_loop, start, dt=DT, steps=7)
    assert poles.growth == pytest.approx(sampled_poles(BODY, SPRING, tau=6e-3, dt=DT).growth, rel=1e-8)


def test_a_test_that_cannot_be_linearised_is_rejected():
    with pytest.raises(AnalysisError, match="no poles"):
        loop_poles(lambda n: n + 1, jnp.zeros((), int))
    with pytest.raises(AnalysisError, match="not finite at this state"):
        loop_poles(lambda x: jnp.sqrt(jnp.abs(x)) + jax.numpy.linalg.norm(x), jnp.zeros(2))
    with pytest.raises(AnalysisError, match="not finite at this state"):  # one entry of four
        loop_poles(lambda x: jnp.stack([jnp.sqrt(x[0]), 0.5 * x[1]]), jnp.array([0.0, 1.0]))

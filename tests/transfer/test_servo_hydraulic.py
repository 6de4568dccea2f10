"""The servo-hydraulic actuator against its block diagram, integrated piece by piece."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer import ServoHydraulic

NOMINAL = ServoHydraulic(
    valve_gain=2.1283e13,
    valve_damping=425.0,
    valve_stiffness=9.9976e4,
    leakage=3.3,
    velocity_feedback=4.2297e6,
    mass=29.13,
    damping=114.2,
    stiffness=1.19e6,
    gain=1.0261,
)


def diagram(part: ServoHydraulic):
    """Valve, oil column and load as separate states, joined as the diagram draws them: A, B, C, D."""
    b1, b2, a1b0 = (float(v) for v in (part.valve_damping, part.valve_stiffness, part.valve_gain))
    a2, a3, g = (float(v) for v in (part.velocity_feedback, part.leakage, part.gain))
    m, c, k = (float(v) for v in (part.mass, part.damping, part.stiffness))
    # states: valve output q and its rate, force f, displacement x, velocity v
    A = np.array(
        [
            [0, 1, 0, 0, 0],
            [-b2, -b1, 0, -a1b0, 0],
            [1, 0, -a3, 0, -a2],
            [0, 0, 0, 0, 1],
            [0, 0, 1 / m, -k / m, -c / m],
        ]
    )
    return A, np.array([[0], [a1b0 * g], [0], [0], [0]]), np.array([[0, 0, 0, 1, 0]]), np.zeros((1, 1))


def test_poles_are_those_of_the_block_diagram():
    judge = np.linalg.eigvals(diagram(NOMINAL)[0])
    np.testing.assert_allclose(
        np.sort_complex(NOMINAL.poles()), np.sort_complex(judge), rtol=1e-6, atol=1e-6 * np.abs(judge).max()
    )


def test_response_is_that_of_the_block_diagram():
    s = 2j * np.pi * np.array([0.1, 1.0, 3.6, 16.0, 60.0])
    A, B, C, _ = diagram(NOMINAL)
    judge = [(C @ np.linalg.solve(v * np.eye(5) - A, B))[0, 0] for v in s]
    np.testing.assert_allclose(NOMINAL.linear()(s), judge, rtol=1e-8)


@pytest.mark.parametrize("hold", ["zoh", "foh"])
def test_steps_are_exact(drive, hold):
    dt, n = 1 / 4096, 2000
    u = np.sin(2 * np.pi * 5.0 * dt * np.arange(1, n + 1))
    part = dataclasses.replace(NOMINAL, hold=hold)
    got = drive(part, u, dt)
    # the same staircase or polygon, through scipy, with samples at 0, dt, ...
    if hold == "foh":
        _, judge, _ = scipy.signal.lsim(diagram(part), np.r_[0.0, u], dt * np.arange(n + 1))
    else:
        _, judge, _ = scipy.signal.lsim(diagram(part), np.r_[u, u[-1]], dt * np.arange(n + 1), interp=False)
    np.testing.assert_allclose(got, judge[1:], atol=1e-9)


def test_slow_motion_has_a_delay_of_25_ms():
    """Published: some 25 ms, mostly the first-order lag of the position loop; gain near one."""
    linear = NOMINAL.linear()
    assert float(linear.low_frequency_delay) == pytest.approx(25.1e-3, rel=0.01)
    assert abs(linear(0j)) == pytest.approx(1.0075, abs=1e-3)


def test_a_stiffer_load_is_followed_less_readily():
    """Control-structure interaction: the load is in the actuator's dynamics."""
    stiff = dataclasses.replace(NOMINAL, stiffness=jnp.asarray(4e6))
    assert float(stiff.linear().low_frequency_delay) > float(NOMINAL.linear().low_frequency_delay)


def test_axes_may_differ(drive):
    both = dataclasses.replace(NOMINAL, leakage=jnp.array([3.3, 5.0]))
    got = drive(both, np.ones((50, 2)), 1 / 4096)
    alone = drive(dataclasses.replace(NOMINAL, leakage=jnp.asarray(5.0)), np.ones(50), 1 / 4096)
    np.testing.assert_allclose(got[:, 1], alone, rtol=1e-9)
    assert both.poles().shape == (2, 5)


def test_an_unstable_position_loop_is_rejected_with_a_remedy():
    with pytest.raises(AnalysisError, match=r"ServoHydraulic: axis 0 is unstable.*lower valve_gain"):
        dataclasses.replace(NOMINAL, valve_gain=jnp.asarray(3e14)).with_sample_time(1e-3)


def test_a_load_without_mass_is_rejected():
    with pytest.raises(ParameterError, match=r"ServoHydraulic\.mass"):
        dataclasses.replace(NOMINAL, mass=jnp.asarray(0.0))

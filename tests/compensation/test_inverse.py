"""Inverse-model compensation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import Cascade, FirstOrderInverse, InverseModel, SecondOrderInverse, make_inverse
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer import LinearTransfer, SecondOrderLag

HYDRAULIC = FirstOrderInverse(a0=169.3, b=166.5)  # [1/s] identified, 0 to 10 Hz
DETUNED = FirstOrderInverse(a0=245.0, b=241.0)


def motion(frequency, duration=2.0, dt=1e-3):
    t = dt * np.arange(round(duration / dt))
    w = 2 * np.pi * frequency
    return t, {
        "displacement": np.sin(w * t),
        "velocity": w * np.cos(w * t),
        "acceleration": -(w**2) * np.sin(w * t),
    }


def run(compensator, inputs, dt=1e-3):
    def tick(state, u):
        state, out = compensator.step(0.0, dt, state, u)
        return state, out["command"]

    inputs = {name: jnp.asarray(value) for name, value in inputs.items()}
    return np.asarray(jax.lax.scan(tick, compensator.init(), inputs)[1])


# [kg, N s/m, N/m] of the two actuators of the published rig, and the delay [ms] of their models at 3 and 5 Hz
@pytest.mark.parametrize(
    ("model", "delays"), [((2.2, 150.8, 13618.0), (11.6, 12.5)), ((2.2, 200.8, 25902.0), (7.9, 8.3))]
)
def test_the_virtual_junction_cancels_its_model(model, delays):
    mass, damping, stiffness = model
    for frequency, delay in zip((3.0, 5.0), delays, strict=True):
        s = 2j * np.pi * frequency
        plant = stiffness / (mass * s**2 + damping * s + stiffness)
        lead = complex(SecondOrderInverse(*model).response(s.imag, 1e-3))
        assert lead * plant == pytest.approx(1.0, abs=1e-12)
        assert 1e3 * np.angle(lead) / s.imag == pytest.approx(delay, abs=0.05)  # printed to a tenth


def test_the_second_order_command_adds_velocity_and_acceleration():
    u = {"displacement": 1.0, "velocity": 2.0, "acceleration": 3.0}
    _, out = SecondOrderInverse(mass=2.0, damping=5.0, stiffness=10.0).step(0.0, 1e-3, (), u)
    assert out["command"] == pytest.approx(1.0 + 1.0 + 0.6)


def test_the_detuned_first_order_inverse_removes_the_published_delay():
    w = 2 * np.pi * 3.5
    residual = complex(DETUNED.response(w, 1e-3)) / complex(HYDRAULIC.response(w, 1e-3))
    assert -1e3 * np.angle(residual) / w == pytest.approx(1.803, abs=5e-4)  # [ms]; 1.8 printed
    assert abs(residual) == pytest.approx(0.9954, abs=5e-5)


def test_the_first_order_command_leads_by_the_actuators_lag():
    t, u = motion(3.5)
    command = run(HYDRAULIC, u)
    lag = np.arctan(2 * np.pi * 3.5 / 169.3) / (2 * np.pi * 3.5)
    assert 1e3 * lag == pytest.approx(5.87, abs=5e-3)  # [ms] printed
    w = 2 * np.pi * 3.5
    gain = np.hypot(w, 169.3) / 166.5
    assert command == pytest.approx(gain * np.sin(w * (t + lag)), abs=1e-12)


def test_an_inverse_model_without_zeros_is_the_explicit_form():
    _, u = motion(5.0)
    explicit = run(SecondOrderInverse(2.2, 150.8, 13618.0), u)
    assert run(InverseModel([13618.0], [2.2, 150.8, 13618.0]), u) == pytest.approx(explicit, abs=1e-12)


def test_a_stable_zero_becomes_a_filter():
    # closed loop of the published velocity-controlled actuator, zero far in the left half-plane
    model = LinearTransfer([0.7068, 5700.0], [1.0, 62.26 + 0.7068, 31.61 + 5700.0])
    inverse = make_inverse(model)
    w = 2 * np.pi * 5.0
    t, u = motion(5.0)
    response = 1.0 / complex(model(1j * w))
    assert complex(inverse.response(w, 1e-3)) == pytest.approx(response, rel=1e-12)
    steady = np.abs(response) * np.sin(w * t + np.angle(response))
    # the acceleration is taken as straight between samples: (w dt)^2 / 12 of the filter's part, which is 0.17
    assert run(inverse, u)[1000:] == pytest.approx(steady[1000:], abs=2e-5)


def test_a_model_with_as_many_zeros_as_poles_is_inverted():
    model = LinearTransfer([0.3, 40.0], [1.0, 50.0])
    w = 2 * np.pi * 5.0
    t, u = motion(5.0)
    response = 1.0 / complex(model(1j * w))
    steady = np.abs(response) * np.sin(w * t + np.angle(response))
    assert run(make_inverse(model), u)[1000:] == pytest.approx(steady[1000:], abs=1e-4)


def test_a_right_half_plane_zero_is_rejected_with_its_value_and_the_remedy():
    with pytest.raises(AnalysisError, match=r"zero at \+117.5 1/s.*unstable.*8.51 ms.*approximate=True"):
        InverseModel([-480.9, 5.651e4], [1.0, 321.8, 5.54e4])
    with pytest.raises(AnalysisError, match=r"zero at \+114.7 1/s"):
        make_inverse(LinearTransfer([-396.8, 4.553e4], [1.0, 294.9, 4.469e4]))


def test_the_remedy_leaves_a_small_phase_error():
    model = LinearTransfer([-180.9, 5.651e4], [1.0, 321.8, 5.54e4])  # 9.0 ms late
    compensator = make_inverse(model, approximate=True)
    assert isinstance(compensator, Cascade)
    w = 2 * np.pi * np.array([1.0, 5.0, 10.0])
    left = np.array([complex(compensator.response(x, 1e-3)) * complex(model(1j * x)) for x in w])
    # tan^-1(x) instead of x at the zero, less up to 5 % that the prediction is short; and the gain that is left
    x = w * 180.9 / 5.651e4
    assert np.angle(left) == pytest.approx(x - np.arctan(x), rel=0.05)
    assert np.abs(left) == pytest.approx(np.sqrt(1 + x**2), rel=1e-4)


def test_the_delay_of_a_model_is_predicted():
    model = LinearTransfer([235.4**2], [1.0, 2 * 0.684 * 235.4, 235.4**2], 3.6e-3)
    compensator = make_inverse(model)
    w = 2 * np.pi * 8.0
    assert complex(compensator.response(w, 1e-3)) * complex(model(1j * w)) == pytest.approx(1.0, abs=2e-3)


def test_three_more_poles_than_zeros_are_rejected():
    with pytest.raises(AnalysisError, match="needs derivative 3"):
        InverseModel([1.0], [1.0, 3.0, 3.0, 1.0])


@pytest.mark.parametrize(("b", "a"), [([1.0, 1.0], [1.0]), ([0.0, 1.0], [1.0, 1.0])])
def test_a_transfer_function_that_is_not_an_actuator_is_rejected(b, a):
    with pytest.raises(ParameterError, match="InverseModel"):
        InverseModel(b, a)


def test_it_can_be_batched_over_and_differentiated():
    u = {"displacement": 1.0, "velocity": 2.0}

    def command(a0):
        return FirstOrderInverse(a0=a0, b=2.0).step(0.0, 1e-3, (), u)[1]["command"]

    assert jax.vmap(jax.grad(command))(jnp.array([100.0, 200.0])) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("zeta", [0.2, 0.684, 1.5])
def test_the_inverse_of_a_frequency_and_a_damping_ratio_cancels_that_lag(zeta):
    lag, w = SecondOrderLag(235.4, zeta).linear(), np.array([3.0, 60.0, 235.4, 900.0])
    left = np.asarray(SecondOrderInverse.from_omega(235.4, zeta).response(w, 1e-3)) * np.asarray(lag(1j * w))
    np.testing.assert_allclose(left, 1.0, rtol=1e-12)

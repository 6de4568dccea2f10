"""Transfer parts as equations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

from dovetail.core import RK4, Flow
from dovetail.core.errors import AnalysisError
from dovetail.transfer import (
    AmplitudeLimit,
    Bias,
    Delay,
    FirstOrderLag,
    Gain,
    Quantiser,
    SecondOrderLag,
    Series,
    TotalDelayLag,
    TransferFunction,
)
from dovetail.transfer.continuous import Follower

LINEAR = {
    "first": FirstOrderLag(3e-3, 0.98),
    "second": SecondOrderLag(235.4, 0.684, 1.02),
    "total delay": TotalDelayLag(8e-3),
    "third": TransferFunction([2e7], [1.0, 900.0, 3e5, 2e7]),
    "with a zero": TransferFunction([100.0, 4e4], [1.0, 300.0, 4e4]),
    "in series": Series((FirstOrderLag(3e-3), Gain(0.9), SecondOrderLag(300.0, 0.7))),
}
W = 90.0  # [rad/s]


def _signal(t):
    """A motion with its rates that begins at rest."""
    return jnp.sin(W * t) - W * t, W * jnp.cos(W * t) - W, -(W**2) * jnp.sin(W * t)


class _Driven(Flow):
    follower: Follower

    def init(self):
        return self.follower.init()

    def derivative(self, t, x, u):
        return self.follower.derivative(t, x, _signal(t))

    def output(self, t, x, u):
        return self.follower.output(t, x, _signal(t))


def _integrated(follower, until, steps):
    method, h, driven = RK4(), until / steps, _Driven(follower)

    def advance(x, k):
        x, _ = method.step(driven, k * h, h, x, None, ())
        return x, driven.output((k + 1) * h, x, None)

    return jax.jit(lambda: jax.lax.scan(advance, driven.init(), jnp.arange(steps)))()


@pytest.mark.parametrize("name", LINEAR)
def test_the_equation_is_that_of_the_transfer_function_and_shows_its_rates(name):
    part = LINEAR[name]
    t = np.linspace(0.0, 0.1, 2001)
    _, (y, v, a) = _integrated(part.continuous_model(), 0.1, 2000)
    linear = part.linear()
    system = (np.ravel(linear.numerator), np.ravel(linear.denominator))
    _, expected, _ = scipy.signal.lsim(system, np.asarray(_signal(jnp.asarray(t))[0]), t)
    # the judge takes the input as straight between 2000 samples: (w h)^2/12 of the motion
    np.testing.assert_allclose(y, expected[1:], atol=3e-5)
    h = t[1]
    np.testing.assert_allclose(v[1:-1], (y[2:] - y[:-2]) / (2 * h), atol=2e-5 * W)
    np.testing.assert_allclose(a[2:-1], ((v[2:] - v[:-2]) / (2 * h))[1:], atol=2e-4 * W**2)


@pytest.mark.parametrize("name", LINEAR)
def test_a_ramp_has_a_steady_state(name):
    follower = LINEAR[name].continuous_model()
    ramp = (jnp.asarray(0.3), jnp.asarray(-2.0), jnp.asarray(0.0))
    x = follower.steady(ramp)
    _, rate, bend = follower.output(0.0, x, ramp)
    gain = LINEAR[name].linear()(0.0).real
    assert float(rate) == pytest.approx(-2.0 * float(np.squeeze(gain)), rel=1e-9)
    assert abs(float(bend)) < 1e-6 * 2.0 * 300.0


@pytest.mark.parametrize("name", LINEAR)
def test_coasting_is_the_step_of_the_part_itself(name):
    part, h = LINEAR[name], 0.013
    follower = part.continuous_model()

    @jax.jit
    def both(start, rate):
        x = follower.coast(0.0, h, follower.steady((start, rate)), start, start + rate * h)
        return x, follower.steady((start + rate * h, rate))

    for got, right in zip(*map(jax.tree.leaves, both(0.3, -2.0)), strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-9, atol=1e-12)


def test_actuators_have_parameters_per_axis():
    part = TransferFunction([[50.0, 80.0]], [[1.0, 1.0], [50.0, 80.0]]).with_sample_time(1e-3, (2,))

    @jax.jit
    def shown(ramp):
        follower = part.continuous_model()
        return follower.output(0.0, follower.steady(ramp), ramp)

    value, rate = shown((jnp.ones(2), jnp.ones(2)))
    np.testing.assert_allclose(value, [1 - 1 / 50, 1 - 1 / 80])
    np.testing.assert_allclose(rate, 1.0)


def test_quantisation_keeps_the_speed_and_saturation_stops_it():
    motion = (jnp.asarray(0.0123), jnp.asarray(2.0), jnp.asarray(-5.0))
    rounded = Quantiser(1e-2).continuous_model().output(0.0, (), motion)
    np.testing.assert_allclose(rounded, (0.01, 2.0, -5.0))
    np.testing.assert_allclose(
        AmplitudeLimit(0.01).continuous_model().output(0.0, (), motion), (0.01, 0.0, 0.0)
    )
    np.testing.assert_allclose(
        Bias(0.1, drift=0.5).continuous_model().output(2.0, (), motion), (0.0123 + 0.1 + 1.0, 2.5, -5.0)
    )


def test_a_part_without_equations_reports_it():
    with pytest.raises(AnalysisError, match='Delay .* use sampling = "rate"'):
        Series((Delay(1e-3),)).continuous_model()

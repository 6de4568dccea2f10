import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Flow, Parameter, parameter
from dovetail.core.errors import ConvergenceError
from dovetail.core.trim import trim


class Arm(Flow):
    """A pendulum held by a torque: steady where g sin q = u."""

    g: Parameter = parameter("1/s^2", "gravity over length", default=10.0)

    def init(self):
        return {"angle": jnp.asarray(0.1), "rate": jnp.asarray(0.0)}

    def derivative(self, t, x, u):
        return {"angle": x["rate"], "rate": u - self.g * jnp.sin(x["angle"]) - 0.1 * x["rate"]}

    def output(self, t, x, u):
        return {"angle": x["angle"]}


class Free(Flow):
    """A mass with drag and no spring: any position is steady, so the Jacobian is singular."""

    def init(self):
        return jnp.array([3.0, 5.0])

    def derivative(self, t, x, u):
        return jnp.stack([x[1], 1.0 - 0.5 * x[1] - 1.0])

    def output(self, t, x, u):
        return x[0]


class Never(Flow):
    """It always grows, or always falls."""

    sign: float = 1.0

    def init(self):
        return jnp.asarray(0.0)

    def derivative(self, t, x, u):
        return self.sign * (1.0 + x**2)

    def output(self, t, x, u):
        return x


def test_the_steady_state_equals_the_closed_form():
    trimmed = trim(Arm(), 5.0)
    np.testing.assert_allclose(trimmed.output["angle"], np.arcsin(0.5), rtol=1e-10)
    np.testing.assert_allclose(trimmed.state["rate"], 0.0, atol=1e-10)
    assert trimmed.residual < 1e-9


@pytest.mark.parametrize("rate", [1e12, -1e12])  # [1/s] rounding leaves a rate of some 1e-4 at the root
def test_the_residual_is_compared_with_the_rate_at_the_guess_whatever_its_sign(rate):
    class Stiff(Flow):
        def init(self):
            return jnp.asarray(100.0)

        def derivative(self, t, x, u):
            return rate * (x**2 - 2.0)

        def output(self, t, x, u):
            return x

    assert float(trim(Stiff()).state) == pytest.approx(np.sqrt(2.0))


def test_a_flow_with_a_singular_jacobian_converges():
    trimmed = trim(Free())
    np.testing.assert_allclose(trimmed.state[1], 0.0, atol=1e-8)
    assert np.isfinite(trimmed.state[0])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_error_without_steady_state_lists_the_solvers(sign):
    with pytest.raises(ConvergenceError) as error:
        trim(Never(sign))
    text = str(error.value)
    assert text.startswith("Never: no steady state found")
    assert "Newton" in text
    assert "LevenbergMarquardt 1" in text
    assert "better guess" in text


def test_derivative_and_batch_of_the_steady_state():
    def angle(u):
        return trim(Arm(), u).output["angle"]

    # d asin(u / 10) / du
    np.testing.assert_allclose(jax.jit(jax.grad(angle))(5.0), 0.1 / np.sqrt(0.75), rtol=1e-9)
    np.testing.assert_allclose(
        jax.jit(jax.vmap(angle))(jnp.array([1.0, 5.0])), np.arcsin([0.1, 0.5]), rtol=1e-10
    )
    assert np.isnan(jax.jit(angle)(20.0))  # more torque than gravity can hold

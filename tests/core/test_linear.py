import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Flow, Parameter, parameter
from dovetail.core.errors import UnknownNameError
from dovetail.core.linear import linearise, modes


class Chain(Flow):
    """Two equal masses and three equal springs, wall to wall: modes at sqrt(k/m) and sqrt(3 k/m)."""

    k: Parameter = parameter("N/m", "stiffness", default=100.0)

    def init(self):
        return {"x": jnp.zeros(2), "v": jnp.zeros(2)}

    def derivative(self, t, s, u):
        x, v = s["x"], s["v"]
        stretch = jnp.stack([2 * x[0] - x[1], 2 * x[1] - x[0]])
        push = jnp.stack([u["force"], 0.0 * u["force"]])
        return {"x": v, "v": -self.k * stretch - self.k * x**3 - 0.5 * v + push}

    def output(self, t, s, u):
        return {"displacement": s["x"][0], "force": u["force"] - self.k * s["x"][0]}


AT_REST = {"force": 0.0}


def test_names_are_in_raveled_order():
    model = linearise(Chain(), u=AT_REST)
    assert model.states == ("v[0]", "v[1]", "x[0]", "x[1]")
    assert model.inputs == ("force",)
    assert model.outputs == ("displacement", "force")
    # outputs: displacement of the first mass, and the force with direct feedthrough
    np.testing.assert_array_equal(model.C, [[0, 0, 1, 0], [0, 0, -100.0, 0]])
    np.testing.assert_array_equal(model.D, [[0.0], [1.0]])


def test_modes_of_a_chain_equal_the_closed_form():
    result = linearise(Chain(), u=AT_REST).modes()
    w = np.array([10.0, 10.0 * np.sqrt(3)])
    np.testing.assert_allclose(result.frequencies, w / (2 * np.pi), rtol=1e-12)
    np.testing.assert_allclose(result.damping, 0.5 / (2 * w), rtol=1e-10)
    first, second = result.shapes[:, 0], result.shapes[:, 1]
    np.testing.assert_allclose(first[2] / first[3], 1.0, atol=1e-10)  # in phase
    np.testing.assert_allclose(second[2] / second[3], -1.0, atol=1e-10)  # in antiphase
    assert result.stable


def test_a_deflected_chain_is_stiffer_by_its_cubic_spring():
    x = {"x": jnp.array([1.0, 1.0]), "v": jnp.zeros(2)}
    w_squared = 100.0 + 3 * 100.0
    result = linearise(Chain(), x, AT_REST).modes()
    np.testing.assert_allclose(result.frequencies[0], np.sqrt(w_squared) / (2 * np.pi), rtol=1e-12)


def test_zero_real_and_growing_eigenvalues():
    result = modes(np.diag([0.0, -2.0, 3.0]))
    np.testing.assert_allclose(result.frequencies, np.array([0, 2, 3]) / (2 * np.pi))
    np.testing.assert_array_equal(result.damping, [np.nan, 1.0, -1.0])
    assert not result.stable


def test_the_frequency_response_equals_the_inverse_dynamic_stiffness():
    model = linearise(Chain(), u=AT_REST)
    w = np.array([0.0, 5.0, 12.0])
    g = model.frequency_response(w, "displacement", "force")
    k = 100.0 * np.array([[2, -1], [-1, 2]])
    exact = [np.linalg.inv(k - s**2 * np.eye(2) + 1j * s * 0.5 * np.eye(2))[0, 0] for s in w]
    np.testing.assert_allclose(g, exact, rtol=1e-12)
    assert model.frequency_response(w).shape == (3, 2, 1)
    assert model.frequency_response(w, "force").shape == (3, 1)


def test_an_unknown_name_lists_the_known_ones():
    model = linearise(Chain(), u=AT_REST)
    with pytest.raises(UnknownNameError, match='no output "displacment"; did you mean "displacement"'):
        model.frequency_response(1.0, "displacment")


def test_a_flow_without_input_and_derivatives_of_the_matrices():
    class Decay(Flow):
        rate: Parameter = parameter("1/s", "rate")

        def init(self):
            return jnp.asarray(1.0)

        def derivative(self, t, x, u):
            return -self.rate * x

        def output(self, t, x, u):
            return x

    assert linearise(Decay(2.0)).B.shape == (1, 0)
    assert linearise(Decay(2.0)).states == ("x",)
    assert float(jax.grad(lambda r: linearise(Decay(r)).A[0, 0])(2.0)) == -1.0

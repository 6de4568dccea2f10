import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Flow, parameter
from dovetail.core.errors import UnknownNameError
from dovetail.core.linear import linearise, modes


class Chain(Flow):
    """Two equal masses and three equal springs, wall to wall: modes at sqrt(k/m) and sqrt(3 k/m)."""

    k: jax.Array = parameter("N/m", "stiffness", default=100.0)

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


def test_names_follow_the_order_of_the_raveled_vectors():
    model = linearise(Chain(), u=AT_REST)
    assert model.states == ("v[0]", "v[1]", "x[0]", "x[1]")
    assert model.inputs == ("force",)
    assert model.outputs == ("displacement", "force")
    # the output picks the displacement of the first mass, the force passes straight through
    np.testing.assert_array_equal(model.C, [[0, 0, 1, 0], [0, 0, -100.0, 0]])
    np.testing.assert_array_equal(model.D, [[0.0], [1.0]])


def test_modes_of_a_chain_are_those_of_the_closed_form():
    found = linearise(Chain(), u=AT_REST).modes()
    w = np.array([10.0, 10.0 * np.sqrt(3)])
    np.testing.assert_allclose(found.frequencies, w / (2 * np.pi), rtol=1e-12)
    np.testing.assert_allclose(found.damping, 0.5 / (2 * w), rtol=1e-10)
    first, second = found.shapes[:, 0], found.shapes[:, 1]
    np.testing.assert_allclose(first[2] / first[3], 1.0, atol=1e-10)  # in phase
    np.testing.assert_allclose(second[2] / second[3], -1.0, atol=1e-10)  # against each other
    assert found.stable


def test_a_deflected_chain_is_stiffer_by_the_slope_of_its_cubic_spring():
    x = {"x": jnp.array([1.0, 1.0]), "v": jnp.zeros(2)}
    w_squared = 100.0 + 3 * 100.0
    found = linearise(Chain(), x, AT_REST).modes()
    np.testing.assert_allclose(found.frequencies[0], np.sqrt(w_squared) / (2 * np.pi), rtol=1e-12)


def test_real_zero_and_growing_eigenvalues_are_told_apart():
    found = modes(np.diag([0.0, -2.0, 3.0]))
    np.testing.assert_allclose(found.frequencies, np.array([0, 2, 3]) / (2 * np.pi))
    np.testing.assert_array_equal(found.damping, [np.nan, 1.0, -1.0])
    assert not found.stable


def test_frequency_response_agrees_with_the_dynamic_stiffness():
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


def test_a_flow_without_input_has_no_columns_and_the_matrices_are_differentiable():
    class Decay(Flow):
        rate: jax.Array = parameter("1/s", "rate")

        def init(self):
            return jnp.asarray(1.0)

        def derivative(self, t, x, u):
            return -self.rate * x

        def output(self, t, x, u):
            return x

    assert linearise(Decay(2.0)).B.shape == (1, 0)
    assert linearise(Decay(2.0)).states == ("x",)
    assert float(jax.grad(lambda r: linearise(Decay(r)).A[0, 0])(2.0)) == -1.0

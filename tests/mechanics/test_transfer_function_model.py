"""Transfer functions as a numerical substructure: the right response at every frequency."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.linear import linearise
from dovetail.mechanics import Oscillator, TransferFunctionModel

M, C, K = 2.2, 15.0, 2250.0
W = np.array([1.0, 18.85, 45.0, 300.0])  # [rad/s]


def responses(model, shape=()):
    """Displacement per force and per excitation (its rate included), at W."""
    u = {name: jnp.zeros(shape) for name in ("excitation", "excitation_rate", "force")}
    linear = linearise(model, model.init(), u)
    force = linear.frequency_response(W, "displacement", "force")
    r = linear.frequency_response(W, "displacement", "excitation")
    return force, r + 1j * W * linear.frequency_response(W, "displacement", "excitation_rate"), linear


def test_responses_are_those_of_the_polynomials():
    model = TransferFunctionModel(denominator=[M, C, K], force=[1.0], excitation=[C, K])
    s = 1j * W
    force, wall, _ = responses(model)
    np.testing.assert_allclose(force, 1 / (M * s**2 + C * s + K), rtol=1e-10)
    np.testing.assert_allclose(wall, (C * s + K) / (M * s**2 + C * s + K), rtol=1e-10)


def test_responses_are_those_of_the_oscillator():
    model = TransferFunctionModel(denominator=[M, C, K], force=[1.0], excitation=[C, K])
    for got, expected in zip(responses(model)[:2], responses(Oscillator(m=M, c=C, k=K))[:2], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-10)


def test_velocity_and_acceleration_are_the_rates_of_the_displacement():
    model = TransferFunctionModel(
        denominator=[1.0, 30.0, 4000.0, 9e4], force=[1.0, 20.0], excitation=[2.0, 7.0, 9.0]
    )
    *_, linear = responses(model)
    s = 1j * W
    for source in ("force", "excitation"):
        z, v, a = (
            linear.frequency_response(W, name, source)
            + (s * linear.frequency_response(W, name, "excitation_rate") if source == "excitation" else 0)
            for name in ("displacement", "velocity", "acceleration")
        )
        np.testing.assert_allclose(v, s * z, rtol=1e-9)
        np.testing.assert_allclose(a, s**2 * z, rtol=1e-9)


def test_coefficients_are_per_axis_or_shared():
    model = TransferFunctionModel(
        denominator=[[1.0, 2.0], [0.5, 0.7], [30.0, 40.0]], force=[1.0], excitation=[[0.5, 0.7], [30.0, 40.0]]
    )
    two = Oscillator(m=[1.0, 2.0], c=[0.5, 0.7], k=[30.0, 40.0])
    u = {"excitation": 0.1, "excitation_rate": jnp.array([0.2, 0.3]), "force": jnp.array([1.0, -2.0])}
    z, v = jnp.array([0.01, 0.02]), jnp.array([0.3, 0.4])
    expected = two.output(0.0, {"z": z, "v": v}, u)
    # observer form: x2 = z' + a1 z - b_r1 r
    x2 = v + jnp.array([0.5, 0.35]) * z - jnp.array([0.5, 0.35]) * 0.1
    got = model.output(0.0, jnp.stack([z, x2]), u)
    assert model.axes == (2,)
    for name in expected:
        np.testing.assert_allclose(got[name], expected[name], rtol=1e-12)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            {"denominator": [1.0, 2.0, 3.0], "force": [1.0, 0.0]},
            "force: order 1; with a denominator of order 2",
        ),
        ({"denominator": [1.0, 2.0], "force": [1.0]}, "must be at most -1"),
        (
            {"denominator": [1.0, 2.0, 3.0], "force": [1.0], "excitation": [1.0, 0.0, 0.0]},
            "excitation: order 2",
        ),
        ({"denominator": [0.0, 2.0, 3.0], "force": [1.0]}, "leading coefficient is 0"),
        ({"denominator": 3.0, "force": [1.0]}, "denominator: got shape"),
        (
            {"denominator": [[1.0] * 2] * 3, "force": [[1.0] * 3]},
            "force: 3 axes",
        ),
    ],
)
def test_a_transfer_function_impossible_for_a_structure_is_rejected(fields, text):
    with pytest.raises(ParameterError, match=text):
        TransferFunctionModel(**fields)

"""Matrices as a numerical substructure: the same motion as the part they were read from."""

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.linear import linearise
from dovetail.mechanics import Oscillator, StateSpaceModel

M, C, K = 2.2, 15.0, 2250.0
ONE = {"A": [[0.0, 1.0], [-K / M, -C / M]], "B": [0.0, 1 / M], "C": [1.0, 0.0]}
ONE |= {"E": [0.0, K / M], "G": [0.0, C / M]}
U = {"excitation": 0.004, "excitation_rate": -0.2, "force": 7.0}


def test_a_state_space_model_of_one_mass_equals_the_oscillator():
    model, oscillator = StateSpaceModel(**ONE), Oscillator(m=M, c=C, k=K)
    shown = model.output(0.0, jnp.array([0.01, 0.3]), U)
    expected = oscillator.output(0.0, {"z": jnp.array(0.01), "v": jnp.array(0.3)}, U)
    for name in ("displacement", "velocity", "acceleration"):
        assert float(shown[name]) == pytest.approx(float(expected[name]), rel=1e-14)


def test_acceleration_is_exact_where_the_excitation_moves_the_interface_at_once():
    """z' = r + v: C E is not zero, and the acceleration needs the rate of the excitation."""
    model = StateSpaceModel(A=[[0.0, 1.0], [-4.0, -1.0]], B=[0.0, 1.0], C=[1.0, 0.0], E=[1.0, 0.0])
    x = jnp.array([0.1, 0.2])

    def velocity(t):  # along the motion: x moves with its rate, r with its own
        u = {"excitation": 0.5 + 3.0 * t, "excitation_rate": 3.0, "force": 0.7}
        start = {**u, "excitation": 0.5}
        return model.output(t, x + t * model.derivative(0.0, x, start), u)["velocity"]

    u = {"excitation": 0.5, "excitation_rate": 3.0, "force": 0.7}
    assert float(model.output(0.0, x, u)["acceleration"]) == pytest.approx(float(jax.jacfwd(velocity)(0.0)))


def test_two_axes_from_the_linearised_oscillators_are_the_oscillators():
    two = Oscillator(m=[1.0, 2.0], c=[0.5, 0.7], k=[30.0, 40.0])
    zero = {name: jnp.zeros(2) for name in U}
    read = linearise(two, two.init(), zero)
    effect = np.asarray(read.B)
    columns = {name: [i for i, n in enumerate(read.inputs) if n.split("[")[0] == name] for name in U}
    shown = [i for i, n in enumerate(read.outputs) if n.startswith("displacement")]
    model = StateSpaceModel(
        A=read.A,
        B=effect[:, columns["force"]],
        C=np.asarray(read.C)[shown],
        E=effect[:, columns["excitation"]],
        G=effect[:, columns["excitation_rate"]],
    )
    u = {"excitation": 0.1, "excitation_rate": jnp.array([0.2, 0.3]), "force": jnp.array([1.0, -2.0])}
    x = {"z": jnp.array([0.01, 0.02]), "v": jnp.array([0.3, 0.4])}
    flat = jax.flatten_util.ravel_pytree(x)[0]
    got, expected = model.output(0.0, flat, u), two.output(0.0, x, u)
    for name in expected:
        np.testing.assert_allclose(got[name], expected[name], rtol=1e-12)


def test_states_start_at_their_initial_values():
    np.testing.assert_array_equal(StateSpaceModel(**ONE, x0=[0.1, 0.2]).init(), [0.1, 0.2])
    np.testing.assert_array_equal(StateSpaceModel(**ONE).init(), [0.0, 0.0])


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"B": [1.0, 0.0]}, "C B is not zero"),
        ({"G": [1.0, 0.0]}, "C G is not zero"),
        ({"C": [1.0, 0.0, 0.0]}, r"StateSpaceModel\.C: got shape \(3,\); must be \(2,\)"),
        ({"A": [[0.0, 1.0]]}, r"StateSpaceModel\.A: got shape \(1, 2\); must be \(2, 2\)"),
        ({"E": 3.0}, r"StateSpaceModel\.E: got 3; expected shape \(2,\), or 0 for none"),
    ],
)
def test_matrices_that_do_not_fit_are_rejected(changes, text):
    with pytest.raises(ParameterError, match=text):
        StateSpaceModel(**{**ONE, **changes})

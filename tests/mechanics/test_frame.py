"""A frame on shaking ground: modes, damping, base excitation, and the share that is taken away."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from scipy.integrate import solve_ivp

from dovetail.core import DormandPrince8, Sampled
from dovetail.core.errors import ParameterError
from dovetail.core.linear import linearise
from dovetail.mechanics import Frame

K = np.array([[2.6e7, -2.3e7, 0.6e7], [-2.3e7, 3.2e7, -1.4e7], [0.6e7, -1.4e7, 0.95e7]])  # [N/m]
MASS = [1000.0, 1100.0, 1200.0]  # [kg]
REST = {"excitation": 0.0, "excitation_rate": 0.0, "force": 0.0}


def frame(**changes) -> Frame:
    return Frame(**{"mass": MASS, "stiffness": K, "damping_ratio": 0.03} | changes)


def test_frequencies_are_those_of_the_eigenvalue_problem():
    frequency, shapes = frame().modes()
    squares, _ = scipy.linalg.eigh(K, np.diag(MASS))
    np.testing.assert_allclose(frequency**2, squares, rtol=1e-9)
    np.testing.assert_allclose(shapes.T @ np.diag(MASS) @ shapes, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("ratio", [0.03, [0.05, 0.03, 0.01]])
def test_every_mode_has_its_damping_ratio(ratio):
    model = linearise(frame(damping_ratio=ratio), u=REST)
    np.testing.assert_allclose(model.modes().damping, np.broadcast_to(ratio, 3), rtol=1e-8)


def test_a_steady_ground_acceleration_bends_the_frame_as_its_static_load():
    still = linearise(frame(), u=REST)
    moved = -np.linalg.solve(np.asarray(still.A), np.asarray(still.B[:, 0]))  # column of the excitation
    np.testing.assert_allclose(moved[3:], -np.linalg.solve(K, MASS), rtol=1e-9)  # states are v, then x


def test_the_coupling_force_is_recovered():
    """Taken away from the frame and put back by a force of mass, damper and spring: the frame undivided."""
    m, c, k = 30.0, 120.0, 1.2e6  # [kg, N s/m, N/m]
    whole, part = frame(), frame(specimen_mass=m, specimen_damping=c, specimen_stiffness=k)
    x = {"x": jnp.array([1e-3, 2e-3, -1e-3]), "v": jnp.array([0.1, -0.2, 0.05])}
    ground = {**REST, "excitation": 1.5}
    a = whole.derivative(0.0, x, ground)["v"]
    force = -(m * a[0] + c * x["v"][0] + k * x["x"][0])
    np.testing.assert_allclose(part.derivative(0.0, x, {**ground, "force": force})["v"], a, rtol=1e-12)


def test_motion_agrees_with_scipy_under_ground_motion_and_force():
    part = frame(specimen_storey=2, specimen_mass=100.0)
    block, dt = Sampled(part, DormandPrince8()), 1e-3
    u = {**REST, "excitation": 2.0, "force": 300.0}
    shown = jax.lax.scan(lambda x, i: block.step(i * dt, dt, x, u), block.init(), jnp.arange(300))[1]
    C = np.asarray(part.damping())
    left = np.diag([1000.0, 1000.0, 1200.0])

    def equation(t, y):
        load = -np.array(MASS) * 2.0 + np.array([0.0, 300.0, 0.0]) - K @ y[:3] - C @ y[3:]
        return np.r_[y[3:], np.linalg.solve(left, load)]

    judge = solve_ivp(equation, (0, 0.3), np.zeros(6), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(shown["storey_displacement"][-1], judge.y[:3, -1], rtol=1e-7)
    assert float(shown["displacement"][-1]) == float(shown["storey_displacement"][-1, 1])


def test_damping_follows_a_change_of_mass_in_a_compiled_program():
    heavier = jax.jit(lambda m: frame(mass=m).damping())(2 * jnp.asarray(MASS))
    np.testing.assert_allclose(heavier, frame(mass=2 * np.asarray(MASS)).damping(), rtol=1e-12)
    np.testing.assert_allclose(heavier, np.sqrt(2) * frame().damping(), rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"stiffness": K + np.triu(K, 1)}, "symmetric"),
        ({"stiffness": -K}, "positive definite"),
        ({"stiffness": K[:2, :2]}, "square matrix"),
        ({"specimen_storey": 4}, "storey 4"),
        ({"specimen_mass": 1000.0}, "below the storey mass of 1000 kg"),
        ({"damping_ratio": [0.1, 0.1]}, "one damping ratio or one per mode"),
    ],
)
def test_an_impossible_frame_is_rejected(change, words):
    with pytest.raises(ParameterError, match=words):
        frame(**change)

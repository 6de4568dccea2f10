"""What holds gear and airframe together, judged by the airframe alone: Newton's law with these forces turned round."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.airframe.dynamics import interface_loads, nodes, strut_forces


def state(aircraft, size):
    """Turned, moving, deformed by `size` [m]."""
    rng = np.random.default_rng(3)
    x = aircraft.init()
    return x | {
        "attitude": jnp.array([0.3]),
        "position": jnp.array([0.0, 3.0]),
        "shape": jnp.asarray(rng.normal(size=x["shape"].shape) * size),
        "speed": jnp.asarray(rng.normal(size=x["speed"].shape)),
    }


@eqx.filter_jit
def cut_free(aircraft, x):
    """Accelerations, interface loads, places and velocities of nodes, forces of struts."""
    rate = aircraft.derivative(0.0, x, None)["speed"]
    rho, V, _ = nodes(aircraft, x)
    deforming = V - aircraft.model.rigid(x["speed"][:3], rho)
    return rate, interface_loads(aircraft, 0.0, x, rate), rho, strut_forces(aircraft, rho, deforming[:, :2])


@eqx.filter_jit
def at_rest(aircraft, x):
    """Interface loads and forces of struts."""
    rho, _, _ = nodes(aircraft, x)
    joints = interface_loads(aircraft, 0.0, x, jnp.zeros_like(x["speed"]))
    return joints, strut_forces(aircraft, rho, jnp.zeros_like(rho))


@pytest.mark.parametrize("joint", ["hinged", pytest.param("fixed", marks=pytest.mark.slow)])
def test_the_airframe_alone_accelerates_by_weight_struts_and_interface_loads(make, joint):
    aircraft = make(2, joint=joint, softer=1e-4)
    x = state(aircraft, 1e-6)  # small: beams are linear, their forces balance about undeformed nodes
    rate, joints, rho, pushes = (np.asarray(a) for a in cut_free(aircraft, x))
    twist = np.asarray(x["speed"][:3])
    g = -9.81 * np.array([np.sin(0.3), np.cos(0.3)])  # in body axes
    force = 50 * g - joints[:, :2].sum(0) - pushes.sum(0)
    v, w = twist[:2], twist[2]
    acceleration = rate[:2] + w * np.array([-v[1], v[0]])
    size = np.abs(joints).max()
    np.testing.assert_allclose(50 * acceleration, force, atol=1e-9 * size)
    moment = -sum(s.mount[0] * f[1] - s.mount[1] * f[0] for s, f in zip(aircraft.struts, pushes, strict=True))
    at = rho[np.array(aircraft.model.interface)]
    moment -= np.sum(at[:, 0] * joints[:, 1] - at[:, 1] * joints[:, 0] + joints[:, 2])
    np.testing.assert_allclose(6.25 * rate[2], moment, atol=1e-4 * size)


def test_a_hinge_passes_no_moment_and_joints_carry_the_airframe_at_rest(rest):
    joints, struts = at_rest(*rest())
    np.testing.assert_array_equal(joints[:, 2], 0.0)
    # each joint and each strut hold half of the airframe up; the joints pull down what the struts push too much
    on_airframe = -np.sum(joints[:, 1]) - sum(f[1] for f in struts)
    assert float(on_airframe) == pytest.approx(50 * 9.81, abs=1e-5)
    assert float(joints[0, 0]) == pytest.approx(-float(joints[1, 0]), abs=1e-6)


def test_the_kept_modes_give_the_static_interface_loads_of_the_full_model(rest):
    loads = [at_rest(*rest(modes))[0] for modes in (0, 4)]
    # what cut shapes would add is the weight of the tubes between nodes: a newton
    np.testing.assert_allclose(loads[1], loads[0], atol=1.0)

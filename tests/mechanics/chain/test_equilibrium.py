"""Chains at rest: closed forms, equilibrium of the moving model, impossible starts."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain import ChainLoads, RodChain
from dovetail.mechanics.chain.equilibrium import hanging_directions, straight_to

G = jnp.array([0.0, 0.0, -9.81])


def test_the_static_shape_is_at_rest_in_the_moving_model():
    chain = RodChain(n=12, length=250.0, mass=80.0, tip_mass=150.0, stiffness=2.5e11, inertia="rod")
    force = jnp.array([8e3, -200.0, 1e3])
    u = hanging_directions(12, 80.0, 150.0, G, force)
    x = chain.rest_state_along(u, G, force)
    node = jnp.zeros((3, 13)).at[:, -1].set(force)
    rate = eqx.filter_jit(chain.derivative)(0.0, x, ChainLoads(field=G, node=node))["rate"]
    # [rad/s^2]: the first rod's lever grows with the stretch of its element, 8 micrometres, which the shape ignores
    assert float(jnp.abs(rate).max()) < 1e-6


def test_drag_on_the_rope_is_in_balance_when_the_iteration_has_arrived():
    def drag(u):
        return 50.0 * jnp.stack([1 - u[0] ** 2, -u[0] * u[1], -u[0] * u[2]])

    u = hanging_directions(10, 30.0, 20.0, G, jnp.array([500.0, 0.0, 0.0]), drag)
    load = 3.0 * np.asarray(G)[:, None] + np.asarray(drag(u))
    below = np.cumsum(load[:, ::-1], 1)[:, ::-1] - 0.5 * load + np.array([[500.0], [0.0], [-20 * 9.81]])
    cross = np.cross(np.asarray(u).T, below.T)
    assert np.abs(cross).max() < 1e-6 * np.abs(below).max()


def test_a_slack_or_unreachable_start_is_rejected():
    np.testing.assert_allclose(straight_to(np.array([3.0, 4.0, 0.0]), 5.0), [0.6, 0.8, 0.0])
    with pytest.raises(ParameterError, match="would be slack at the start"):
        straight_to(np.array([3.0, 0.0, 0.0]), 5.0)
    with pytest.raises(ParameterError, match="cannot reach it"):
        straight_to(np.array([6.0, 0.0, 0.0]), 5.0)

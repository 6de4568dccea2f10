"""The recursion along a chain of rods: one rod is a physical pendulum on a spring."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.chain import ChainLoads, RodChain

G = jnp.array([0.0, 0.0, -9.81])


def test_one_rod_falls_as_a_physical_pendulum():
    rod = RodChain(n=1, length=2.0, mass=3.0, stiffness=2e12)
    rate = eqx.filter_jit(rod.derivative)(0.0, rod.rest_state(0.0, 0.4, 0.0), ChainLoads(field=G))["rate"]
    # m g (l/2) sin(phi) over m l^2 / 3, the element being all but rigid
    assert float(rate[1]) == pytest.approx(-1.5 * 9.81 / 2.0 * np.sin(0.4), rel=1e-9)


def test_a_hanging_rod_bobs_on_its_element():
    rod = RodChain(n=1, length=2.0, mass=3.0, stiffness=1200.0)
    rate = eqx.filter_jit(rod.derivative)(0.0, rod.rest_state(0.1, 0.0, 0.0), ChainLoads(field=G))["rate"]
    assert float(rate[0]) == pytest.approx(9.81 - 600 * 0.1 / 3, rel=1e-12)

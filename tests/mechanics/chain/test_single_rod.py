"""A heavily loaded rope as one rod."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain import ChainLoads, RodChain
from dovetail.mechanics.chain.single_rod import sag, to_single_rod

ROPE = RodChain(
    n=6,
    length=250.0,
    mass=82.0,
    tip_mass=80e3,
    stiffness=6.25e6,
    axial_damping=1.025e6,
    bending=225.0,
    joint_damping=820.0,
)


def loads(n):
    """The stage in tow: drag and the aircraft's acceleration forward, lift that carries the stage."""
    tip = jnp.array([-50e3, 0.0, 80e3 * 9.81])
    return ChainLoads(field=jnp.array([-0.9366, 0.0, -9.81]), node=jnp.zeros((3, n + 1)).at[:, -1].set(tip))


def largest_tension(chain, x):
    u = loads(chain.n)

    def one(x, k):
        x = with_stage_loop(RK4()).step(chain, 0.0, 1e-2, x, u, ())[0]
        return x, x["q"][0]

    return 25e3 * float(jnp.max(jax.jit(lambda x: jax.lax.scan(one, x, jnp.arange(700)))(x)[1]))


@pytest.mark.slow
def test_the_tow_of_a_stage_has_the_same_largest_tension():
    start = ROPE.rest_state(0.0, np.pi / 2, 0.0)
    many, one = largest_tension(ROPE, start), largest_tension(*to_single_rod(ROPE, start))
    assert sag(82.0 * 9.81, 125e3) < 1e-3  # so the rope is straight
    assert one == pytest.approx(many, rel=5e-3)
    assert one == pytest.approx(232.8e3, rel=5e-3)  # [N] of the independent implementation


def test_the_tip_keeps_its_position_and_velocity():
    x = ROPE.rest_state(0.3, jnp.linspace(1.2, 1.3, 6), jnp.linspace(0.1, 0.2, 6))
    x["rate"] = 0.01 * jnp.arange(13.0)
    rod, y = to_single_rod(ROPE, x)
    for new, old in zip(rod.nodes(y).tip, ROPE.nodes(x).tip, strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-12)


def test_no_joint_limits_the_step_of_the_single_rod():
    rod, _ = to_single_rod(ROPE, ROPE.rest_state(0.0, np.pi / 2, 0.0))
    total = 82.0 + 80e3  # [kg]
    axial = np.roots([total, 1.025e6 / 250.0, 6.25e6 / 250.0])
    assert ROPE.fastest_rates()[0] < 0
    np.testing.assert_allclose(
        sorted(rod.fastest_rates(), key=np.imag), [axial[1], 0.0, axial[0]], rtol=1e-12
    )

"""Ropes side by side behind an aircraft settle as each does alone."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import LaggedDevice, PointDevice, TowedLinkBatch, TowedRope, VortexPair
from dovetail.core import RK4
from dovetail.core.errors import ParameterError
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain import LinkChain, LinkChainBatch

DEVICE = PointDevice(mass=150.0, trim="dynamic")
WAKE = VortexPair(deficit=0.1)


def rope(length, mass):
    return LinkChain(n=3, length=length, mass=mass, tip_mass=150.0, bending=200.0, joint_damping=800.0)


def test_a_sweep_is_every_towed_rope():
    ropes = [rope(200.0, 66.0), rope(300.0, 99.0)]
    sweep = TowedLinkBatch(ropes=LinkChainBatch.from_chains(ropes), device=DEVICE, wake=WAKE)

    @jax.jit
    def run(flow):
        def record(x, _):
            x = jax.lax.fori_loop(
                0, 10, lambda i, x: with_stage_loop(RK4()).step(flow, 0.0, 1e-2, x, None, ())[0], x
            )
            return x, flow.output(0.0, x, None)["displacement"]

        return jax.lax.scan(record, flow.init(), None, length=30)[1]

    together = np.asarray(run(sweep))
    alone = np.asarray(run(TowedRope(chain=ropes[1], device=DEVICE, wake=WAKE, density=0.7)))
    assert alone[-1, 2] < -3.0  # [m] it has fallen
    np.testing.assert_allclose(together[..., 1], alone, atol=1e-9)


def test_tensions_are_those_that_the_tips_pull():
    sweep = TowedLinkBatch(ropes=LinkChainBatch.from_chains([rope(200.0, 66.0)]), device=DEVICE)
    x = sweep.init()
    (_, force), shown = eqx.filter_jit(lambda flow, x: (flow.loads(0.0, x), flow.output(0.0, x, None)))(
        sweep, x
    )
    tension = shown["tension"]
    # straight along the stream and at rest: every link carries the drag
    np.testing.assert_allclose(tension[:, 0], -float(force[0, 0]), rtol=1e-12)
    assert -float(force[0, 0]) == pytest.approx(0.5 * 0.7 * 170.0**2 * 0.7909)


def test_a_body_with_its_own_rotation_is_rejected():
    with pytest.raises(ParameterError, match=r"LaggedDevice has internal states.*TowedRope"):
        TowedLinkBatch(ropes=LinkChainBatch.from_chains([rope(200.0, 66.0)]), device=LaggedDevice(mass=150.0))


def test_the_field_is_gravity():
    sweep = TowedLinkBatch(ropes=LinkChainBatch.from_chains([rope(200.0, 66.0)]), device=DEVICE, gravity=1.6)
    np.testing.assert_array_equal(sweep.loads(0.0, sweep.init())[0], jnp.array([0.0, 0.0, -1.6]))

"""Damping found again from a synthetic measurement with noise."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.errors import ParameterError
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain import ChainLoads, RodChain
from dovetail.mechanics.chain.identify import identify

ROPE = RodChain(
    n=1, length=3.0, mass=3.0, stiffness=6000.0, axial_damping=90.0, joint_damping=0.6, bending=1.0
)
TRUE = {"joint_damping": 0.6, "axial_damping": 90.0}
NOISE = 1e-3  # [m]


def measured(values):
    """Tip (x and stretch) of the rope released at 30 degrees, 2 s."""
    chain = dataclasses.replace(ROPE, **values)
    loads = ChainLoads(field=jnp.array([0.0, 0.0, -9.81]))

    def one(x, k):
        x = with_stage_loop(RK4()).step(chain, 0.0, 5e-3, x, loads, ())[0]
        return x, jnp.stack([chain.nodes(x).tip[0][0], x["q"][0]])

    return jax.lax.scan(one, chain.rest_state(0.0, jnp.pi / 6, 0.0), None, length=400)[1]


@pytest.mark.slow
def test_damping_is_found_from_a_noisy_measurement_within_its_stated_error():
    clean = np.asarray(jax.jit(measured)(TRUE))
    record = clean + NOISE * np.random.default_rng(1).normal(size=clean.shape)
    found = identify(measured, record, {"joint_damping": 0.2, "axial_damping": 270.0})
    for name, true in TRUE.items():
        assert abs(found.value[name] / true - 1) < 3.5 * found.relative_error[name]
        assert found.relative_error[name] < 0.05
    assert found.residual == pytest.approx(NOISE, rel=0.05)


def test_a_guess_that_is_not_positive_is_rejected():
    with pytest.raises(ParameterError, match="initial guess of joint_damping"):
        identify(measured, np.zeros(1), {"joint_damping": 0.0})

"""The contract: a flow becomes a block, shapes are fixed at build, batches and derivatives come for free."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Block, Flow, Sampled, parameter
from dovetail.core.errors import ParameterError


class Decay(Flow):
    """x' = -rate x + u."""

    rate: jax.Array = parameter("1/s", "decay rate", above=0.0)

    def init(self):
        return jnp.ones(())

    def derivative(self, t, x, u):
        return -self.rate * x + u

    def output(self, t, x, u):
        return {"x": x, "time": t}


class Remembering(Block):
    """Knows the step it was built for."""

    built_for: tuple = ()

    def sampled_at(self, dt, shape=()):
        return Remembering(built_for=(dt, shape))

    def init(self):
        return ()

    def step(self, t, dt, x, u):
        return (), u


class Holder(Block):
    inner: Block
    several: tuple[Block, ...]
    named: dict[str, Block]

    def init(self):
        return ()

    def step(self, t, dt, x, u):
        return (), u


def test_sampled_flow_follows_its_equation():
    block = Sampled(Decay(rate=2.0), RK4(), substeps=4)
    _x, y = block.step(0.0, 0.1, block.init(), 0.0)
    assert float(y["x"]) == pytest.approx(
        np.exp(-0.2), rel=1.2e-8
    )  # four steps of (rate h)^5/120 = 2.6e-9 each
    assert float(y["time"]) == pytest.approx(0.1)


def test_substeps_are_the_same_as_that_many_steps():
    coarse = Sampled(Decay(rate=2.0), RK4(), substeps=3)
    fine = Sampled(Decay(rate=2.0), RK4())
    _x, y = coarse.step(0.0, 0.3, coarse.init(), 1.0)
    state = fine.init()
    for i in range(3):
        state, z = fine.step(i * 0.1, 0.1, state, 1.0)
    assert float(y["x"]) == pytest.approx(float(z["x"]), rel=1e-14)


def test_sampled_at_reaches_every_part_inside():
    holder = Holder(Remembering(), (Remembering(), Remembering()), {"a": Remembering()})
    sized = holder.sampled_at(1e-3, (2,))
    everything = [sized.inner, *sized.several, *sized.named.values()]
    assert all(part.built_for == (1e-3, (2,)) for part in everything)


def test_sampled_at_leaves_a_part_without_shapes_alone():
    decay = Decay(rate=2.0)
    assert decay.sampled_at(1e-3) is decay


def test_batches_and_derivatives_need_no_further_code():
    def after(rate):
        block = Sampled(Decay(rate=rate), RK4(), substeps=8)
        return block.step(0.0, 0.5, block.init(), 0.0)[1]["x"]

    rates = jnp.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(
        jax.vmap(after)(rates), np.exp(-0.5 * rates), rtol=3e-6
    )  # eight steps of 0.125^5/120
    np.testing.assert_allclose(jax.grad(after)(1.0), -0.5 * np.exp(-0.5), rtol=3e-6)


def test_a_part_checks_its_parameters():
    with pytest.raises(ParameterError, match=r"Decay\.rate: got -1; must be above 0 1/s"):
        Decay(rate=-1.0)

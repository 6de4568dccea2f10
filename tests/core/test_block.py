"""Flows and blocks: sampling, shapes fixed before compilation, batches and derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Block, Flow, Parameter, Sampled, parameter
from dovetail.core.block import repeat, respond
from dovetail.core.errors import ParameterError


class Decay(Flow):
    """x' = -rate x + u."""

    rate: Parameter = parameter("1/s", "decay rate", above=0.0)

    def init(self):
        return jnp.ones(())

    def derivative(self, t, x, u):
        return -self.rate * x + u

    def output(self, t, x, u):
        return {"x": x, "time": t}


class Recorder(Block):
    """Stores the step and shape it was built for."""

    built_for: tuple = ()

    def with_sample_time(self, dt, shape=()):
        return Recorder(built_for=(dt, shape))

    def init(self):
        return ()

    def step(self, t, dt, x, u):
        return (), u


class Holder(Block):
    inner: Block
    several: tuple
    named: dict

    def init(self):
        return ()

    def step(self, t, dt, x, u):
        return (), u


def test_with_sample_time_reaches_every_part_inside():
    holder = Holder(Recorder(), (Recorder(), 3.0, Recorder()), {"a": Recorder(), "gain": 2.0})
    sized = holder.with_sample_time(1e-3, (2,))
    assert (sized.several[1], sized.named["gain"]) == (3.0, 2.0)
    parts = [sized.inner, *sized.several[::2], sized.named["a"]]
    assert all(part.built_for == (1e-3, (2,)) for part in parts)


class Shaped(Holder):
    shape: tuple[int, ...] = ()


def test_with_sample_time_sets_the_shape_and_reaches_the_parts_inside():
    sized = Shaped(Recorder(), (), {}).with_sample_time(1e-3, (3,))
    assert (sized.shape, sized.inner.built_for) == ((3,), (1e-3, (3,)))


def test_with_sample_time_returns_a_part_without_shapes_unchanged():
    decay = Decay(rate=2.0)
    assert decay.with_sample_time(1e-3) is decay


def test_batches_and_derivatives_of_a_block():
    def after(rate):
        block = Sampled(Decay(rate=rate), RK4(), substeps=8)
        return block.step(0.0, 0.5, block.init(), 0.0)[1]["x"]

    rates = jnp.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(
        jax.vmap(after)(rates), np.exp(-0.5 * rates), rtol=3e-6
    )  # eight steps of 0.125^5/120
    np.testing.assert_allclose(jax.grad(after)(1.0), -0.5 * np.exp(-0.5), rtol=3e-6)


def test_a_parameter_outside_its_range_is_rejected():
    with pytest.raises(ParameterError, match=r"Decay\.rate: got -1; must be above 0 1/s"):
        Decay(rate=-1.0)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_repeated_steps_are_numbered_from_zero(count):
    x = 1.0
    for i in range(count):
        x = 0.5 * x + i
    assert float(repeat(lambda x, i: 0.5 * x + i, jnp.array(1.0), count)) == x


def test_a_block_responds_to_a_record_as_step_by_step():
    block, inputs = Sampled(Decay(rate=2.0), RK4()), np.sin(0.3 * np.arange(20))
    outputs = respond(block, 0.1, jnp.asarray(inputs))
    state = block.init()
    for k, u in enumerate(inputs):
        state, output = block.step(k * 0.1, 0.1, state, u)
        assert float(outputs["x"][k]) == pytest.approx(float(output["x"]), rel=1e-13)
        assert float(outputs["time"][k]) == pytest.approx(0.1 * (k + 1))


def test_a_response_to_named_inputs_has_a_derivative_and_a_batch():
    class Gain(Block):
        gain: jax.Array

        def init(self):
            return jnp.zeros(())

        def step(self, t, dt, x, u):
            x = x + dt * self.gain * (u["a"] - u["b"])
            return x, x

    inputs = {"a": jnp.arange(5.0), "b": jnp.ones(5)}

    def last(gain):
        return respond(Gain(gain), 0.5, inputs)[-1]

    assert float(last(2.0)) == pytest.approx(0.5 * 2.0 * 5.0)
    assert float(jax.grad(last)(2.0)) == pytest.approx(2.5)
    np.testing.assert_allclose(jax.vmap(last)(jnp.array([1.0, 3.0])), [2.5, 7.5])

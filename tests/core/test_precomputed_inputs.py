"""Time's own part computed ahead: the same numbers, out of the loop, batched and differentiated."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback

from dovetail.core import precomputed_inputs

NUMBERS = jnp.arange(7, 207)
KEY = jax.random.key(3)


def driven(x, k):
    """A state driven by a sine, its value used twice, and by noise."""
    t = 0.01 * k
    push = jnp.sin(3.0 * t) + 0.1 * jax.random.normal(jax.random.fold_in(KEY, k))
    x = {"place": x["place"] + 0.01 * x["speed"], "speed": 0.99 * x["speed"] + 0.01 * push}
    return x, {"push": push, "place": x["place"], "again": jnp.sin(3.0 * t), "number": k}


START = {"place": jnp.array(0.1), "speed": jnp.array(0.0)}


def alone(x, k):
    """Nothing costly depends on time alone: the sine is the state's."""
    return jnp.sin(x) + 0.01 * k, x


def costly_in_loop(body, state) -> int:
    """Sines inside the loop of the program."""
    program = jax.make_jaxpr(lambda s: precomputed_inputs.scan(body, s, NUMBERS))(state)
    loops = [eqn for eqn in program.jaxpr.eqns if eqn.primitive.name == "scan"]
    assert len(loops) == 1
    return str(loops[0].params["jaxpr"]).count(" sin ")


@pytest.mark.parametrize(("body", "state"), [(driven, START), (alone, jnp.array(0.5))])
def test_the_numbers_are_those_of_a_plain_scan(body, state):
    plain = jax.jit(lambda s: jax.lax.scan(body, s, NUMBERS))(state)
    ours = jax.jit(lambda s: precomputed_inputs.scan(body, s, NUMBERS))(state)
    assert jax.tree.structure(plain) == jax.tree.structure(ours)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15), plain, ours)


def test_values_that_depend_on_time_only_are_computed_outside_the_loop():
    assert costly_in_loop(driven, START) == 0


def test_values_that_depend_on_the_state_are_computed_in_the_loop():
    assert costly_in_loop(alone, jnp.array(0.5)) == 1


def test_a_large_field_is_computed_in_its_tick():
    def wide(x, k):
        return x + jnp.sum(jnp.sin(k * jnp.arange(precomputed_inputs.WIDEST + 1.0)) * x), x

    assert costly_in_loop(wide, jnp.array(0.5)) == 1


def test_callbacks_run_once_per_tick_and_in_order():
    heard = []

    def speaking(x, k):
        x = 0.5 * x + jnp.sin(0.1 * k)
        io_callback(lambda v: heard.append(float(v)), None, x, ordered=True)
        return x, x

    _, records = jax.jit(lambda s: precomputed_inputs.scan(speaking, s, NUMBERS))(jnp.array(0.5))
    jax.effects_barrier()
    np.testing.assert_array_equal(heard, records)


def test_derivatives_are_supported():
    def last(frequency, scan):
        def body(x, k):
            return 0.9 * x + jnp.sin(frequency * k), x

        return scan(body, jnp.array(0.0), NUMBERS)[0]

    ours, plain = (float(jax.grad(last)(0.3, scan)) for scan in (precomputed_inputs.scan, jax.lax.scan))
    assert ours == pytest.approx(plain, rel=1e-12)


def test_a_batch_is_supported():
    def last(frequency, scan):
        return scan(lambda x, k: (0.9 * x + jnp.sin(frequency * k), x), jnp.array(0.0), NUMBERS)[0]

    frequencies = jnp.array([0.1, 0.2, 0.3])
    ours, plain = (
        jax.vmap(lambda f, s=s: last(f, s))(frequencies) for s in (precomputed_inputs.scan, jax.lax.scan)
    )
    np.testing.assert_allclose(ours, plain, rtol=1e-12)


@pytest.mark.parametrize(("body", "state"), [(driven, START), (alone, jnp.array(0.5))])
def test_the_body_is_traced_once(body, state):
    traced = []

    def counted(x, k):
        traced.append(k)
        return body(x, k)

    jax.make_jaxpr(lambda s: precomputed_inputs.scan(counted, s, NUMBERS))(state)
    assert len(traced) == 1

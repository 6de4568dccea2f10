"""Work in a loop of one turn gives the same, and the compiler does not undo the loop."""

import jax
import jax.numpy as jnp

from dovetail.links.single_thread import one_function


def test_the_result_is_unchanged_and_the_loop_is_kept():
    def work(x):
        return {"a": jnp.sin(x) * 2, "b": (x > 0).astype(int), "c": 1.0}

    whole = jax.jit(lambda x, one: one_function(lambda: work(x), one))
    x, one = jnp.arange(3.0), jnp.ones((), dtype=int)
    got = whole(x, one)
    assert got["a"].tolist() == work(x)["a"].tolist()
    assert got["b"].tolist() == [0, 1, 1]
    assert float(got["c"]) == 1.0
    assert " while(" in whole.lower(x, one).compile().as_text()

"""Work of a tick in one compiled function, on one thread.

XLA dispatches every operation of a loop with external calls separately, and runs some in threads of its pool. These
have no real-time priority, so the kernel may delay a tick by tens of milliseconds. A loop without external calls is
compiled as one function. Therefore the work between two calls is a loop with one iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp

T = TypeVar("T")


def one_function(work: Callable[[], T], one: jax.Array) -> T:
    """Return the result of `work()`; `one` is 1, but unknown to the compiler, which would remove the loop otherwise."""
    shapes = jax.eval_shape(work)
    start = jax.tree.map(lambda of: jnp.zeros(of.shape, of.dtype), shapes)

    def iteration(carry: tuple[jax.Array, T]) -> tuple[jax.Array, T]:
        result = jax.tree.map(lambda v, of: jax.lax.convert_element_type(v, of.dtype), work(), shapes)
        return carry[0] + 1, result

    first = (jnp.zeros((), dtype=int), start)
    return jax.lax.while_loop(lambda carry: carry[0] < one, iteration, first)[1]

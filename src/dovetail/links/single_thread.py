"""Compile the work of a tick into one function that runs on one thread.

The CPU runtime of XLA dispatches each operation of a loop with external calls separately, and passes some of them to
threads of its pool. These have no real-time priority, so a tick may wait tens of milliseconds for such a thread. A loop
without external calls is compiled as one function. Therefore the work between two calls is put into a loop with one
iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp


def as_single_function(work: Callable[[], Any], one: jax.Array) -> Any:
    """Return the result of `work()`; `one` is 1, but not a constant for the compiler, which would remove the loop."""
    shapes = jax.eval_shape(work)
    start = jax.tree.map(lambda of: jnp.zeros(of.shape, of.dtype), shapes)

    def turn(carry):
        result = jax.tree.map(lambda v, of: jax.lax.convert_element_type(v, of.dtype), work(), shapes)
        return carry[0] + 1, result

    return jax.lax.while_loop(lambda carry: carry[0] < one, turn, (jnp.zeros((), dtype=int), start))[1]

"""Keep the work of a tick in one compiled function, on one thread.

XLA's CPU runtime dispatches every operation of a loop that calls out separately, and hands some to threads of
its pool, which have no real-time priority: a tick then waits for a thread that the kernel may not run for tens
of milliseconds. A loop that calls nothing is compiled as one function instead; so the work between two calls is
put into a loop of one turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp


def as_one(work: Callable[[], Any], one: jax.Array) -> Any:
    """The result of `work()`; `one` is 1, but so that the compiler cannot know it (else the loop is undone)."""
    shapes = jax.eval_shape(work)
    start = jax.tree.map(lambda of: jnp.zeros(of.shape, of.dtype), shapes)

    def turn(carry):
        result = jax.tree.map(lambda v, of: jax.lax.convert_element_type(v, of.dtype), work(), shapes)
        return carry[0] + 1, result

    return jax.lax.while_loop(lambda carry: carry[0] < one, turn, (jnp.zeros((), dtype=int), start))[1]

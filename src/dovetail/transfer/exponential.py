r"""Exponential of a small matrix, in a form that compiles fast and is accurate for small norms.

Scaling and squaring on :math:`E = e^X - 1`, [Higham 2008, ch. 10]: with :math:`X/2^{16}` small, E comes
from its Taylor series and is doubled sixteen times by :math:`E \leftarrow 2E + E^2`. Without the identity in E, the
squarings lose no digits of a small X. The number of squarings is fixed, so there is one short loop and no branch. A
general routine takes a second to compile, mostly for matrix sizes that do not occur here.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

_SQUARINGS = 16
_MAX_NORM = 2.0**14  # the scaled matrix is below 1/4, and twelve terms have a remainder of 1e-17


def expm(x: Float[Array, "n n"]) -> Float[Array, "n n"]:
    """Return the exponential of a square matrix; NaN if its norm exceeds 16384."""
    n = x.shape[0]
    identity = jnp.eye(n)
    norm = jnp.max(jnp.sum(jnp.abs(jax.lax.stop_gradient(x)), axis=0), initial=0.0)
    small = jnp.where(norm > _MAX_NORM, jnp.nan, x) / 2**_SQUARINGS
    series = identity
    for k in range(12, 1, -1):
        series = identity + small @ series / k
    e = small @ series
    e = jax.lax.fori_loop(0, _SQUARINGS, lambda _, e: 2 * e + e @ e, e)
    result: jax.Array = identity + e
    return result

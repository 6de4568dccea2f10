r"""Vectorised arctangent.

XLA's CPU compiler calls the system function once for each value, which is slow for the elements of a rotor. This
version uses additions and products only, which the processor computes for several values at a time. Identities such as
:math:`\tan^{-1} x = \tfrac\pi4 + \tan^{-1}\frac{x-1}{x+1}` reduce every argument to
:math:`|x| \le \tan\tfrac\pi8`, where twenty terms of the series :math:`x - x^3/3 + x^5/5 - \dots` suffice.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

TERMS = 20  # the first omitted term is tan(pi/8)^40 / 41 = 1e-17 of the result
NEAR, FAR = np.tan(np.pi / 8), np.tan(3 * np.pi / 8)


def arctan(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """Return the arctangent [rad], exact to a few units in the last place; differentiable."""
    size = jnp.abs(x)
    far, middle = size > FAR, size > NEAR
    numerator = jnp.where(far, -1.0, jnp.where(middle, size - 1.0, size))
    denominator = jnp.where(far, size, jnp.where(middle, size + 1.0, 1.0))
    reduced = numerator / denominator
    start = jnp.where(far, jnp.pi / 2, jnp.where(middle, jnp.pi / 4, 0.0))
    square = reduced * reduced
    ratio = jnp.zeros_like(square)
    for k in reversed(range(TERMS)):
        ratio = ratio * square + (-1) ** k / (2 * k + 1)
    return jnp.where(x < 0, -1.0, 1.0) * (start + reduced * ratio)

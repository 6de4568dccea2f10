r"""The arctangent of many values at once.

XLA's CPU compiler calls the system's function for every single value, which is slow for the elements of a rotor. Here
it is additions and products, which the processor does for several values at a time. With
:math:`\tan^{-1} x = \tfrac\pi4 + \tan^{-1}\frac{x-1}{x+1}` and its like every argument comes down to
:math:`|x| \le \tan\tfrac\pi8`, and the series :math:`x - x^3/3 + x^5/5 - \dots` ends after twenty terms.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

TERMS = 20  # the first that is left out is tan(pi/8)^40 / 41 = 1e-17 of the result
NEAR, FAR = np.tan(np.pi / 8), np.tan(3 * np.pi / 8)


def arctan(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """Arctangent [rad], to a few units in the last place; differentiable."""
    size = jnp.abs(x)
    far, middle = size > FAR, size > NEAR
    above = jnp.where(far, -1.0, jnp.where(middle, size - 1.0, size))
    below = jnp.where(far, size, jnp.where(middle, size + 1.0, 1.0))
    rest = above / below
    start = jnp.where(far, jnp.pi / 2, jnp.where(middle, jnp.pi / 4, 0.0))
    square = rest * rest
    ratio = jnp.zeros_like(square)
    for k in reversed(range(TERMS)):
        ratio = ratio * square + (-1) ** k / (2 * k + 1)
    return jnp.where(x < 0, -1.0, 1.0) * (start + rest * ratio)

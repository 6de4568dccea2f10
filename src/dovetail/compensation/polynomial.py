r"""Least-squares polynomial extrapolation of a sampled signal.

A polynomial of order N is fitted to the newest n samples and evaluated P samples ahead. The result is a
weighted sum of the samples, and the weights depend on N, n and P only, not on the sample time:

.. math:: z_p = \sum_{i=0}^{n-1} w_i(P)\, z_i , \qquad
          w(P) = \ell(s_P)\, V^{+}, \qquad V_{ik} = L_k(s_i)

with :math:`z_0` the newest sample, :math:`L_k` the Legendre polynomials and
:math:`s = 1 + 2P/(n-1)` the time scaled so that the window covers [-1, 1]. The pseudo-inverse
:math:`V^{+}` is constant; only the row :math:`\ell(s_P)` changes with the horizon, so a prediction costs
n (N + 1) multiplications [1]_.

The scaling is necessary: powers of the sample number give a matrix so badly conditioned that a default pseudo-inverse
silently discards part of the fit. For N = 8, n = 9 the useful horizon of a 5 Hz signal at 1 kHz would then appear to be
36 samples instead of 98.

References
----------
.. [1] Wallace, "Real-time dynamic substructuring for mechanical and aerospace applications: control
   techniques and experimental methods", PhD thesis, University of Bristol, 2006, section 4.3.2.
"""

from __future__ import annotations

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from dovetail.core.errors import ParameterError

MAX_CONDITION = 1e8  # of the fit; half the digits of float64 remain


def predictor_weights(order: int, window: int, horizon: ArrayLike) -> jax.Array:
    """Return the weights of the newest `window` samples that predict `horizon` samples ahead, newest first.

    Parameters
    ----------
    order, window : int
        Order N of the polynomial and number n of fitted samples, n >= N + 1.
    horizon : array
        Horizon in samples, any real number: zero smooths, negative values interpolate in the past. May be traced. An
        array gives one set of weights per entry.

    Returns
    -------
    array
        Weights, shape `(window, *horizon.shape)`, with sum 1.

    Examples
    --------
    >>> [round(float(w), 12) for w in predictor_weights(2, 3, 1.0)]
    [3.0, -3.0, 1.0]
    """
    weights: jax.Array = _weights(order, fit_matrix(order, window), horizon)
    return weights


@partial(jax.jit, static_argnums=0, inline=True)
def _weights(order: int, fit: np.ndarray, horizon: ArrayLike) -> jax.Array:
    s = 1.0 + 2.0 * jnp.asarray(horizon, dtype=float) / max(fit.shape[1] - 1, 1)
    return jnp.einsum("kn,k...->n...", fit, _legendre(order, s))


def filter_response(weights: jax.Array, omega: ArrayLike, dt: float) -> jax.Array:
    """Return the complex gain of a weighted sum of past samples for a sine of `omega` [rad/s] sampled every `dt` [s].

    The first axis of `weights` is the sample, newest first. The result has the shape of `omega` followed by the other
    axes of `weights`.
    """
    age = jnp.arange(weights.shape[0]) * dt
    return jnp.tensordot(jnp.exp(-1j * jnp.asarray(omega, dtype=float)[..., None] * age), weights, axes=1)


def _legendre(order: int, s: jax.Array) -> jax.Array:
    """Return the Legendre polynomials of degree 0 to `order` at s, stacked along a new first axis."""
    rows = [jnp.ones_like(s), s]
    for k in range(1, order):
        rows.append(((2 * k + 1) * s * rows[k] - k * rows[k - 1]) / (k + 1))
    return jnp.stack(rows[: order + 1])


@cache
def fit_matrix(order: int, window: int) -> np.ndarray:
    """Return the constant matrix from samples to Legendre coefficients, shape (order + 1, window)."""
    if order < 0 or window < order + 1:
        raise ParameterError(
            f"got a polynomial of order {order} over {window} sample{'s' if window != 1 else ''}; expected an order of "
            f"at least 0 and a window of at least order + 1 = {order + 1} samples"
        )
    s = 1.0 - 2.0 * np.arange(window) / max(window - 1, 1)
    q, r = np.linalg.qr(np.polynomial.legendre.legvander(s, order))
    condition = np.linalg.cond(r)
    if condition > MAX_CONDITION:
        raise ParameterError(
            f"got a polynomial of order {order} over {window} samples; the condition number of its fit is "
            f"{condition:.1e}, above {MAX_CONDITION:.0e}: lower the order (8 is a practical limit) or "
            "widen the window"
        )
    fit = np.linalg.solve(r, q.T)
    fit.setflags(write=False)  # cached and shared
    return fit

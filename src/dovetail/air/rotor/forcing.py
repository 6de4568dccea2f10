r"""Periodic forcing of a rotor blade as a Fourier series in azimuth.

A rotor code in trim gives each modal forcing as harmonics of one revolution. Each mode has 1 + 2H coefficients, in the
order of the source [Wallace 2006, app. B]:

.. math:: f_i(\psi) = c_{i,0} - \sum_{j=1}^{H} \bigl(c_{i,2j-1}\cos j\psi + c_{i,2j}\sin j\psi\bigr)

The minus signs are those of the rotor code.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.core.errors import ParameterError


def fourier_series(coefficients: jax.Array, azimuth: ArrayLike) -> jax.Array:
    """Forcing of each mode at an azimuth [rad], (...), from coefficients (..., 1 + 2H)."""
    harmonics = jnp.arange(1, coefficients.shape[-1] // 2 + 1)
    angle = harmonics * jnp.asarray(azimuth)[..., None]
    waves = jnp.stack([jnp.cos(angle), jnp.sin(angle)], axis=-1).reshape(*angle.shape[:-1], -1)
    return coefficients[..., 0] - jnp.sum(coefficients[..., 1:] * waves, axis=-1)


def fourier_coefficients(revolution: ArrayLike, harmonics: int = 8) -> jax.Array:
    """Fourier coefficients of one revolution, sampled at equally spaced azimuths from 0, along the last axis.

    >>> psi = 2 * jnp.pi * jnp.arange(64) / 64
    >>> fourier_coefficients(3.0 - 2.0 * jnp.cos(psi) + jnp.sin(2 * psi), harmonics=2).round(12).tolist()
    [3.0, 2.0, 0.0, 0.0, -1.0]
    """
    samples = jnp.asarray(revolution, dtype=float)
    n = samples.shape[-1]
    if n <= 2 * harmonics:
        raise ParameterError(
            f"fourier_coefficients: got {n} samples per revolution for {harmonics} harmonics; expected at least "
            f"{2 * harmonics + 1}"
        )
    lines = jnp.fft.rfft(samples, axis=-1) / n
    waves = jnp.stack([-2.0 * lines.real, 2.0 * lines.imag], axis=-1)[..., 1 : harmonics + 1, :]
    return jnp.concatenate([lines[..., :1].real, waves.reshape(*samples.shape[:-1], -1)], axis=-1) + 0.0

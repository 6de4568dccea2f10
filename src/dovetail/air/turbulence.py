r"""Turbulence with the Dryden spectra, as a sum of waves with random phases.

One-sided spectra over the spatial frequency :math:`\Omega` [rad/m]:

.. math::

    \Phi_u = \sigma_u^2 \frac{2 L_u}{\pi}\frac{1}{1+(L_u\Omega)^2}, \qquad
    \Phi_w = \sigma_w^2 \frac{L_w}{\pi}\frac{1+3(L_w\Omega)^2}{(1+(L_w\Omega)^2)^2}

Cut to the band of its waves, a field of short scale would lose much of its energy (0.69 of the deviation is left at
5 m): the waves of each axis are scaled so that the deviation is the `intensity`.

The field is frozen and blows past: at a place x and time t the wave has the phase :math:`\Omega(Vt - x)`. Being
a function of time it serves fixed-step and adaptive integration alike, and the same seed gives the same gusts
at any step. Source: [MIL-HDBK-1797, app. A].
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, count, kind, parameter
from dovetail.core.randomness import Random


class Turbulence(Part):
    """Gust velocity at places downstream, in time."""

    @abstractmethod
    def at(self, t: jax.Array, x: jax.Array, speed: jax.Array) -> jax.Array:
        """Gust (3, n) [m/s] at distances x (n,) [m] downstream, in a stream of `speed` [m/s]."""


@kind("still-air")
class StillAir(Turbulence):
    """No gusts."""

    def at(self, t, x, speed):
        return jnp.zeros((3, *jnp.shape(x)))


@kind("dryden")
class Dryden(Turbulence, Random):
    """Gusts with the Dryden spectra; same everywhere across the stream."""

    intensity: jax.Array = parameter("m/s", "standard deviation, one or (x, y, z)", default=1.0, at_least=0.0)
    scale: jax.Array = parameter("m", "length scale, one or (x, y, z)", default=533.0, above=0.0)
    waves: int = count("number of waves", default=64, at_least=1)
    lowest: jax.Array = parameter("rad/m", "lowest spatial frequency", default=1e-4, above=0.0)
    highest: jax.Array = parameter("rad/m", "highest spatial frequency", default=0.3, above=0.0)

    def at(self, t, x, speed):
        edges = jnp.geomspace(self.lowest, self.highest, self.waves + 1)
        omega = jnp.sqrt(edges[1:] * edges[:-1])
        phase = jax.random.uniform(self.drawn(0), (3, self.waves), maxval=2 * jnp.pi)
        sigma, scale = jnp.broadcast_to(self.intensity, 3), jnp.broadcast_to(self.scale, 3)
        energy = spectrum(omega, jnp.ones((3, 1)), scale[:, None]) * jnp.diff(edges)
        size = sigma[:, None] * jnp.sqrt(2 * energy / jnp.sum(energy, axis=1, keepdims=True))
        angle = omega[:, None] * (speed * t - jnp.asarray(x))
        # cos(a + p) by products, so that the large angle is not formed for each axis
        return (size * jnp.cos(phase)) @ jnp.cos(angle) - (size * jnp.sin(phase)) @ jnp.sin(angle)


def spectrum(omega: jax.Array, sigma: jax.Array, scale: jax.Array) -> jax.Array:
    """One-sided spectra (3, waves) [m^3/s^2] of the gust along x, and across along y and z."""
    a = (scale * omega) ** 2
    along = sigma**2 * 2 * scale / jnp.pi / (1 + a)
    across = sigma**2 * scale / jnp.pi * (1 + 3 * a) / (1 + a) ** 2
    return jnp.concatenate([along[:1], across[1:]])

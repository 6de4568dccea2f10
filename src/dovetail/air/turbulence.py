r"""Turbulence with Dryden spectra: a sum of waves with random phases.

One-sided spectra over the spatial frequency :math:`\Omega` [rad/m]:

.. math::

    \Phi_u = \sigma_u^2 \frac{2 L_u}{\pi}\frac{1}{1+(L_u\Omega)^2}, \qquad
    \Phi_w = \sigma_w^2 \frac{L_w}{\pi}\frac{1+3(L_w\Omega)^2}{(1+(L_w\Omega)^2)^2}

The waves cover at least the band from :math:`0.05/L` to :math:`50/L` of every scale, which holds 95 % of the variance,
and follow the spectra there within the width of a wave. The rest is added in proportion: the standard deviation of each
axis is `intensity`.

The field is frozen and moves with the stream, against x: at position x and time t a wave has the phase
:math:`\Omega(Vt + x)`. As a function of time it works with fixed-step and adaptive integration, and the same seed
gives the same gusts at any step. `GustyWind` is a mean wind that carries such a field past a deck. Source:
[MIL-HDBK-1797, app. A].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.wind import FreeStream, WindField, broadcast_velocity
from dovetail.core import Parameter, count, kind, parameter
from dovetail.core.random import Random

BAND = (0.05, 50.0)  # smallest band of the waves, times the scale


@kind("dryden")
class Dryden(WindField, Random):
    """Gusts with Dryden spectra, uniform across the stream."""

    intensity: Parameter = parameter("m/s", "standard deviation, one or (x, y, z)", default=1.0, at_least=0.0)
    scale: Parameter = parameter("m", "length scale, one or (x, y, z)", default=533.0, above=0.0)
    wave_count: int = count("number of waves", default=64, at_least=1)
    min_wavenumber: Parameter = parameter(
        "rad/m", "lowest spatial frequency; at most 0.05 over the scale", default=1e-4, above=0.0
    )
    max_wavenumber: Parameter = parameter(
        "rad/m", "highest spatial frequency; at least 50 over the scale", default=0.3, above=0.0
    )

    needs_stream = True

    def velocity(self, t, r, stream=None):
        low = jnp.minimum(self.min_wavenumber, BAND[0] / jnp.max(self.scale))
        high = jnp.maximum(self.max_wavenumber, BAND[1] / jnp.min(self.scale))
        edges = jnp.geomspace(low, high, self.wave_count + 1)
        omega = jnp.sqrt(edges[1:] * edges[:-1])
        phase = jax.random.uniform(self.draw_key(0), (3, self.wave_count), maxval=2 * jnp.pi)
        sigma, scale = jnp.broadcast_to(self.intensity, 3), jnp.broadcast_to(self.scale, 3)
        energy = spectrum(omega, jnp.ones((3, 1)), scale[:, None]) * jnp.diff(edges)
        size = sigma[:, None] * jnp.sqrt(2 * energy / jnp.sum(energy, axis=1, keepdims=True))
        angle = omega[:, None] * (stream.speed * t + jnp.ravel(r[0]))
        # cos(a + p) from products, so the large array of angles is not formed for each axis
        gust = (size * jnp.cos(phase)) @ jnp.cos(angle) - (size * jnp.sin(phase)) @ jnp.sin(angle)
        return jnp.reshape(gust, jnp.shape(r))


def spectrum(omega: jax.Array, sigma: jax.Array, scale: jax.Array) -> jax.Array:
    """One-sided spectra (3, waves) [m^3/s^2] of the gust: longitudinal for x, lateral for y and z."""
    a = (scale * omega) ** 2
    along = sigma**2 * 2 * scale / jnp.pi / (1 + a)
    across = sigma**2 * scale / jnp.pi * (1 + 3 * a) / (1 + a) ** 2
    return jnp.concatenate([along[:1], across[1:]])


@kind("gusty-wind")
class GustyWind(WindField):
    """Mean wind that carries frozen Dryden gusts past the deck.

    The gust component along the wind has the longitudinal spectrum, the two across it the lateral one. The mean wind
    must not be zero, because the gusts are carried by it.
    """

    wind: Parameter = parameter("m/s", "mean velocity of the air, (3,), not all zero")
    gusts: Dryden = Dryden(intensity=1.0, scale=50.0, min_wavenumber=1e-3, max_wavenumber=1.0)

    def velocity(self, t, r, stream=None):
        speed = jnp.sqrt(jnp.sum(self.wind**2) + 1e-12)
        along = self.wind / speed
        level = jnp.stack([-along[1], along[0], jnp.zeros(())])
        level = level / jnp.sqrt(jnp.sum(level**2) + 1e-24)
        axes = jnp.stack([along, level, jnp.cross(along, level)])
        upstream = -jnp.tensordot(axes, r, 1)  # the stream flows against the x axis of the gusts
        gust = self.gusts.velocity(t, upstream, FreeStream(speed, jnp.ones(())))
        return broadcast_velocity(self.wind, r) + jnp.tensordot(axes.T, gust, 1)

r"""Deck motion in irregular waves from a spectrum, a ship's response and a seed.

The sea is a sum of waves of random phase. The frequency band is divided into `wave_count` parts with one wave in each,
at a random frequency within its part so that the record does not repeat. Wave i has the amplitude
:math:`a_i = c\sqrt{2 S(\omega_i)\,\Delta\omega_i}`. Its direction is that of the sea plus, with spreading, a random
angle distributed as :math:`\cos^{n}`. The factor c gives the significant height of the spectrum for any band. The mean
zero-crossing period requires a wide band: cut at x times the peak frequency it is longer by :math:`1/(1.6 x^2)`, 0.25 %
at 16 and 4 % at 4. The ship responds to each wave at its encounter frequency:

.. math:: q_j(t) = \mathrm{Re}\sum_i a_i\,H_j(\omega_i, \beta_i, U)\,e^{i(\omega_{e,i}t + \varepsilon_i)}

Height, period, heading and speed are ordinary parameters. A batch over them uses one seed, so its points differ in
these parameters only.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, count, kind, parameter
from dovetail.core.interpolation import fade_in_factor
from dovetail.core.random import Random
from dovetail.mechanics.motion import FrameMotion
from dovetail.sea.response import G, ShipResponse, WaveFollower, encounter_omega
from dovetail.sea.spectrum import WaveSpectrum


@kind("seaway")
class Seaway(FrameMotion, Random):
    """Ship in irregular waves. The motion has no end time and is reproducible for each seed."""

    spectrum: WaveSpectrum
    response: ShipResponse = WaveFollower()
    heading: Parameter = parameter("rad", "direction of the waves from the course, to port", default=jnp.pi)
    speed: Parameter = parameter("m/s", "speed of the ship", default=0.0, at_least=0.0)
    spreading: Parameter = parameter(
        "1", "power n of the cosine; 0: all waves in one direction", default=0.0, at_least=0.0
    )
    wave_count: int = count("number of waves", default=128, at_least=1)
    min_frequency_ratio: Parameter = parameter(
        "1", "lower end of the band, as a ratio to the peak frequency", default=0.5, above=0.0
    )
    max_frequency_ratio: Parameter = parameter(
        "1", "upper end of the band, as a ratio to the peak frequency", default=16.0, above=0.0
    )
    fade_in_time: Parameter = parameter("s", "time over which the motion fades in", default=0.0, at_least=0.0)

    def components(self) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
        """Frequencies [rad/s], amplitudes [m], directions [rad] and phases [rad] of the waves, each (waves,)."""
        fractions, phases, direction_fractions = jax.random.uniform(self.draw_key(0), (3, self.wave_count))
        peak = self.spectrum.peak
        # half of the waves lie below 1.6 times the peak, where most of the energy is
        upper_count = self.wave_count // 2
        edges = jnp.concatenate(
            [
                jnp.linspace(self.min_frequency_ratio, 1.6, self.wave_count - upper_count + 1)[:-1],
                jnp.geomspace(1.6, self.max_frequency_ratio, upper_count + 1),
            ]
        )
        width = jnp.diff(edges) * peak
        omega = edges[:-1] * peak + fractions * width
        energy = self.spectrum.density(omega) * width
        amplitude = self.spectrum.height / 4 * jnp.sqrt(2 * energy / jnp.sum(energy))
        return (
            omega,
            amplitude,
            self.heading + self._spreading_angles(direction_fractions),
            2 * jnp.pi * phases,
        )

    def _spreading_angles(self, fractions: jax.Array) -> jax.Array:
        """Angles [rad] from the mean direction: quantiles of the directional distribution."""
        edges = jnp.linspace(-jnp.pi / 2, jnp.pi / 2, 182)
        middle = 0.5 * (edges[1:] + edges[:-1])
        weight = jnp.cumsum(jnp.cos(middle) ** jnp.maximum(self.spreading, 1e-6))
        cumulative = jnp.concatenate([jnp.zeros(1), weight]) / weight[-1]
        return jnp.where(self.spreading > 0, jnp.interp(fractions, cumulative, edges), 0.0)

    def surface(self, t: jax.Array, x: jax.Array, y: jax.Array, min_wavelength: float = 0.0) -> jax.Array:
        """Height of the sea [m] at positions (n,) [m] forward and to port of the ship's origin, without the ship.

        Waves shorter than `min_wavelength` [m] are omitted, for grids that cannot resolve them.
        """
        omega, a, beta, phase = self.components()
        k = omega**2 / G
        distance_phase = jnp.multiply.outer(x, k * jnp.cos(beta)) + jnp.multiply.outer(y, k * jnp.sin(beta))
        a = jnp.where(2 * jnp.pi / k < min_wavelength, 0.0, a)
        return jnp.cos(encounter_omega(omega, beta, self.speed) * t + phase - distance_phase) @ a

    def elevation(self, t: jax.Array) -> jax.Array:
        """Height of the sea [m] at the ship's origin, without the ship."""
        return self.surface(t, jnp.zeros(1), jnp.zeros(1))[0]

    def pose(self, t):
        omega, a, beta, phase = self.components()
        H = self.response.operators(omega, beta, self.speed)
        angle = encounter_omega(omega, beta, self.speed) * t + phase
        return fade_in_factor(t, self.fade_in_time) * (
            (a * H.real) @ jnp.cos(angle) - (a * H.imag) @ jnp.sin(angle)
        )

    def deviation(self) -> jax.Array:
        """Standard deviation of the six motions [m, rad], from the response spectrum."""
        omega, a, beta, _ = self.components()
        H = self.response.operators(omega, beta, self.speed)
        return jnp.sqrt(jnp.sum(0.5 * a**2 * jnp.abs(H) ** 2, 1))

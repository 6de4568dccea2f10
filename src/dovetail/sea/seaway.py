r"""A deck in irregular waves: a spectrum, a ship's response, a seed.

The sea is a sum of waves of random phase, one in each of `waves` parts of the band, at a random place in it so that
the record does not repeat; wave i has the amplitude :math:`a_i = c\sqrt{2 S(\omega_i)\,\Delta\omega_i}` and the
direction of the sea plus, with spreading, a random angle distributed as :math:`\cos^{n}`. The factor c makes the
height the spectrum's, whatever the band. The mean period between crossings wants a wide one: cut at x times the peak
frequency it is longer by :math:`1/(1.6 x^2)`, 0.25 % at 16 and 4 % at 4. The ship answers each at its frequency of
encounter:

.. math:: q_j(t) = \mathrm{Re}\sum_i a_i\,H_j(\omega_i, \beta_i, U)\,e^{i(\omega_{e,i}t + \varepsilon_i)}

Height, period, heading and speed are ordinary parameters: a batch over them uses one seed, so its points differ by
nothing else.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import count, kind, parameter
from dovetail.core.name_lookup import risen
from dovetail.core.random import Random
from dovetail.mechanics.motion import FrameMotion
from dovetail.sea.response import G, ShipResponse, WaveFollower, encounter
from dovetail.sea.spectrum import WaveSpectrum


@kind("seaway")
class Seaway(FrameMotion, Random):
    """A ship in irregular waves. The motion never ends and, for each seed, is one and the same."""

    spectrum: WaveSpectrum
    response: ShipResponse = WaveFollower()
    heading: jax.Array = parameter("rad", "direction of the waves from the course, to port", default=jnp.pi)
    speed: jax.Array = parameter("m/s", "of the ship", default=0.0, at_least=0.0)
    spreading: jax.Array = parameter(
        "1", "power n of the cosine; 0: all waves go one way", default=0.0, at_least=0.0
    )
    waves: int = count("number of waves", default=128, at_least=1)
    lowest: jax.Array = parameter(
        "1", "lower end of the band, over the peak frequency", default=0.5, above=0.0
    )
    highest: jax.Array = parameter(
        "1", "upper end of the band, over the peak frequency", default=16.0, above=0.0
    )
    rise: jax.Array = parameter("s", "time over which the motion fades in", default=0.0, at_least=0.0)

    def components(self) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
        """Frequencies [rad/s], amplitudes [m], directions [rad] and phases [rad] of the waves, each (waves,)."""
        places, phases, turns = jax.random.uniform(self.drawn(0), (3, self.waves))
        peak = self.spectrum.peak
        # half of the waves between the lower end and 1.6 times the peak, where most of the energy is
        far = self.waves // 2
        edges = jnp.concatenate(
            [
                jnp.linspace(self.lowest, 1.6, self.waves - far + 1)[:-1],
                jnp.geomspace(1.6, self.highest, far + 1),
            ]
        )
        width = jnp.diff(edges) * peak
        omega = edges[:-1] * peak + places * width
        energy = self.spectrum.density(omega) * width
        amplitude = self.spectrum.height / 4 * jnp.sqrt(2 * energy / jnp.sum(energy))
        return omega, amplitude, self.heading + self._aside(turns), 2 * jnp.pi * phases

    def _aside(self, shares: jax.Array) -> jax.Array:
        """Angles [rad] from the mean direction below which lie these shares of the waves."""
        edges = jnp.linspace(-jnp.pi / 2, jnp.pi / 2, 182)
        middle = 0.5 * (edges[1:] + edges[:-1])
        part = jnp.cumsum(jnp.cos(middle) ** jnp.maximum(self.spreading, 1e-6))
        below = jnp.concatenate([jnp.zeros(1), part]) / part[-1]
        return jnp.where(self.spreading > 0, jnp.interp(shares, below, edges), 0.0)

    def surface(self, t: jax.Array, x: jax.Array, y: jax.Array, shortest: float = 0.0) -> jax.Array:
        """Height of the sea [m] at places (n,) [m] ahead and to port of the ship's origin, were it not there.

        Waves shorter than `shortest` [m] are left out, for grids that cannot show them.
        """
        omega, a, beta, phase = self.components()
        k = omega**2 / G
        away = jnp.multiply.outer(x, k * jnp.cos(beta)) + jnp.multiply.outer(y, k * jnp.sin(beta))
        a = jnp.where(2 * jnp.pi / k < shortest, 0.0, a)
        return jnp.cos(encounter(omega, beta, self.speed) * t + phase - away) @ a

    def elevation(self, t: jax.Array) -> jax.Array:
        """Height of the sea [m] at the ship's origin, were it not there."""
        return self.surface(t, jnp.zeros(1), jnp.zeros(1))[0]

    def pose(self, t):
        omega, a, beta, phase = self.components()
        H = self.response.operators(omega, beta, self.speed)
        angle = encounter(omega, beta, self.speed) * t + phase
        return risen(t, self.rise) * ((a * H.real) @ jnp.cos(angle) - (a * H.imag) @ jnp.sin(angle))

    def deviation(self) -> jax.Array:
        """Standard deviation of the six motions [m, rad], by the spectrum of the response."""
        omega, a, beta, _ = self.components()
        H = self.response.operators(omega, beta, self.speed)
        return jnp.sqrt(jnp.sum(0.5 * a**2 * jnp.abs(H) ** 2, 1))

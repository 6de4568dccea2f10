r"""The bow wave of a receiver: air that its nose pushes aside, and with it the drogue.

The forebody is a half body, a point source in the stream: with the radius a of the body far behind its nose,

.. math:: v = \frac{V a^2}{4}\,\frac{r - r_s}{|r - r_s|^3}

where :math:`r_s` is the source, beside and behind the nozzle. It pushes air forward and outward, so that a drogue
which the probe nears drifts away from the nose. Source: [Rankine 1871]; its use as bow wave [Ro & Kamman 2010, named in
Bolien 2018, sec. 1.4]. Not modelled: the wing's upwash, compressibility.
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter


class BowWave(Part):
    """What a receiver does to the air before it."""

    @abstractmethod
    def velocity(self, r: jax.Array, nozzle: jax.Array, airspeed: jax.Array) -> jax.Array:
        """Disturbance (3, n) [m/s] at places r (3, n) [m], with the nozzle at (3,) [m]: x forward, z down."""


@kind("no-bow-wave")
class NoBowWave(BowWave):
    """A receiver that does not disturb the air."""

    def velocity(self, r, nozzle, airspeed):
        return jnp.zeros_like(r)


@kind("half-body")
class HalfBody(BowWave):
    """A blunt nose as a source in the stream."""

    radius: jax.Array = parameter("m", "of the body far behind its nose", default=0.8, above=0.0)
    nose: jax.Array = parameter(
        "m", "of the source from the nozzle: x forward, y starboard, z down", default=(-3.0, -1.0, 1.0)
    )
    core: jax.Array = parameter("m", "within which the field is smoothed", default=0.3, above=0.0)

    def velocity(self, r, nozzle, airspeed):
        away = r - (nozzle + self.nose)[:, None]
        square = jnp.sum(away**2, axis=0) + self.core**2
        return airspeed * self.radius**2 / 4 * away / square**1.5

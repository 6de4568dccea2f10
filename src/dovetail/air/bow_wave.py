r"""Bow wave of a receiver: air displaced by its nose, which pushes the drogue away.

The forebody is a half body: a point source in the stream. With the radius a of the body far behind its nose,

.. math:: v = \frac{V a^2}{4}\,\frac{r - r_s}{|r - r_s|^3}

where :math:`r_s` is the source, beside and behind the nozzle. The source pushes air forward and outward, so the drogue
drifts away from the nose as the probe approaches. Source: [Rankine 1871]; its use as bow wave [Ro & Kamman 2010, cited
in Bolien 2018, sec. 1.4]. Not modelled: the wing's upwash, compressibility.
"""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.air.wind import WindField, broadcast_velocity
from dovetail.core import Parameter, kind, parameter


@kind("half-body")
class HalfBody(WindField):
    """Blunt nose, modelled as a source in the stream. Positions are relative to the nozzle: x forward, z up."""

    needs_stream = True

    radius: Parameter = parameter("m", "radius of the body far behind its nose", default=0.8, above=0.0)
    source_position: Parameter = parameter(
        "m",
        "position of the source from the nozzle: x forward, y to port, z up",
        default=(-3.0, 1.0, -1.0),
    )
    core_radius: Parameter = parameter(
        "m", "core radius within which the velocity field is smoothed", default=0.3, above=0.0
    )

    def velocity(self, t, r, stream=None):
        away = r - broadcast_velocity(self.source_position, r)
        square = jnp.sum(away**2, axis=0) + self.core_radius**2
        return stream.speed * self.radius**2 / 4 * away / square**1.5

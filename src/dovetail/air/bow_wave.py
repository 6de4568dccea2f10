r"""The bow wave of a receiver: air that its nose pushes aside, and with it the drogue.

The forebody is a half body, a point source in the stream: with the radius a of the body far behind its nose,

.. math:: v = \frac{V a^2}{4}\,\frac{r - r_s}{|r - r_s|^3}

where :math:`r_s` is the source, beside and behind the nozzle. It pushes air forward and outward, so that a drogue
which the probe nears drifts away from the nose. Source: [Rankine 1871]; its use as bow wave [Ro & Kamman 2010, named in
Bolien 2018, sec. 1.4]. Not modelled: the wing's upwash, compressibility.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.wind import WindField, everywhere
from dovetail.core import kind, parameter


@kind("half-body")
class HalfBody(WindField):
    """A blunt nose as a source in the stream; places are counted from the nozzle: x forward, z down."""

    carried = True

    radius: jax.Array = parameter("m", "of the body far behind its nose", default=0.8, above=0.0)
    nose: jax.Array = parameter(
        "m", "of the source from the nozzle: x forward, y starboard, z down", default=(-3.0, -1.0, 1.0)
    )
    core: jax.Array = parameter("m", "within which the field is smoothed", default=0.3, above=0.0)

    def velocity(self, t, r, stream=None):
        away = r - everywhere(self.nose, r)
        square = jnp.sum(away**2, axis=0) + self.core**2
        return stream.speed * self.radius**2 / 4 * away / square**1.5

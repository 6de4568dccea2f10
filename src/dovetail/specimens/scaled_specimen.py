r"""A specimen of another scale: it sees lengths divided by a factor, and answers with forces multiplied by another.

.. math:: F = \alpha\,f(x/\lambda), \qquad M = \alpha\lambda\,m(x/\lambda)

so a simulated drogue can meet a small one on small robots: with :math:`\alpha = 300` and :math:`\lambda = 5` the
simulation sees :math:`\alpha/\lambda = 60` times the small one's stiffness. Angles are not scaled. How moments were
scaled is unpublished; :math:`\alpha\lambda` is what forces at scaled levers give. Whatever else it shows is
scaled by its unit. Source: [Bolien 2018, ch.
4.2 sec. IV].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter, signals
from dovetail.specimens.base import Specimen

POWERS = {
    "m": (1, 0),
    "m/s": (1, 0),
    "m/s^2": (1, 0),
    "N": (0, 1),
    "N m": (1, 1),
    "J": (1, 1),
    "N/m": (-1, 1),
}


@kind("scaled-specimen")
class ScaledSpecimen(Specimen):
    """Six axes: positions [m] and a rotation vector in, force and moment out."""

    specimen: Specimen
    force_scale: jax.Array = parameter("1", "simulated force over the specimen's", default=300.0, above=0.0)
    length_scale: jax.Array = parameter("1", "simulated length over the specimen's", default=5.0, above=0.0)

    def init(self):
        return self.specimen.init()

    def derivative(self, t, x, u):
        return self.specimen.derivative(t, x, self._small(u))

    @property
    def jumps(self) -> bool:
        """Whether the small one does."""
        return self.specimen.jumps

    def jump(self, t, x, u):
        return self.specimen.jump(t, x, self._small(u))

    def output(self, t, x, u):
        outputs = self.specimen.output(t, x, self._small(u))
        levers = jnp.concatenate([jnp.ones(3), self.length_scale * jnp.ones(3)])
        large = {name: self._factor(name) * value for name, value in outputs.items()}
        return {**large, "force": self.force_scale * levers * outputs["force"]}

    def _factor(self, name: str) -> jax.Array | float:
        """What else the specimen shows is shown at the simulation's scale, by its unit."""
        unit = signals.signal(name).unit if name in signals.known() else "1"
        lengths, forces = POWERS.get(unit, (0, 0))
        return self.length_scale**lengths * self.force_scale**forces

    def _small(self, u):
        shrink = jnp.concatenate([jnp.ones(3) / self.length_scale, jnp.ones(3)])
        return {name: shrink * u[name] for name in ("displacement", "velocity", "acceleration") if name in u}

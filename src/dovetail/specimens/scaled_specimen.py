r"""Specimen at another scale: lengths are divided by one factor, forces multiplied by another.

.. math:: F = \alpha\,f(x/\lambda), \qquad M = \alpha\lambda\,m(x/\lambda)

A simulated full-size drogue can thus be coupled to a small drogue on small robots: with :math:`\alpha = 300` and
:math:`\lambda = 5` the stiffness in the simulation is :math:`\alpha/\lambda = 60` times that of the small drogue.
Angles are not scaled. The scaling of moments is unpublished; :math:`\alpha\lambda` is the result of scaled forces at
scaled levers. Other outputs are scaled according to their unit. Source: [Bolien 2018, ch. 4.2 sec. IV].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter, signals
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
    """Scaled specimen with six axes: position [m] and rotation vector in, force and moment out."""

    specimen: Specimen
    force_scale: Parameter = parameter(
        "1", "ratio of simulated force to the specimen's force", default=300.0, above=0.0
    )
    length_scale: Parameter = parameter(
        "1", "ratio of simulated length to the specimen's length", default=5.0, above=0.0
    )

    def init(self) -> State:
        return self.specimen.init()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.specimen.derivative(t, x, self._specimen_motion(u))

    @property
    def jumps(self) -> bool:
        """True if the scaled specimen has states that change at each step."""
        return self.specimen.jumps

    def jump(self, t: Time, x: State, u: Input) -> State:
        return self.specimen.jump(t, x, self._specimen_motion(u))

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        return self.specimen.guards(t, x, self._specimen_motion(u))

    def output(self, t: Time, x: State, u: Input) -> Output:
        outputs = self.specimen.output(t, x, self._specimen_motion(u))
        levers = jnp.concatenate([jnp.ones(3), self.length_scale * jnp.ones(3)])
        scaled = {name: self._factor(name) * value for name, value in outputs.items()}
        return {**scaled, "force": self.force_scale * levers * outputs["force"]}

    def _factor(self, name: str) -> jax.Array | float:
        """Scale factor of an output, from its unit."""
        unit = signals.signal(name).unit if name in signals.all_signals() else "1"
        lengths, forces = POWERS.get(unit, (0, 0))
        return self.length_scale**lengths * self.force_scale**forces

    def _specimen_motion(self, u: Input) -> dict[str, jax.Array]:
        scale = jnp.concatenate([jnp.ones(3) / self.length_scale, jnp.ones(3)])
        return {name: scale * u[name] for name in ("displacement", "velocity", "acceleration") if name in u}

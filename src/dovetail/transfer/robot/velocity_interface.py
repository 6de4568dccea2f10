r"""Joint controller with a velocity interface: position errors accumulate during a move and are corrected at rest.

.. math:: \dot q = (1 + \epsilon)\,\dot q_{ref} + K\,(q_{ref} - q), \qquad
          K = 0 \text{ while the reference moves}, \; k \text{ while it rests}

The gain is zero during motion, so that it does not act against the integral action of the manufacturer's controller. In
sampled form a gain of one per tick corrects the whole error in one tick. Source: [Bolien 2018, sec. 4.2-II-C].
"""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.transfer.base import Transfer


@kind("velocity-interface")
class VelocityInterface(Transfer):
    """Joint controller with a velocity interface: from joint references to joint positions."""

    gain_error: Parameter = parameter("1", "relative error of the joint speeds", default=0.0)
    gain: Parameter = parameter(
        "1",
        "fraction of the position error that is corrected in one tick at rest",
        default=1.0,
        at_least=0.0,
        at_most=1.0,
    )

    def init(self) -> State:
        return jnp.zeros(self.shape), jnp.zeros(self.shape)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        position, last = x
        at_rest = jnp.all(u == last)
        moving = position + (1 + self.gain_error) * (u - last)
        corrected = position + self.gain * (u - position)
        position = jnp.where(at_rest, corrected, moving)
        return (position, u), position

r"""A controller that takes joint speeds only: positions drift, and are put right while the robot settles.

.. math:: \dot q = (1 + \epsilon)\,\dot q_{ref} + K\,(q_{ref} - q), \qquad
          K = 0 \text{ while the reference moves}, \; k \text{ while it rests}

The gain is off during motion so as not to fight the maker's own integral action. In sampled form a gain of one a
tick puts the whole error right in one tick. Source: [Bolien 2018, sec. 4.2-II-C].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.transfer.base import Transfer


@kind("velocity-interface")
class VelocityInterface(Transfer):
    """Joint references in, joint positions out."""

    gain_error: jax.Array = parameter("1", "share by which speeds come out too large", default=0.0)
    gain: jax.Array = parameter(
        "1", "of the error put right in a tick at rest", default=1.0, at_least=0.0, at_most=1.0
    )

    def init(self):
        return jnp.zeros(self.shape), jnp.zeros(self.shape)

    def step(self, t, dt, x, u):
        position, before = x
        resting = jnp.all(u == before)
        moved = position + (1 + self.gain_error) * (u - before)
        settled = position + self.gain * (u - position)
        position = jnp.where(resting, settled, moved)
        return (position, u), position

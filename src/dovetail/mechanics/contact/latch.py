r"""The speed at which a contact began: followed while the bodies are apart, kept while they touch.

Every contact law that dissipates needs :math:`\dot\delta_i`, and every impact has its own. Two forms of
one rule: `update` between the steps of a sampled simulation, and `rate` as part of a continuous state,

.. math:: \dot w = (\dot\delta - w)/T \;\text{ while } \delta < 0, \qquad \dot w = 0 \;\text{ in contact,}

which follows the free approach with a lag T that is short against it. A free approach is unaccelerated, so
w has the impact speed exactly once a few T have passed. Explicit methods need steps below 2.7 T.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter


@kind("latch")
class Latch(Part):
    """Holds the impact speed of the present contact; `floor` keeps a grazing contact finite."""

    time: jax.Array = parameter("s", "lag with which the free approach is followed", above=0.0, default=10e-6)
    floor: jax.Array = parameter("m/s", "least impact speed that counts", above=0.0, default=1e-4)

    def update(self, latched, depth, speed) -> jax.Array:
        """Impact speed [m/s] after a step, from that before it and the depth [m] and speed [m/s] now."""
        return jnp.where(depth < 0, self.above_floor(speed), latched)

    def rate(self, latched, depth, speed) -> jax.Array:
        """Rate of change of the latched speed [m/s^2] as a continuous state."""
        return jnp.where(depth < 0, (speed - latched) / self.time, 0.0)

    def above_floor(self, speed) -> jax.Array:
        """A latched speed [m/s] that a law may divide by."""
        return jnp.maximum(speed, self.floor)

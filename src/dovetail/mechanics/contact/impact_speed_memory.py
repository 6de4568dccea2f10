r"""The speed at which a contact began: followed while the bodies are apart, kept while they touch.

Every contact law that dissipates needs :math:`\dot\delta_i`, and every impact has its own. It is remembered from
step to step, :math:`w \leftarrow \dot\delta` while :math:`\delta < 0`, by the jump at the end of a step
(`Flow.jump`): exact for a free approach, which is unaccelerated, and at most one step old for any other.
Nothing is integrated, so no step is too long. A contact that begins before anything was remembered takes the
speed that it has.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Part, kind, parameter


@kind("latch")
class Latch(Part):
    """Holds the impact speed of the present contact; `floor` keeps a grazing contact finite."""

    floor: jax.Array = parameter("m/s", "least impact speed that counts", above=0.0, default=1e-4)

    def update(
        self, latched: Float[Array, "*#m"], depth: Float[Array, "*#m"], speed: Float[Array, "*#m"]
    ) -> Float[Array, "*#m"]:
        """Impact speed [m/s] after a step, from that before it and the depth [m] and speed [m/s] now."""
        return jnp.where(depth < 0, self.above_floor(speed), self.impact_speed(latched, speed))

    def impact_speed(self, latched: Float[Array, "*#m"], speed: Float[Array, "*#m"]) -> Float[Array, "*#m"]:
        """The latched speed [m/s], or the present one where none was yet; a law may divide by it."""
        return self.above_floor(jnp.where(latched > 0, latched, speed))

    def above_floor(self, speed: Float[Array, "*m"]) -> Float[Array, "*m"]:
        """A speed [m/s] that a law may divide by."""
        return jnp.maximum(speed, self.floor)

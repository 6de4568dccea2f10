r"""Memory of the impact speed: tracks the approach speed while the bodies are apart, holds it during contact.

Dissipative contact laws need the impact speed :math:`\dot\delta_i` of the present contact. It is stored from step to
step, :math:`w \leftarrow \dot\delta` while :math:`\delta < 0`, by the jump at the end of a step (`Flow.jump`). This is
exact for an approach without acceleration, and at most one step old otherwise. The stored value is not integrated, so
it does not limit the step. A contact that exists from the start uses its present speed.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Parameter, Part, kind, parameter


@kind("impact-speed-memory")
class ImpactSpeedMemory(Part):
    """Memory of the impact speed of the present contact; it is at least `min_speed`, also for a grazing contact."""

    min_speed: Parameter = parameter("m/s", "smallest impact speed used", above=0.0, default=1e-4)

    def update(
        self, stored: Float[Array, "*#m"], depth: Float[Array, "*#m"], speed: Float[Array, "*#m"]
    ) -> Float[Array, "*#m"]:
        """Return the stored speed [m/s] after a step, from that before it and present depth [m] and speed [m/s]."""
        return jnp.where(depth < 0, self.clip_speed(speed), self.impact_speed(stored, speed))

    def impact_speed(self, stored: Float[Array, "*#m"], speed: Float[Array, "*#m"]) -> Float[Array, "*#m"]:
        """Return the stored speed [m/s], or the present one if none is stored; never below `min_speed`."""
        return self.clip_speed(jnp.where(stored > 0, stored, speed))

    def clip_speed(self, speed: Float[Array, "*m"]) -> Float[Array, "*m"]:
        """Return a speed [m/s] that is at least `min_speed`."""
        return jnp.maximum(speed, self.min_speed)

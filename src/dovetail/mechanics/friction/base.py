r"""What friction laws share: normal force, slip and memory in; a force against the slip and the memory's rate out.

The slip :math:`v` is a vector in the surface, along the last axis; any number of contacts at once. A law with memory
has a bristle :math:`z` for each: it points from the body back to its anchor on the surface, so that :math:`\dot z = -v`
while it sticks, and pulls along itself. A law without has an empty one. Whatever relaxes a bristle at a rate r in
:math:`\dot z = -v - rz` is told apart, so that an implicit method can take it into account.

Some laws have a rule beside their equation, an anchor that is moved once it slides: `settled` is applied at the end of
each step. Others let the coefficient follow the slip with a lag, for which a stepper that can keeps the speed of
slip, `slid`; where nobody keeps it, the present one is taken.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import Part, parameter


def length(v: jax.Array) -> jax.Array:
    """Length (..., 1) of vectors (..., d) with a finite derivative at zero."""
    square = jnp.sum(v * v, -1, keepdims=True)
    return jnp.sqrt(jnp.where(square > 0, square, 1.0)) * (square > 0)


class Friction(Part):
    """A friction law."""

    remembers: ClassVar[bool] = False  # whether it has bristles
    settles: ClassVar[bool] = False  # whether their anchors are moved at the end of a step

    @abstractmethod
    def coefficient(self, speed: jax.Array) -> jax.Array:
        """Friction over normal force in steady slip at a speed [m/s], zero or positive."""

    @abstractmethod
    def act(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, slid: jax.Array | None = None
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Force (..., d) [N] on the body, rate of z [m/s], and the rate (..., 1) [1/s] at which z relaxes.

        `normal` (..., 1) [N] is zero or positive, `slip` (..., d) [m/s] and `z` lie in the surface, `slid` (..., 1)
        [m/s] is the speed of slip that is remembered.
        """

    def share(self, slip: jax.Array, z: jax.Array) -> jax.Array:
        """Force (..., d) over normal force, were the body to slide on its bristles as they are bent now."""
        return self.act(jnp.ones_like(slip[..., :1]), slip, z)[0]

    def memory(self, *shape: int) -> jax.Array:
        """Bristles that are not bent, for slips of a shape; without any, an array of no length."""
        return jnp.zeros(shape if self.remembers else (*shape[:-1], 0))

    def settled(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, slid: jax.Array | None = None
    ) -> jax.Array:
        """The bristle after an accepted step."""
        return z

    def due(self, before: jax.Array, now: jax.Array) -> jax.Array:
        """Whether the bristle is settled at the end of a step from one time [s] to another; after each, if not said."""
        return now >= before

    def remembered(self, slid: jax.Array, speed: jax.Array, dt: jax.Array) -> jax.Array:
        """The speed of slip [m/s] to remember after a step of dt [s]."""
        return speed


class MemorylessFriction(Friction):
    r"""A law of the present slip alone: against it, with a sign that is smoothed over a small speed :math:`v_r`.

    .. math:: \mathbf{F} = -\mu(|\mathbf v|)\,N\,\frac{\mathbf v}{\sqrt{|\mathbf v|^2 + v_r^2}}

    It does not hold a body on a slope: it creeps. Where sticking matters take a law with bristles.
    """

    creep: jax.Array = parameter("m/s", "speed over which the sign is smoothed", above=0.0, default=1e-4)

    def act(self, normal, slip, z, slid=None):
        smooth = jnp.sqrt(jnp.sum(slip * slip, -1, keepdims=True) + self.creep**2)
        force = -self.coefficient(length(slip)) * normal * slip / smooth
        return force, jnp.zeros_like(z), jnp.zeros_like(normal)

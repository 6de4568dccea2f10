r"""Base classes of friction laws: normal force, slip velocity and bristle in; force and bristle rate out.

The slip velocity :math:`v` is a vector in the surface, along the last axis of the array; the other axes count contacts.
A law with bristles has a deflection :math:`z` for each contact. It points from the body to the anchor on the surface,
so :math:`\dot z = -v` while the contact sticks, and the bristle force acts along :math:`z`. A law without bristles has
an empty array. The relaxation rate r in :math:`\dot z = -v - rz` is returned separately, for implicit methods.

Some laws move an anchor once it slides: `update_anchors` is applied at the end of each step. The coefficient may also
depend on a low-pass filtered slip speed, which the integrator stores; without it the present slip speed is used.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, parameter


def length(v: jax.Array) -> jax.Array:
    """Return the lengths (..., 1) of vectors (..., d); the derivative at zero is finite."""
    square = jnp.sum(v * v, -1, keepdims=True)
    return jnp.sqrt(jnp.where(square > 0, square, 1.0)) * (square > 0)


class Friction(Part):
    """Friction law; base class."""

    has_bristles: ClassVar[bool] = False
    moves_anchors: ClassVar[bool] = False  # whether `update_anchors` changes a bristle

    @abstractmethod
    def coefficient(self, speed: jax.Array) -> jax.Array:
        """Return friction force over normal force in steady slip at a speed [m/s]; zero or positive."""

    @abstractmethod
    def force_and_rate(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return force (..., d) [N] on the body, rate of z [m/s], and relaxation rate (..., 1) [1/s] of z.

        `normal` (..., 1) [N] is zero or positive, `slip` (..., d) [m/s] and `z` lie in the surface, `filtered_speed`
        (..., 1) [m/s] is the filtered slip speed.
        """

    def force_ratio(self, slip: jax.Array, z: jax.Array) -> jax.Array:
        """Return friction force (..., d) over normal force for sliding at the current bristle deflection."""
        return self.force_and_rate(jnp.ones_like(slip[..., :1]), slip, z)[0]

    def initial_bristles(self, *shape: int) -> jax.Array:
        """Return undeflected bristles for slip velocities of a shape; an empty array for a law without bristles."""
        return jnp.zeros(shape if self.has_bristles else (*shape[:-1], 0))

    def update_anchors(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> jax.Array:
        """Return the bristle after an accepted step."""
        return z

    def guards(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> jax.Array:
        """Return the event functions (..., n), zero where the force is not smooth; none for a smooth law."""
        return jnp.zeros((*slip.shape[:-1], 0))

    def anchor_update_due(self, start: jax.Array, end: jax.Array) -> jax.Array:
        """Return whether anchors are updated at the end of a step between two times [s] (default: always)."""
        return end >= start

    def filtered_slip_speed(self, filtered_speed: jax.Array, speed: jax.Array, dt: jax.Array) -> jax.Array:
        """Return the filtered slip speed [m/s] after a step of dt [s]."""
        return speed


def reversal(slip: jax.Array, z: jax.Array) -> jax.Array:
    """Return the event function (..., 1) [m^2/s] of a reversal: bristles of a sliding body point against the slip."""
    return -jnp.sum(slip * z, -1, keepdims=True)


class MemorylessFriction(Friction):
    r"""Friction that depends on the present slip velocity alone, smoothed over a small speed :math:`v_r`; base class.

    .. math:: \mathbf{F} = -\mu(|\mathbf v|)\,N\,\frac{\mathbf v}{\sqrt{|\mathbf v|^2 + v_r^2}}

    A body on a slope does not stick but slides slowly. Use a law with bristles where sticking matters.
    """

    smoothing_speed: Parameter = parameter(
        "m/s", "slip speed below which the force is smoothed", above=0.0, default=1e-4
    )

    def force_and_rate(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        smooth = jnp.sqrt(jnp.sum(slip * slip, -1, keepdims=True) + self.smoothing_speed**2)
        force = -self.coefficient(length(slip)) * normal * slip / smooth
        return force, jnp.zeros_like(z), jnp.zeros_like(normal)

r"""Bristle with spring, damper and movable anchor: stick and slip of a foot on a deck.

While the foot sticks, :math:`\dot z = -v` with the slip velocity :math:`v`. The deflection limit is

.. math:: z_{max} = \frac{N}{K_f}\left[\mu_d + (\mu_s - \mu_d)\,e^{-(v/v_s)^2}\right]

[Schock 2020, eqs 4.46 to 4.52, with the base of the exponential and the sign of the bristle damping corrected].
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.mechanics.friction.base import Friction, length, reversal


@kind("bristle-friction")
class Bristle(Friction):
    r"""Spring and damper on an anchor that slides at the friction limit (the source's form of LuGre).

    Within a step, a deflection beyond the limit gives the limit force; the anchor moves after the accepted step. With
    equal coefficients the law is Coulomb friction.

    `stribeck_slip`: the decrease from the static to the kinetic coefficient acts like a negative damper of
    :math:`(\mu_s - \mu_d)N/v_s`, which accelerates a light foot within microseconds. With `"filtered"` the coefficient
    follows the slip speed with the time constant `stribeck_time`, as in dry friction [Hess & Soom 1990];
    `"instantaneous"` is the published form.

    `damping_bound`: the damper may not raise the force above the limit. `"free"` is the published form: a foot that
    slides at touchdown has the full damper force at any normal force, a discontinuity that no step resolves.

    `damper_sign`: the damper resists the slip. Eqs 4.47 and 4.52 taken literally, :math:`F = K_f z - C_f\dot z` with
    :math:`\dot z = -v(1 - |z|/z_{max})`, accelerate it (`"published"`): a sticking foot is driven, not damped.

    `anchor_interval`: the source moves an anchor every 2.5 ms. In between the bristle deflects beyond its limit, so a
    foot that slows down has the full static friction at once and sticks again. With 0 the anchor is updated after
    every step, and a foot that slows down has kinetic friction at most. Between two updates the bristle does not
    follow a limit that decreases, so the time at which a foot sticks under a changing normal force is accurate to the
    length of a step only, with any method.
    """

    has_bristles: ClassVar[bool] = True
    moves_anchors: ClassVar[bool] = True

    stiffness: Parameter = parameter("N/m", "bristle stiffness K_f", above=0.0, default=3e3)
    mu_kinetic: Parameter = parameter("1", "coefficient of slip, mu_d", at_least=0.0, default=0.4)
    mu_static: Parameter = parameter("1", "coefficient at the onset of slip, mu_s", at_least=0.0, default=0.4)
    damping: Parameter = parameter("N s/m", "bristle damping C_f", at_least=0.0, default=0.0)
    stribeck_speed: Parameter = parameter(
        "m/s", "slip speed over which the coefficient decreases, v_s", above=0.0, default=1e-3
    )
    stribeck_slip: str = choice(
        "filtered", "instantaneous", about="slip speed that sets the coefficient", default="filtered"
    )
    stribeck_time: Parameter = parameter(
        "s", "time constant of the filtered slip speed", default=5e-3, above=0.0
    )
    damping_bound: str = choice(
        "limit", "free", about="whether the damper is limited by the friction limit", default="limit"
    )
    anchor_interval: Parameter = parameter(
        "s", "time between anchor updates; 0: after every step", default=0.0, at_least=0.0
    )
    damper_sign: str = choice(
        "resisting", "published", about="sign of the bristle damper", default="resisting"
    )

    def coefficient(self, speed: jax.Array) -> jax.Array:
        return self.mu_kinetic + (self.mu_static - self.mu_kinetic) * jnp.exp(
            -((speed / self.stribeck_speed) ** 2)
        )

    def force_ratio(self, slip: jax.Array, z: jax.Array) -> jax.Array:
        return self.coefficient(length(slip)) * z / jnp.maximum(length(z), 1e-12)

    def _limit_force(self, normal: jax.Array, slip: jax.Array, filtered_speed: jax.Array | None) -> jax.Array:
        """Return the largest friction force [N]."""
        if self.stribeck_slip != "filtered" or filtered_speed is None:
            filtered_speed = length(slip)
        return self.coefficient(filtered_speed) * normal

    def force_and_rate(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        limit = self._limit_force(normal, slip, filtered_speed)
        pull = self.stiffness * length(z)
        slides = pull >= limit
        reserve = jnp.where(slides, 0.0, 1 - pull / jnp.where(limit > 0, limit, 1.0))
        damping = -self.damping if self.damper_sign == "published" else self.damping
        sticking = self.stiffness * z - damping * slip * reserve
        if self.damping_bound == "limit":
            size = length(sticking)
            sticking = sticking * jnp.where(size > limit, limit / jnp.where(size > 0, size, 1.0), 1.0)
        sliding = z * (self.stiffness * limit / jnp.where(pull > 0, pull, 1.0))
        return jnp.where(slides, sliding, sticking), -slip, jnp.zeros_like(normal)

    def anchor_update_due(self, start: jax.Array, end: jax.Array) -> jax.Array:
        interval = jnp.where(self.anchor_interval > 0, self.anchor_interval, 1.0)
        is_due = jnp.floor(end / interval + 1e-6) > jnp.floor(start / interval + 1e-6)
        return is_due | (self.anchor_interval <= 0)

    def filtered_slip_speed(self, filtered_speed: jax.Array, speed: jax.Array, dt: jax.Array) -> jax.Array:
        return speed + (filtered_speed - speed) * jnp.exp(-dt / self.stribeck_time)

    def guards(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> jax.Array:
        # an updated anchor is at the limit to rounding: it counts as sliding
        limit = (1 - 1e-9) * self._limit_force(normal, slip, filtered_speed) / self.stiffness
        return jnp.concatenate([limit - length(z), reversal(slip, z)], -1)

    def update_anchors(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, filtered_speed: jax.Array | None = None
    ) -> jax.Array:
        limit = self._limit_force(normal, slip, filtered_speed) / self.stiffness
        size = length(z)
        return z * jnp.where(size > limit, limit / jnp.where(size > 0, size, 1.0), 1.0)

r"""Probe and grid (harpoon): a probe under the airframe locks into a hole of a deck grid and pulls the aircraft down.

The probe is a post with springs. In the deck plane, the walls of the hole push the tip back, by a contact law on
each axis of the grid. Along the deck normal the probe pulls with a constant tension and a spring and damper:

.. math:: F = s(t)\left[-\sum_i F_N(e_i, \dot e_i)\,t_i - n\,\max\!\left(T + k_n(h - h_0) + c_n\dot h,\ 0\right)\right]

with the displacements :math:`e_i` of the tip from the hole along the axes :math:`t_i` of the deck, the height h of
the tip above it, and an engagement fraction s. s rises from 0 to 1 over `closing_time` after `engage_time`, and falls
in the same time after `release_time`. The hole is prescribed, because a load has no memory. The probe acts while the
tip is within `max_reach` of the hole. There is no friction: the hole grips the probe on all sides.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Time, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies import BodyLoad, BodyMotion
from dovetail.mechanics.contact import KelvinVoigt, NormalLaw
from dovetail.mechanics.motion import FrameMotion


@kind("probe-and-grid")
class ProbeAndGrid(BodyLoad):
    """Probe and deck grid; axes are forward, port, up. `deck` is the motion of the ship that carries the grid."""

    deck: FrameMotion
    hole_position: Parameter = parameter(
        "m", "position of the hole, in the ship's axes (3,)", default=(0.0, 0.0, 0.0)
    )
    tip: Parameter = parameter("m", "tip of the probe, in the airframe's axes", default=(0.0, 0.0, -0.4))
    engage_time: Parameter = parameter("s", "time of engagement", default=0.0)
    release_time: Parameter = parameter("s", "time of release", default=1e9)
    closing_time: Parameter = parameter("s", "duration of engagement and of release", default=0.2, above=0.0)
    max_reach: Parameter = parameter(
        "m", "largest distance of the tip from the hole at which the probe acts", default=0.15, above=0.0
    )
    law: NormalLaw = KelvinVoigt(2e4, damping=400.0)
    tension: Parameter = parameter("N", "constant downward tension, T", default=300.0, at_least=0.0)
    height: Parameter = parameter("m", "height of the tip at which the tension is T, h_0", default=0.13)
    lift_stiffness: Parameter = parameter("N/m", "vertical stiffness, k_n", default=1e4, at_least=0.0)
    lift_damping: Parameter = parameter("N s/m", "vertical damping, c_n", default=200.0, at_least=0.0)

    def __check_init__(self) -> None:
        super().__check_init__()
        if self.law.needs_impact_speed:
            raise ParameterError(
                f"ProbeAndGrid.law: {type(self.law).__name__} needs the impact speed, which a stateless load does "
                "not store; use a law of penetration and speed only: hertz, kelvin-voigt or hysteretic-spring"
            )

    @property
    def valid_until(self) -> float:
        """Time [s] at which the ship's motion data end."""
        return self.deck.valid_until

    def engagement(self, t: jax.Array) -> jax.Array:
        """Return the engagement fraction, 0 to 1."""
        rise = jnp.clip((t - self.engage_time) / self.closing_time, 0.0, 1.0)
        fall = jnp.clip((self.release_time - t) / self.closing_time, 0.0, 1.0)
        s = jnp.minimum(rise, fall)
        return s * s * (3 - 2 * s)

    def _hole(self, t: Time) -> tuple[jax.Array, jax.Array]:
        """Return the position of the hole and the axes of the deck, in world axes."""
        deck = self.deck.pose_of_frame(t)
        return deck.point(self.hole_position), deck.R

    def force(self, t: jax.Array, motion: BodyMotion) -> jax.Array:
        """Return the force on the tip (3,) [N], world axes."""
        t = jnp.asarray(t, float)
        (hole, R), (hole_velocity, _) = jax.jvp(self._hole, (t,), (jnp.ones_like(t),))
        arm = self.tip - motion.offset
        tip = motion.position + motion.rotation @ arm
        velocity = motion.rotation @ (motion.velocity + jnp.cross(motion.spin, arm))
        n = R[:, 2]
        offset, relative = tip - hole, velocity - hole_velocity
        h, rate = offset @ n, relative @ n
        across, drift = (offset @ R)[:2], (relative @ R)[:2]
        side = jnp.where(across < 0, -1.0, 1.0)
        press = side * self.law.push(side * across, side * drift, 1.0)
        pull = jnp.maximum(
            self.tension + self.lift_stiffness * (h - self.height) + self.lift_damping * rate, 0.0
        )
        in_reach = jnp.sqrt(jnp.sum(across**2) + 1e-18) < self.max_reach
        force: jax.Array = -self.engagement(t) * in_reach * (R[:, :2] @ press + pull * n)
        return force

    def act(self, t: jax.Array, motion: BodyMotion) -> tuple[jax.Array, jax.Array]:
        force = motion.rotation.T @ self.force(t, motion)
        return force, jnp.cross(self.tip - motion.offset, force)

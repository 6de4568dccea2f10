r"""Probe and grid: a probe under the airframe that is locked in a hole of a grid in the deck and pulls it down.

The other way to secure a helicopter at touchdown (a harpoon in a grid). The probe is a post with springs: across, its
tip is pressed back by the walls of the hole, by a contact law on either axis of the grid; along the deck's normal it
pulls with a tension that does not give way, and stiffer when the tip rises:

.. math:: F = s(t)\left[-\sum_i F_N(e_i, \dot e_i)\,t_i - n\,\max\!\left(T + k_n(h - h_0) + c_n\dot h,\ 0\right)\right]

with the ways :math:`e_i` of the tip from the hole along the axes :math:`t_i` of the deck, the tip's height h over it,
and a share s that rises from zero to one over `closing` after it is engaged, and falls likewise when it is let go.
Which hole it takes is given: a load has no memory. It holds as long as the tip is within `reach` of the hole; a probe
that missed does nothing. Nothing slides in a hole that is gripped on all sides: there is no friction.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies import BodyLoad, BodyMotion
from dovetail.mechanics.contact import KelvinVoigt, NormalLaw
from dovetail.mechanics.motion import FrameMotion


@kind("probe-and-grid")
class ProbeAndGrid(BodyLoad):
    """The device; axes are forward, port, up. `deck` is the motion of the ship in which the grid is."""

    deck: FrameMotion
    hole: jax.Array = parameter("m", "that is taken, in the ship's axes (3,)", default=(0.0, 0.0, 0.0))
    tip: jax.Array = parameter("m", "of the probe in the airframe's axes", default=(0.0, 0.0, -0.4))
    engaged: jax.Array = parameter("s", "time", default=0.0)
    released: jax.Array = parameter("s", "time", default=1e9)
    closing: jax.Array = parameter("s", "in which it takes hold", default=0.2, above=0.0)
    reach: jax.Array = parameter("m", "beyond which the tip is not held", default=0.15, above=0.0)
    law: NormalLaw = KelvinVoigt(2e4, damping=400.0)
    tension: jax.Array = parameter("N", "down, T", default=300.0, at_least=0.0)
    height: jax.Array = parameter("m", "of the tip at which the tension is T, h_0", default=0.13)
    lift_stiffness: jax.Array = parameter("N/m", "down, k_n", default=1e4, at_least=0.0)
    lift_damping: jax.Array = parameter("N s/m", "down, c_n", default=200.0, at_least=0.0)

    def __check_init__(self):
        super().__check_init__()
        if self.law.latches:
            raise ParameterError(
                f"ProbeAndGrid.law: {type(self.law).__name__} asks for the speed of the impact, and a load has no "
                "memory of it; take a law of depth and speed alone, hertz, kelvin-voigt or slow-return"
            )

    @property
    def ends(self) -> float:
        """Time [s] until which the ship's motion is known."""
        return self.deck.ends

    def share(self, t: jax.Array) -> jax.Array:
        """How far it has taken hold, 0 to 1."""
        rise = jnp.clip((t - self.engaged) / self.closing, 0.0, 1.0)
        fall = jnp.clip((self.released - t) / self.closing, 0.0, 1.0)
        s = jnp.minimum(rise, fall)
        return s * s * (3 - 2 * s)

    def _hole(self, t):
        """Place of the hole and axes of the deck, in the world."""
        deck = self.deck.placed(t)
        return deck.point(self.hole), deck.R

    def force(self, t: jax.Array, motion: BodyMotion) -> jax.Array:
        """On the tip (3,) [N], world axes."""
        t = jnp.asarray(t, float)
        (place, R), (moving, _) = jax.jvp(self._hole, (t,), (jnp.ones_like(t),))
        arm = self.tip - motion.offset
        tip = motion.position + motion.rotation @ arm
        velocity = motion.rotation @ (motion.velocity + jnp.cross(motion.spin, arm))
        n = R[:, 2]
        apart, relative = tip - place, velocity - moving
        h, rate = apart @ n, relative @ n
        across, drift = (apart @ R)[:2], (relative @ R)[:2]
        side = jnp.where(across < 0, -1.0, 1.0)
        press = side * self.law.push(side * across, side * drift, 1.0)
        pull = jnp.maximum(
            self.tension + self.lift_stiffness * (h - self.height) + self.lift_damping * rate, 0.0
        )
        held = jnp.sqrt(jnp.sum(across**2) + 1e-18) < self.reach
        return -self.share(t) * held * (R[:, :2] @ press + pull * n)

    def act(self, t, motion):
        force = motion.rotation.T @ self.force(t, motion)
        return force, jnp.cross(self.tip - motion.offset, force)

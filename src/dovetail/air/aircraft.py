r"""The towing aircraft as the support of the rope: its acceleration, its speed and its flight path.

Axes are the rope's: x downstream, so a forward acceleration is negative. Any motion of a frame will do (`still` is
steady flight). Prescribed here, or from the balance of thrust, drag and the rope's pull along its path:

.. math:: (m_{TA} + m_{tow})\,a = T - D_{TA} - D_{tow}

which, as the digest of the maximum tension run shows, is all that the published figure needs. In a glide or
climb gravity and the air stream tilt against the rope's axes by the path angle.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.mechanics.motion import SupportMotion


@kind("accelerating")
class Accelerating(SupportMotion):
    """A constant acceleration from a time on, reached by a ramp."""

    value: jax.Array = parameter("m/s^2", "acceleration, (3,)")
    start: jax.Array = parameter("s", "when it begins", default=0.0)
    ramp: jax.Array = parameter("s", "time it takes to build up", default=0.0, at_least=0.0)

    def acceleration(self, t):
        # without a ramp it is there at once, from its start on
        share = jnp.where(self.ramp > 0, (t - self.start) / jnp.where(self.ramp > 0, self.ramp, 1.0), jnp.inf)
        return jnp.where(t >= self.start, jnp.clip(share, 0.0, 1.0), 0.0) * self.value


@kind("sine-squared-pulse")
class SineSquaredPulse(SupportMotion):
    r"""The support moves by :math:`A\sin^2(\pi B t)` once, for :math:`t \le 1/B`.

    Its acceleration is :math:`2AB^2\pi^2\cos(2\pi B t)`. The source prints it without the factor 2.
    Source: [Mastrogiuseppe 2023, sec. 4.1.3].
    """

    amplitude: jax.Array = parameter("m", "amplitude along each axis, (3,)")
    frequency: jax.Array = parameter("Hz", "one over the pulse's length", above=0.0)

    def acceleration(self, t):
        a = 2 * (self.frequency * jnp.pi) ** 2 * jnp.cos(2 * jnp.pi * self.frequency * t)
        return jnp.where(t <= 1 / self.frequency, a, 0.0) * self.amplitude


@kind("recorded-acceleration")
class RecordedAcceleration(SupportMotion):
    """A table of accelerations in time, linear between its rows, held at its ends."""

    time: jax.Array = parameter("s", "times, rising, (k,)")
    value: jax.Array = parameter("m/s^2", "accelerations, (k, 3)")

    def acceleration(self, t):
        return jnp.stack([jnp.interp(t, self.time, column) for column in self.value.T])


@kind("tug")
class Tug(SupportMotion):
    """An aircraft that accelerates by its excess thrust, and pulls up by a load factor."""

    mass: jax.Array = parameter("kg", "mass of the aircraft", default=250e3, above=0.0)
    towed_mass: jax.Array = parameter("kg", "mass that it tows", default=0.0, at_least=0.0)
    thrust: jax.Array = parameter("N", "thrust of all engines at sea level", default=1.04e6, at_least=0.0)
    drag: jax.Array = parameter("N", "drag of the aircraft", default=0.0, at_least=0.0)
    towed_drag: jax.Array = parameter("N", "drag of what it tows", default=0.0, at_least=0.0)
    density_ratio: jax.Array = parameter(
        "1", "density over that at sea level, which scales thrust", default=1.0
    )
    start: jax.Array = parameter("s", "when thrust is set", default=0.0)
    spool: jax.Array = parameter("s", "time for the thrust to build up", default=1e-9, above=0.0)
    load_factor: jax.Array = parameter("1", "normal load factor of a pull-up less one", default=0.0)
    pull_up: jax.Array = parameter("s", "when the pull-up begins, and how long it lasts", default=(0.0, 1.0))

    def forward(self) -> jax.Array:
        """Acceleration along the path at full thrust [m/s^2]."""
        excess = self.thrust * self.density_ratio - self.drag - self.towed_drag
        return excess / (self.mass + self.towed_mass)

    def acceleration(self, t):
        share = jnp.clip((t - self.start) / self.spool, 0.0, 1.0)
        begin, length = self.pull_up
        pulling = jnp.where((t >= begin) & (t <= begin + length), 1.0, 0.0)
        return jnp.stack([-share * self.forward(), -pulling * self.load_factor * 9.81, 0.0 * share])

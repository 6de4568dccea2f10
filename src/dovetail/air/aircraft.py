r"""Motion of the towing aircraft, which supports the rope: acceleration, speed and flight path.

Axes: x forward, y to port, z up. Any frame motion can be used (`fixed-frame` is steady flight). The acceleration is
prescribed, or follows from the balance of thrust, drag and the pull of the rope along the flight path:

.. math:: (m_{TA} + m_{tow})\,a = T - D_{TA} - D_{tow}

This balance is sufficient for the published figure; see the digest of the maximum tension run. In a glide or climb,
gravity and the air stream are tilted against the axes of the rope by the path angle.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.mechanics.motion import SupportMotion


@kind("accelerating")
class Accelerating(SupportMotion):
    """Constant acceleration from a start time on, reached by a ramp."""

    value: Parameter = parameter("m/s^2", "acceleration, (3,)")
    start: Parameter = parameter("s", "start time", default=0.0)
    ramp: Parameter = parameter("s", "duration of the ramp", default=0.0, at_least=0.0)

    def acceleration(self, t):
        # without a ramp, the full acceleration applies from `start` on
        fraction = jnp.where(
            self.ramp > 0, (t - self.start) / jnp.where(self.ramp > 0, self.ramp, 1.0), jnp.inf
        )
        return jnp.where(t >= self.start, jnp.clip(fraction, 0.0, 1.0), 0.0) * self.value


@kind("sine-squared-pulse")
class SineSquaredPulse(SupportMotion):
    r"""Single pulse of the support's position, :math:`A\sin^2(\pi B t)` for :math:`t \le 1/B`.

    Its acceleration is :math:`2AB^2\pi^2\cos(2\pi B t)`. The source omits the factor 2.
    Source: [Mastrogiuseppe 2023, sec. 4.1.3].
    """

    amplitude: Parameter = parameter("m", "amplitude along each axis, (3,)")
    frequency: Parameter = parameter("Hz", "inverse of the pulse duration", above=0.0)

    def acceleration(self, t):
        a = 2 * (self.frequency * jnp.pi) ** 2 * jnp.cos(2 * jnp.pi * self.frequency * t)
        return jnp.where(t <= 1 / self.frequency, a, 0.0) * self.amplitude


@kind("recorded-acceleration")
class RecordedAcceleration(SupportMotion):
    """Acceleration from a table over time: linear interpolation, constant beyond the ends."""

    time: Parameter = parameter("s", "increasing times, (k,)")
    value: Parameter = parameter("m/s^2", "accelerations, (k, 3)")

    def acceleration(self, t):
        return jnp.stack([jnp.interp(t, self.time, column) for column in self.value.T])


@kind("tug")
class Tug(SupportMotion):
    """Aircraft that accelerates with its excess thrust and pulls up with a load factor."""

    mass: Parameter = parameter("kg", "mass of the aircraft", default=250e3, above=0.0)
    towed_mass: Parameter = parameter("kg", "towed mass", default=0.0, at_least=0.0)
    thrust: Parameter = parameter("N", "thrust of all engines at sea level", default=1.04e6, at_least=0.0)
    drag: Parameter = parameter("N", "drag of the aircraft", default=0.0, at_least=0.0)
    towed_drag: Parameter = parameter("N", "drag of the towed body", default=0.0, at_least=0.0)
    density_ratio: Parameter = parameter(
        "1", "air density relative to sea level; scales the thrust", default=1.0
    )
    start: Parameter = parameter("s", "time at which thrust is set", default=0.0)
    spool_up_time: Parameter = parameter("s", "time for the thrust to build up", default=1e-9, above=0.0)
    load_factor: Parameter = parameter("1", "normal load factor of the pull-up minus 1", default=0.0)
    pull_up: Parameter = parameter("s", "start and duration of the pull-up", default=(0.0, 1.0))

    def forward_acceleration(self) -> jax.Array:
        """Acceleration along the path at full thrust [m/s^2]."""
        excess = self.thrust * self.density_ratio - self.drag - self.towed_drag
        return excess / (self.mass + self.towed_mass)

    def acceleration(self, t):
        fraction = jnp.clip((t - self.start) / self.spool_up_time, 0.0, 1.0)
        start, duration = self.pull_up
        pulling = jnp.where((t >= start) & (t <= start + duration), 1.0, 0.0)
        return jnp.stack(
            [fraction * self.forward_acceleration(), 0.0 * fraction, pulling * self.load_factor * 9.81]
        )

"""Commands to the tip device: open loop (ramps, steps, doublets) and position control."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, kind, parameter


class Command(Part):
    """Pitch and yaw command [rad] as a function of time."""

    @abstractmethod
    def __call__(self, t: jax.Array, r: jax.Array, v: jax.Array) -> jax.Array:
        """Return pitch up and yaw to starboard, (2,) [rad], at t [s] for tip position r [m] and velocity v [m/s]."""


@kind("no-command")
class NoCommand(Command):
    """Zero command: fins stay at trim."""

    def __call__(self, t, r, v):
        return jnp.zeros(2)


@kind("ramp-command")
class RampCommand(Command):
    """Ramp from zero to a constant angle. Several ramps with their own `start` times add up."""

    angle: Parameter = parameter("rad", "pitch and yaw reached, (2,) or (ramps, 2)")
    start: Parameter = parameter("s", "start of the ramp, one or (ramps,)", default=50.0)
    ramp: Parameter = parameter("s", "duration of a ramp", default=10.0, above=0.0)

    def __call__(self, t, r, v):
        angle, start = jnp.atleast_2d(self.angle), jnp.atleast_1d(self.start)
        return jnp.clip((t - start) / self.ramp, 0.0, 1.0) @ jnp.broadcast_to(angle, (len(start), 2))


@kind("step-command")
class StepCommand(Command):
    """Step to a constant angle."""

    angle: Parameter = parameter("rad", "pitch and yaw")
    start: Parameter = parameter("s", "time of the step", default=50.0)

    def __call__(self, t, r, v):
        return jnp.where(t >= self.start, 1.0, 0.0) * self.angle


@kind("doublet-command")
class Doublet(Command):
    """Positive angle for the first half of the width, negative angle for the second half."""

    angle: Parameter = parameter("rad", "pitch and yaw")
    start: Parameter = parameter("s", "start time", default=50.0)
    width: Parameter = parameter("s", "total duration of both halves", default=4.0, above=0.0)

    def __call__(self, t, r, v):
        elapsed = (t - self.start) / self.width
        sign = jnp.where(
            (elapsed >= 0) & (elapsed < 0.5), 1.0, jnp.where((elapsed >= 0.5) & (elapsed < 1), -1.0, 0.0)
        )
        return sign * self.angle


@kind("hold-position")
class HoldPosition(Command):
    """Control height and side position of the tip: proportional and rate feedback with a limit.

    Yaw and pitch respond to the errors in y (to port) and z (up). The controller is active from `start` on.
    """

    target: Parameter = parameter("m", "position y and z of the tip relative to the support, (2,)")
    gain: Parameter = parameter("rad/m", "gain from position error to angle", default=0.01, at_least=0.0)
    rate_gain: Parameter = parameter("rad s/m", "gain from velocity to angle", default=0.02, at_least=0.0)
    limit: Parameter = parameter("rad", "largest angle", default=0.2, above=0.0)
    start: Parameter = parameter("s", "time at which the controller is switched on", default=0.0)

    def __call__(self, t, r, v):
        port, up = self.gain * (self.target - r[1:]) - self.rate_gain * v[1:]
        angle = jnp.stack([up, -port])
        return jnp.where(t >= self.start, jnp.clip(angle, -self.limit, self.limit), 0.0)

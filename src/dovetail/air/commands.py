"""Commands to the device at the tip: open loop (ramps, steps, doublets), and holding a position."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter


class Command(Part):
    """A pair of angles [rad] in time: pitch and yaw."""

    @abstractmethod
    def __call__(self, t: jax.Array, r: jax.Array, v: jax.Array) -> jax.Array:
        """(2,) [rad]: pitch up and yaw to starboard at t [s], the tip being at r (3,) [m] with v (3,) [m/s]."""


@kind("no-command")
class NoCommand(Command):
    """Fins at their trim."""

    def __call__(self, t, r, v):
        return jnp.zeros(2)


@kind("ramp-command")
class RampCommand(Command):
    """From nothing to an angle in a time, and held there; several at `start` times add up."""

    angle: jax.Array = parameter("rad", "pitch and yaw reached, (2,) or (ramps, 2)")
    start: jax.Array = parameter("s", "when a ramp begins, one or (ramps,)", default=50.0)
    ramp: jax.Array = parameter("s", "how long a ramp takes", default=10.0, above=0.0)

    def __call__(self, t, r, v):
        angle, start = jnp.atleast_2d(self.angle), jnp.atleast_1d(self.start)
        return jnp.clip((t - start) / self.ramp, 0.0, 1.0) @ jnp.broadcast_to(angle, (len(start), 2))


@kind("step-command")
class StepCommand(Command):
    """At once to an angle."""

    angle: jax.Array = parameter("rad", "pitch and yaw")
    start: jax.Array = parameter("s", "when", default=50.0)

    def __call__(self, t, r, v):
        return jnp.where(t >= self.start, 1.0, 0.0) * self.angle


@kind("doublet-command")
class Doublet(Command):
    """One way for half the width, the other way for the other half."""

    angle: jax.Array = parameter("rad", "pitch and yaw")
    start: jax.Array = parameter("s", "when", default=50.0)
    width: jax.Array = parameter("s", "length of both halves", default=4.0, above=0.0)

    def __call__(self, t, r, v):
        since = (t - self.start) / self.width
        sign = jnp.where(
            (since >= 0) & (since < 0.5), 1.0, jnp.where((since >= 0.5) & (since < 1), -1.0, 0.0)
        )
        return sign * self.angle


@kind("hold-position")
class HoldPosition(Command):
    """Steer the tip to a depth and a side position: proportional and rate feedback within a limit.

    Pitch and yaw answer the error in y and z; `start` is when the controller is switched on.
    """

    target: jax.Array = parameter("m", "depth y and side position z")
    gain: jax.Array = parameter("rad/m", "angle by position error", default=0.01, at_least=0.0)
    rate_gain: jax.Array = parameter("rad s/m", "angle by velocity", default=0.02, at_least=0.0)
    limit: jax.Array = parameter("rad", "largest angle", default=0.2, above=0.0)
    start: jax.Array = parameter("s", "when it is switched on", default=0.0)

    def __call__(self, t, r, v):
        error = self.target - r[1:]
        wanted = (self.gain * error - self.rate_gain * v[1:]) * jnp.array(
            [-1.0, 1.0]
        )  # pitching up lifts: less y
        return jnp.where(t >= self.start, jnp.clip(wanted, -self.limit, self.limit), 0.0)

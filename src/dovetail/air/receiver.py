r"""The receiver's nozzle: how far it has come along a straight line, and where that line lies by the drogue.

The line is given in the drogue's axes as it hung at the start (x forward along its axis, z down, origin in the
ball joint). The nozzle starts aft of the drogue, off its axis by an offset at a clock position (0 is 12 o'clock), and
heads forward, towards the axis by an incidence. It keeps its attitude; the pilot does not react to contact.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter
from dovetail.mechanics.spatial import Pose
from dovetail.mechanics.spatial.rotation import exponential


class NozzleApproach(Part):
    """How far the nozzle has come along its line."""

    @abstractmethod
    def travel(self, t: jax.Array, free: jax.Array) -> jax.Array:
        """Way [m] and its first two rates, (3,), at t [s]; `free` [m] is the way to the nominal latch position."""


@kind("stop-in-distance")
class StopInDistance(NozzleApproach):
    """Constant speed up to the nominal latch position, then to rest over a distance [Bolien 2018, ch. 5 sec. IV]."""

    speed: jax.Array = parameter("m/s", "closure speed", default=1.5, above=0.0)
    distance: jax.Array = parameter("m", "in which it stops", default=0.5, above=0.0)

    def travel(self, t, free):
        return _braked(t, self.speed, free, self.speed**2 / (2 * self.distance))


@kind("stop-in-time")
class StopInTime(NozzleApproach):
    """Constant speed for a way, then to rest in a time, as in the scaled test [Bolien 2018, ch. 4.2 sec. IV]."""

    speed: jax.Array = parameter("m/s", "closure speed", default=1.5, above=0.0)
    time: jax.Array = parameter("s", "in which it stops", default=0.5, above=0.0)
    before: jax.Array = parameter("m", "way before it brakes", default=0.05, at_least=0.0)

    def travel(self, t, free):
        return _braked(t, self.speed, self.before, self.speed / self.time)


@kind("speed-profile")
class SpeedProfile(NozzleApproach):
    """To a speed and back to rest at constant accelerations: the validation rig [Bolien 2018, app. C.0.1]."""

    speed: jax.Array = parameter("m/s", "speed in between", default=1.0, above=0.0)
    accelerating: jax.Array = parameter("m", "way of acceleration", default=0.15, above=0.0)
    steady: jax.Array = parameter("m", "way at speed", default=0.18, at_least=0.0)
    braking: jax.Array = parameter("m", "way to rest", default=0.15, above=0.0)

    @property
    def duration(self) -> jax.Array:
        """[s] from rest to rest."""
        return (2 * self.accelerating + self.steady + 2 * self.braking) / self.speed

    def reached(self, way: jax.Array | float) -> jax.Array:
        """When [s] a way that lies in the part at speed has been covered."""
        return (way + self.accelerating) / self.speed

    def travel(self, t, free):
        v = self.speed
        a, b = v**2 / (2 * self.accelerating), v**2 / (2 * self.braking)
        t1 = v / a
        up = jnp.clip(t, 0.0, t1)
        on = _braked(t - t1, v, self.steady, b)
        begun = t > t1
        rise = jnp.stack([a * up**2 / 2, a * up, jnp.where(t < 0, 0.0, a)])
        return jnp.where(begun, on + jnp.stack([self.accelerating, 0.0 * v, 0.0 * v]), rise)


def _braked(t, speed, before, deceleration):
    """Way and rates at constant speed for a way, then at a constant deceleration to rest."""
    start = before / speed
    late = jnp.clip(t - start, 0.0, speed / deceleration)
    braking = (t > start) & (t < start + speed / deceleration)
    return jnp.stack(
        [
            speed * jnp.minimum(t, start) + speed * late - 0.5 * deceleration * late**2,
            speed - deceleration * late,
            jnp.where(braking, -deceleration, 0.0),
        ]
    )


@partial(jax.jit, inline=True)  # one program where it is asked outside of one
def _home(start: jax.Array, offset: jax.Array, clock: jax.Array, incidence: jax.Array):
    side = jnp.stack([jnp.zeros(()), -jnp.cos(clock), -jnp.sin(clock)])
    place = jnp.stack([-start, offset * jnp.sin(clock), -offset * jnp.cos(clock)])
    return exponential(incidence * side), place


@kind("receiver")
class Receiver(Part):
    """The nozzle's straight way to the drogue."""

    approach: NozzleApproach = StopInDistance()
    offset: jax.Array = parameter("m", "of the line from the drogue's axis, at the start", default=0.0)
    clock: jax.Array = parameter("rad", "where the offset is, from 12 o'clock to starboard", default=0.0)
    incidence: jax.Array = parameter("rad", "between line and axis, towards the axis", default=0.0)
    start: jax.Array = parameter("m", "aft of the ball joint at the start", default=0.75, above=0.0)
    latch: jax.Array = parameter("m", "aft of the ball joint when latched", default=0.12)

    @property
    def home(self) -> Pose:
        """Pose of the nozzle in the drogue at the start."""
        return Pose(*_home(self.start, self.offset, self.clock, self.incidence))

    def path(self, t: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Place, velocity and acceleration of the nozzle, (3,) each, in the axes of the drogue at the start."""
        home = self.home
        way, speed, rate = self.approach.travel(t, (self.start - self.latch) / jnp.cos(self.incidence))
        ahead = home.R[:, 0]
        return home.p + way * ahead, speed * ahead, rate * ahead

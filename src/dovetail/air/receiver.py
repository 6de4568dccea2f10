r"""The receiver's nozzle: travel along a straight line, and position of that line relative to the drogue.

The line is defined in the drogue's initial axes (x forward along its axis, z up, origin in the ball joint). The
nozzle starts aft of the drogue, off its axis by an offset at a clock position (0 is 12 o'clock). It moves forward,
towards the axis by an incidence angle. It keeps its attitude; the pilot does not react to contact.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, kind, parameter
from dovetail.mechanics.spatial import Pose
from dovetail.mechanics.spatial.rotation import exponential


class ApproachProfile(Part):
    """Travel of the nozzle along its line."""

    @abstractmethod
    def travel(self, t: jax.Array, free: jax.Array) -> jax.Array:
        """Travel [m] and its first two rates, (3,), at t [s]; `free` [m] is the distance to the nominal latch."""


@kind("stop-in-distance")
class StopInDistance(ApproachProfile):
    """Constant speed to the nominal latch position, then braking over a distance [Bolien 2018, ch. 5 sec. IV]."""

    speed: Parameter = parameter("m/s", "closure speed", default=1.5, above=0.0)
    distance: Parameter = parameter("m", "braking distance", default=0.5, above=0.0)

    def travel(self, t, free):
        return _braking_motion(t, self.speed, free, self.speed**2 / (2 * self.distance))


@kind("stop-in-time")
class StopInTime(ApproachProfile):
    """Constant speed over a distance, then braking in a given time: scaled test [Bolien 2018, ch. 4.2 sec. IV]."""

    speed: Parameter = parameter("m/s", "closure speed", default=1.5, above=0.0)
    time: Parameter = parameter("s", "braking time", default=0.5, above=0.0)
    free_distance: Parameter = parameter("m", "distance travelled before braking", default=0.05, at_least=0.0)

    def travel(self, t, free):
        return _braking_motion(t, self.speed, self.free_distance, self.speed / self.time)


@kind("speed-profile")
class SpeedProfile(ApproachProfile):
    """Constant acceleration to a speed, then constant braking to rest: validation rig [Bolien 2018, app. C.0.1]."""

    speed: Parameter = parameter(
        "m/s", "constant speed between acceleration and braking", default=1.0, above=0.0
    )
    acceleration_distance: Parameter = parameter("m", "distance of acceleration", default=0.15, above=0.0)
    constant_speed_distance: Parameter = parameter(
        "m", "distance at constant speed", default=0.18, at_least=0.0
    )
    braking_distance: Parameter = parameter("m", "braking distance", default=0.15, above=0.0)

    @property
    def duration(self) -> jax.Array:
        """Duration [s] from rest to rest."""
        return (
            2 * self.acceleration_distance + self.constant_speed_distance + 2 * self.braking_distance
        ) / self.speed

    def time_at(self, distance: jax.Array | float) -> jax.Array:
        """Time [s] at which a distance within the constant-speed phase has been covered."""
        return (distance + self.acceleration_distance) / self.speed

    def travel(self, t, free):
        v = self.speed
        a, b = v**2 / (2 * self.acceleration_distance), v**2 / (2 * self.braking_distance)
        t1 = v / a
        accelerating_time = jnp.clip(t, 0.0, t1)
        after = _braking_motion(t - t1, v, self.constant_speed_distance, b)
        before = jnp.stack([a * accelerating_time**2 / 2, a * accelerating_time, jnp.where(t < 0, 0.0, a)])
        return jnp.where(t > t1, after + jnp.stack([self.acceleration_distance, 0.0 * v, 0.0 * v]), before)


def _braking_motion(t, speed, free_distance, deceleration):
    """Travel and its rates: constant speed over a distance, then constant deceleration to rest."""
    start = free_distance / speed
    braking_time = jnp.clip(t - start, 0.0, speed / deceleration)
    braking = (t > start) & (t < start + speed / deceleration)
    return jnp.stack(
        [
            speed * jnp.minimum(t, start) + speed * braking_time - 0.5 * deceleration * braking_time**2,
            speed - deceleration * braking_time,
            jnp.where(braking, -deceleration, 0.0),
        ]
    )


@partial(jax.jit, inline=True)  # compiled once when called outside of jit
def _initial_pose(start: jax.Array, offset: jax.Array, clock: jax.Array, incidence: jax.Array):
    side = jnp.stack([jnp.zeros(()), jnp.cos(clock), jnp.sin(clock)])
    position = jnp.stack([-start, -offset * jnp.sin(clock), offset * jnp.cos(clock)])
    return exponential(incidence * side), position


@kind("receiver")
class Receiver(Part):
    """Straight approach of the nozzle to the drogue."""

    approach: ApproachProfile = StopInDistance()
    offset: Parameter = parameter("m", "initial distance of the nozzle from the drogue's axis", default=0.0)
    clock_angle: Parameter = parameter(
        "rad", "direction of the offset, from 12 o'clock to starboard", default=0.0
    )
    incidence: Parameter = parameter(
        "rad", "angle between line and axis, positive towards the axis", default=0.0
    )
    start: Parameter = parameter("m", "initial distance aft of the ball joint", default=0.75, above=0.0)
    latch_depth: Parameter = parameter("m", "distance aft of the ball joint when latched", default=0.12)

    @property
    def initial_pose(self) -> Pose:
        """Initial pose of the nozzle in the drogue's frame."""
        return Pose(*_initial_pose(self.start, self.offset, self.clock_angle, self.incidence))

    def path(self, t: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Position, velocity and acceleration of the nozzle, (3,) each, in the drogue's initial axes."""
        start = self.initial_pose
        distance, speed, rate = self.approach.travel(
            t, (self.start - self.latch_depth) / jnp.cos(self.incidence)
        )
        ahead = start.R[:, 0]
        return start.p + distance * ahead, speed * ahead, rate * ahead

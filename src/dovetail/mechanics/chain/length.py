r"""What a reel is told: the length of rope that it takes in, in time or from a contact on, as data.

All by a polynomial of fifth order at rest at both ends, :math:`10 s^3 - 15 s^4 + 6 s^5`. Source: as in [Bolien 2018,
secs 3.5.2, 3.5.3 and ch. 5 sec. IV-A].
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter


class ReelLaw(Part):
    """Length of rope that a reel is told to take in."""

    waits: ClassVar[bool] = False  # for a contact

    @abstractmethod
    def taken_in(self, t: Any, since_contact: Any, full: Any) -> jax.Array:
        """Length and its first two rates, (3,), at t [s], `since_contact` [s] after the first contact (0 before).

        `full` [m] is the chain's length when nothing is taken in.
        """

    def paid_out(self, t: Any, full: Any, since_contact: Any = 0.0) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Length that is out and its first two rates, for `Loads.length`."""
        return remaining(full, self.taken_in(t, since_contact, full))


def remaining(full: Any, taken: Any) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Length that is out and its two rates, when of `full` [m] so much is taken in, with its rates."""
    return full - taken[0], -taken[1], -taken[2]


@kind("still-reel")
class StillReel(ReelLaw):
    """The reel is told to stand still."""

    def taken_in(self, t, since_contact, full):
        return jnp.zeros(3)


@kind("timed-reel")
class TimedReel(ReelLaw):
    """A length taken in at a given time."""

    distance: jax.Array = parameter("m", "length taken in")
    duration: jax.Array = parameter("s", "how long it takes", above=0.0)
    start: jax.Array = parameter("s", "when it begins", default=0.0)

    def taken_in(self, t, since_contact, full):
        return smooth_step((t - self.start) / self.duration, self.distance, self.duration)


@kind("smooth-reel")
class SmoothReel(ReelLaw):
    """From one length paid out to another."""

    start_length: jax.Array = parameter("m", "length before", above=0.0)
    end_length: jax.Array = parameter("m", "length after", above=0.0)
    duration: jax.Array = parameter("s", "how long it takes", above=0.0)
    start: jax.Array = parameter("s", "when it begins", default=0.0)

    def taken_in(self, t, since_contact, full):
        way = self.start_length - self.end_length
        moved = smooth_step((t - self.start) / self.duration, way, self.duration)
        return moved.at[0].add(full - self.start_length)


@kind("contact-reel")
class ContactReel(ReelLaw):
    """The law of the flight tests: a while after first contact, over a multiple of the receiver's stopping time.

    1.5 m/s stopped in 0.5 m takes 0.667 s; the drum takes in 0.5 m in three times that, from 0.1 s after contact
    on [Bolien 2018, ch. 5 sec. IV-A].
    """

    waits: ClassVar[bool] = True

    distance: jax.Array = parameter("m", "length taken in: the receiver's stopping distance", default=0.5)
    duration: jax.Array = parameter("s", "three times the receiver's stopping time", default=2.0, above=0.0)
    delay: jax.Array = parameter("s", "from first contact to the start", default=0.1, at_least=0.0)

    def taken_in(self, t, since_contact, full):
        return smooth_step((since_contact - self.delay) / self.duration, self.distance, self.duration)


def smooth_step(s: Any, distance: Any, duration: Any) -> jax.Array:
    """From 0 to `distance` while s goes from 0 to 1 in `duration`, with its first two rates, (3,)."""
    s = jnp.clip(s, 0.0, 1.0)
    return jnp.stack(
        [
            distance * s**3 * (10 + s * (6 * s - 15)),
            distance / duration * 30 * s**2 * (1 - s) ** 2,
            distance / duration**2 * 60 * s * (1 - s) * (1 - 2 * s),
        ]
    )

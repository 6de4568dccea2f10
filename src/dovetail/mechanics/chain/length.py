"""Reel laws: reeled-in length of rope as a function of time or of the time since contact.

All laws use a polynomial of fifth order, at rest at both ends, :math:`10 s^3 - 15 s^4 + 6 s^5`. Source: as in [Bolien
2018, secs 3.5.2, 3.5.3 and ch. 5 sec. IV-A].
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, kind, parameter


class ReelLaw(Part):
    """Demand of a reel: reeled-in length of rope."""

    waits_for_contact: ClassVar[bool] = False

    @abstractmethod
    def reeled_length(self, t: Any, since_contact: Any, full: Any) -> jax.Array:
        """Return the length and its first two rates, (3,), at t [s], `since_contact` [s] after the first contact.

        `since_contact` is 0 before the contact; `full` [m] is the length of the chain when nothing is reeled in.
        """

    def paid_out_length(
        self, t: Any, full: Any, since_contact: Any = 0.0
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return the paid-out length and its first two rates, for `ChainLoads.length`."""
        return remaining_length(full, self.reeled_length(t, since_contact, full))


def remaining_length(full: Any, taken: Any) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return the paid-out length and its two rates for a length `full` [m] and the reeled-in length and rates."""
    return full - taken[0], -taken[1], -taken[2]


@kind("fixed-reel")
class FixedReel(ReelLaw):
    """Reel that does not move."""

    def reeled_length(self, t: Any, since_contact: Any, full: Any) -> jax.Array:
        return jnp.zeros(3)


@kind("timed-reel")
class TimedReel(ReelLaw):
    """Reel-in of a length at a given time."""

    distance: Parameter = parameter("m", "reeled-in length")
    duration: Parameter = parameter("s", "duration of the reel motion", above=0.0)
    start: Parameter = parameter("s", "start of the reel motion", default=0.0)

    def reeled_length(self, t: Any, since_contact: Any, full: Any) -> jax.Array:
        return smooth_step((t - self.start) / self.duration, self.distance, self.duration)


@kind("smooth-reel")
class SmoothReel(ReelLaw):
    """Change from one paid-out length to another."""

    initial_length: Parameter = parameter("m", "initial paid-out length", above=0.0)
    final_length: Parameter = parameter("m", "final paid-out length", above=0.0)
    duration: Parameter = parameter("s", "duration of the reel motion", above=0.0)
    start: Parameter = parameter("s", "start of the reel motion", default=0.0)

    def reeled_length(self, t: Any, since_contact: Any, full: Any) -> jax.Array:
        distance = self.initial_length - self.final_length
        reeled = smooth_step((t - self.start) / self.duration, distance, self.duration)
        return reeled.at[0].add(full - self.initial_length)


@kind("contact-reel")
class ContactReel(ReelLaw):
    """Reel law of the flight tests: starts after contact, lasts a multiple of the receiver's stopping time.

    1.5 m/s stopped in 0.5 m takes 0.667 s; the drum reels in 0.5 m in three times that, from 0.1 s after contact
    [Bolien 2018, ch. 5 sec. IV-A].
    """

    waits_for_contact: ClassVar[bool] = True

    distance: Parameter = parameter("m", "reeled-in length: the receiver's stopping distance", default=0.5)
    duration: Parameter = parameter("s", "three times the receiver's stopping time", default=2.0, above=0.0)
    delay: Parameter = parameter("s", "from first contact to the start", default=0.1, at_least=0.0)

    def reeled_length(self, t: Any, since_contact: Any, full: Any) -> jax.Array:
        return smooth_step((since_contact - self.delay) / self.duration, self.distance, self.duration)


def smooth_step(s: Any, distance: Any, duration: Any) -> jax.Array:
    """Return the transition from 0 to `distance` for s from 0 to 1 in `duration`, with its first two rates, (3,)."""
    s = jnp.clip(s, 0.0, 1.0)
    return jnp.stack(
        [
            distance * s**3 * (10 + s * (6 * s - 15)),
            distance / duration * 30 * s**2 * (1 - s) ** 2,
            distance / duration**2 * 60 * s * (1 - s) * (1 - 2 * s),
        ]
    )

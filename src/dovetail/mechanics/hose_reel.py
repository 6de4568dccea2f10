r"""The hose-drum unit: what it is told, how it follows, and which links grow shorter.

The drum takes in a length s of hose. It is told :math:`s_r(t)` and, where it has dynamics, answers as

.. math:: m_d\ddot s = m_d\ddot s_r + K_p(s_r - s) + K_v(\dot s_r - \dot s) + F_0 - t_1

with the tension :math:`t_1` of the first link and a holding force :math:`F_0`. No integral action. Source:
[Bolien 2018, secs 3.5.2 and 3.5.3]; the coupling to :math:`t_1` is the frictionless roller's.
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter


class ReelLaw(Part):
    """Length of hose that the drum is told to take in."""

    @abstractmethod
    def told(self, t: jax.Array, since_contact: jax.Array) -> jax.Array:
        """Length and its first two rates, (3,), at t [s], `since_contact` [s] after the first contact (0 before)."""


@kind("still-reel")
class StillReel(ReelLaw):
    """The drum is told to stand still."""

    def told(self, t, since_contact):
        return jnp.zeros(3)


@kind("timed-reel")
class TimedReel(ReelLaw):
    """A length taken in at a given time, by a polynomial of fifth order, at rest at both ends."""

    distance: jax.Array = parameter("m", "length taken in")
    duration: jax.Array = parameter("s", "how long it takes", above=0.0)
    start: jax.Array = parameter("s", "when it begins", default=0.0)

    def told(self, t, since_contact):
        return quintic(t - self.start, self.distance, self.duration)


@kind("contact-reel")
class ContactReel(ReelLaw):
    """The law of the flight tests: a while after first contact, over a multiple of the receiver's stopping time.

    1.5 m/s stopped in 0.5 m takes 0.667 s; the drum takes in 0.5 m in three times that, from 0.1 s after contact
    on [Bolien 2018, ch. 5 sec. IV-A].
    """

    distance: jax.Array = parameter("m", "length taken in: the receiver's stopping distance", default=0.5)
    duration: jax.Array = parameter("s", "three times the receiver's stopping time", default=2.0, above=0.0)
    delay: jax.Array = parameter("s", "from first contact to the start", default=0.1, at_least=0.0)

    def told(self, t, since_contact):
        return quintic(since_contact - self.delay, self.distance, self.duration)


def quintic(t: jax.Array, distance: jax.Array, duration: jax.Array) -> jax.Array:
    """Smooth step from 0 to `distance` over `duration`, with its first two rates, (3,)."""
    s = jnp.clip(t / duration, 0.0, 1.0)
    return jnp.stack(
        [
            distance * s**3 * (10 + s * (6 * s - 15)),
            distance / duration * 30 * s**2 * (1 - s) ** 2,
            distance / duration**2 * 60 * s * (1 - s) * (1 - 2 * s),
        ]
    )


class Drum(Part):
    """How the drum follows what it is told."""

    @abstractmethod
    def drive(self, told: jax.Array, s: jax.Array, s_rate: jax.Array) -> tuple[jax.Array, jax.Array | None]:
        """Force [N] on the reeled hose and inertia [kg] of the drum; or the reel's acceleration [m/s^2] and None."""


@kind("exact-drum")
class ExactDrum(Drum):
    """A drum that does what it is told, whatever the tension."""

    def drive(self, told, s, s_rate):
        return told[2], None


@kind("hose-drum")
class HoseDrum(Drum):
    """A drum with inertia, driven by feed-forward and a proportional and derivative controller."""

    inertia: jax.Array = parameter("kg", "equivalent linear inertia", default=100.0, above=0.0)
    stiffness: jax.Array = parameter("N/m", "proportional gain", default=1000.0, at_least=0.0)
    damping: jax.Array = parameter("N s/m", "derivative gain", default=100.0, at_least=0.0)
    feed_forward: jax.Array = parameter("1", "share of the inertia force fed forward", default=1.0)
    holding: jax.Array = parameter("N", "force that carries the tension of steady flight", default=0.0)
    carried: jax.Array = parameter("kg/m", "hose that moves on with the drum, by its length", default=0.0)

    def drive(self, told, s, s_rate):
        force = self.feed_forward * self.inertia * told[2] + self.holding
        force = force + self.stiffness * (told[0] - s) + self.damping * (told[1] - s_rate)
        return force, self.inertia + self.carried * s


# which links grow shorter: lengths (n,) of hose links and their first two derivatives by the reeled length


def fixed_lengths(s: jax.Array, length: jax.Array, n: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """No link changes: the hose is fixed, or drawn in as a whole."""
    return jnp.full(n, length / n), jnp.zeros(n), jnp.zeros(n)


def uniform_lengths(s: jax.Array, length: jax.Array, n: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Every link takes an equal share."""
    return jnp.full(n, (length - s) / n), jnp.full(n, -1.0 / n), jnp.zeros(n)


def sequential_lengths(
    s: jax.Array, length: jax.Array, n: int, stub: float = 0.05, corner: float = 0.05
) -> tuple[jax.Array, jax.Array, jax.Array]:
    r"""One link after another, from the tow point on, down to a stub.

    Where one hands over to the next the shares change over a rounded corner. `stub` and `corner` are fractions
    of a link. It is what the published tests ran; the nodes below are material points, so nothing slides.
    """
    l0 = length / n
    w = corner * l0
    begin = l0 * (1 - stub) * jnp.arange(1, n + 1)  # where link k + 1 begins to shrink

    def ramp(u):
        inside = jnp.abs(u) < w
        value = jnp.where(inside, (u + w) ** 2 / (4 * w), jnp.maximum(u, 0.0))
        slope = jnp.where(inside, (u + w) / (2 * w), (u > 0) * 1.0)
        return value, slope, jnp.where(inside, 1 / (2 * w), 0.0)

    ends = ramp(s - begin)
    starts = (
        jnp.concatenate([jnp.stack([s]), ends[0][:-1]]),
        jnp.concatenate([jnp.ones(1), ends[1][:-1]]),
        jnp.concatenate([jnp.zeros(1), ends[2][:-1]]),
    )
    return l0 - starts[0] + ends[0], -starts[1] + ends[1], -starts[2] + ends[2]

"""Length of a rope in time: what a reel does, as data."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter


class LengthProgramme(Part):
    """Total length of a rope in time."""

    @abstractmethod
    def length(self, t: jax.Array) -> jax.Array:
        """[m] at t [s], twice differentiable."""

    def __call__(self, t: jax.Array) -> jax.Array:
        """Length and its first two rates, (3,) [m, m/s, m/s^2], for `Loads.length`."""
        t = jnp.asarray(t, float)

        def rate(t):
            return jax.jvp(self.length, (t,), (jnp.ones_like(t),))[1]

        return jnp.stack([self.length(t), *jax.jvp(rate, (t,), (jnp.ones_like(t),))])


@kind("smooth-reel")
class SmoothReel(LengthProgramme):
    r"""From one length to another by a polynomial of fifth order, at rest at both ends.

    .. math:: L = L_0 + (L_1 - L_0)(10 s^3 - 15 s^4 + 6 s^5), \qquad s = (t - t_0)/T

    Source: as in [Bolien 2018, sec. 3.5.3].
    """

    start_length: jax.Array = parameter("m", "length before", above=0.0)
    end_length: jax.Array = parameter("m", "length after", above=0.0)
    duration: jax.Array = parameter("s", "how long it takes", above=0.0)
    start: jax.Array = parameter("s", "when it begins", default=0.0)

    def length(self, t):
        s = jnp.clip((t - self.start) / self.duration, 0.0, 1.0)
        return self.start_length + (self.end_length - self.start_length) * s**3 * (10 + s * (6 * s - 15))

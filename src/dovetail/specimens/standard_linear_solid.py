"""A spring whose force relaxes while it is held, as rubber and webbing do."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.specimens.base import Specimen


@kind("relaxing-spring")
class RelaxingSpring(Specimen):
    r"""The standard linear solid: a spring beside a spring in series with a damper.

    .. math:: F = -k\,[(1 - \sigma)\,x + \sigma\,(x - y)], \qquad \tau\,\dot y = x - y

    Loaded fast it is a spring of stiffness k; held, its force falls by the share :math:`\sigma` with the time
    constant :math:`\tau`. A slow test thus finds a softer specimen than a fast one, the more so the longer it
    dwells. Source: [Bolien 2018, sec. 4.1], where a ball's force is seen to fall during the test.
    """

    k: jax.Array = parameter("N/m", "stiffness when loaded fast", above=0.0)
    share: jax.Array = parameter("1", "of the force that relaxes", default=0.1, at_least=0.0, at_most=1.0)
    tau: jax.Array = parameter("s", "time constant of the relaxation", default=60.0, above=0.0)
    shape: tuple[int, ...] = eqx.field(default=(), static=True)

    def sampled_at(self, dt, shape=()):
        return RelaxingSpring(self.k, self.share, self.tau, tuple(shape))

    def init(self):
        return jnp.zeros(self.shape)

    def derivative(self, t, x, u):
        return (u["displacement"] - x) / self.tau

    def output(self, t, x, u):
        return {"force": -self.k * (u["displacement"] - self.share * x)}

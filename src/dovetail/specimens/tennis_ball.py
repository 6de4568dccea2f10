r"""A tennis ball under a plate: hardening, hysteresis, creep, and stiffening at speed.

Squeezed by :math:`\delta` its force is

.. math:: F = \big(k_1\delta + k_3\langle\delta - \delta_0\rangle^2\big)\,\big(1 - h\,\tfrac{1 - d}{2}\big)\,
          \big(1 - \kappa(1 - e^{-t_l/\tau})\big) + F_r

- d, between 1 in loading and -1 in unloading, is a memory of the direction,
  :math:`b_0\dot d = \dot\delta - |\dot\delta| d`: the loop does not depend on the rate, and a ball at rest remembers
  which way it was squeezed;
- :math:`t_l` is the time spent under load, in the specimen's own time: minutes in a slow test, nothing in a fast one;
- :math:`F_r = k_r(g - y)`, :math:`\tau_r\dot y = g - y`, :math:`g = \langle\delta-\delta_0\rangle^2`, stiffens the
  hardening branch at speed and relaxes, and the loss rises from h to :math:`h + h_r` with the speed.

A surrogate: the defaults were fitted to the published near-linear range (35 mm) and peak squeeze (90 % of 67 mm);
the effects of speed to the published order of a fast and a slow drop [Bolien 2018, ch. 4].
"""

from __future__ import annotations

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.specimens.base import Specimen


@kind("tennis-ball")
class TennisBall(Specimen):
    """A ball on a base; the plate's height above the base is `home` plus the imposed displacement."""

    home: jax.Array = parameter("m", "height of the plate at the start", default=0.205)
    diameter: jax.Array = parameter("m", "of the ball", default=0.067, above=0.0)
    stiffness: jax.Array = parameter("N/m", "k_1", default=5000.0, at_least=0.0)
    hardening: jax.Array = parameter("N/m^2", "k_3", default=5.2e5, at_least=0.0)
    soft_range: jax.Array = parameter("m", "squeeze up to which it is linear", default=0.035, at_least=0.0)
    loss: jax.Array = parameter(
        "1", "h, share of the force lost in unloading", default=0.2, at_least=0.0, at_most=1.0
    )
    turn: jax.Array = parameter("m", "b_0, way over which it turns round", default=5e-4, above=0.0)
    creep: jax.Array = parameter(
        "1", "kappa, share of the stiffness lost under load", default=0.0, at_least=0.0
    )
    creep_time: jax.Array = parameter("s", "tau", default=600.0, above=0.0)
    fast_hardening: jax.Array = parameter("N/m^2", "k_r", default=0.0, at_least=0.0)
    fast_time: jax.Array = parameter("s", "tau_r", default=0.1, above=0.0)
    fast_loss: jax.Array = parameter("1", "h_r", default=0.0, at_least=0.0)
    fast_speed: jax.Array = parameter("m/s", "speed at which h_r is there", default=0.1, above=0.0)

    shape: tuple[int, ...] = eqx.field(default=(), static=True)  # of the axes that it is on

    def sampled_at(self, dt, shape=()):
        return dataclasses.replace(self, shape=tuple(shape))

    def init(self) -> dict[str, jax.Array]:
        return {
            "direction": jnp.ones(self.shape),
            "loaded": jnp.zeros(self.shape),
            "relaxed": jnp.zeros(self.shape),
        }

    def squeeze(self, u) -> tuple[jax.Array, jax.Array]:
        """[m] and its rate [m/s]; negative where the plate is above the ball."""
        return self.diameter - self.home - u["displacement"], -u["velocity"]

    def derivative(self, t, x, u):
        d, rate = self.squeeze(u)
        touching = d > 0
        deep = jnp.maximum(d - self.soft_range, 0.0) ** 2
        turned = (rate - jnp.abs(rate) * x["direction"]) / self.turn
        fresh = (
            jnp.abs(rate) * (1 - x["direction"]) / self.turn
        )  # a ball that was let go is loaded anew next time
        return {
            "direction": jnp.where(touching, turned, fresh),
            "loaded": jnp.where(touching, 1.0, 0.0),
            # where nothing relaxes nothing is followed: a slow test takes steps far longer than the time constant
            "relaxed": jnp.where(self.fast_hardening > 0, (deep - x["relaxed"]) / self.fast_time, 0.0),
        }

    def output(self, t, x, u):
        d, rate = self.squeeze(u)
        deep = jnp.maximum(d - self.soft_range, 0.0) ** 2
        loss = self.loss + self.fast_loss * jnp.tanh(jnp.abs(rate) / self.fast_speed)
        weak = 1 - self.creep * -jnp.expm1(-x["loaded"] / self.creep_time)
        static = (self.stiffness * d + self.hardening * deep) * weak
        fast = self.fast_hardening * (deep - x["relaxed"])
        force = (static + fast) * (1 - loss * 0.5 * (1 - x["direction"]))
        return {"force": jnp.where(d > 0, jnp.maximum(force, 0.0), 0.0), "depth": jnp.maximum(d, 0.0)}

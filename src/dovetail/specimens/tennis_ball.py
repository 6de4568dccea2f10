r"""Tennis ball under a plate: hardening, hysteresis, material creep, and stiffening at speed.

Compressed by :math:`\delta` its force is

.. math:: F = \big(k_1\delta + k_3\langle\delta - \delta_0\rangle^2\big)\,\big(1 - h\,\tfrac{1 - d}{2}\big)\,
          \big(1 - \kappa(1 - e^{-t_l/\tau})\big) + F_r

- d, between 1 in loading and -1 in unloading, is a memory of the direction,
  :math:`b_0\dot d = \dot\delta - |\dot\delta| d`: the loop does not depend on the rate, and a ball at rest keeps the
  direction of its last motion;
- :math:`t_l` is the time under load in the specimen's own time: minutes in a slow test, negligible in a fast one;
- :math:`F_r = k_r(g - y)`, :math:`\tau_r\dot y = g - y`, :math:`g = \langle\delta-\delta_0\rangle^2`, stiffens the
  hardening branch at speed and relaxes, and the loss rises from h to :math:`h + h_r` with the speed.

This is a surrogate model. The defaults were fitted to the published near-linear range (35 mm) and peak compression
(90 % of 67 mm), the speed effects to the published order of a fast and a slow drop [Bolien 2018, ch. 4].
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.specimens.base import Specimen


@kind("tennis-ball")
class TennisBall(Specimen):
    """Ball on a base; the plate's height above the base is `initial_position` plus the imposed displacement."""

    initial_position: Parameter = parameter("m", "initial height of the plate", default=0.205)
    diameter: Parameter = parameter("m", "diameter of the ball", default=0.067, above=0.0)
    stiffness: Parameter = parameter("N/m", "linear stiffness k_1", default=5000.0, at_least=0.0)
    hardening: Parameter = parameter("N/m^2", "hardening stiffness k_3", default=5.2e5, at_least=0.0)
    linear_range: Parameter = parameter(
        "m", "compression up to which the force is linear", default=0.035, at_least=0.0
    )
    loss: Parameter = parameter(
        "1", "h, fraction of the force lost in unloading", default=0.2, at_least=0.0, at_most=1.0
    )
    reversal_distance: Parameter = parameter(
        "m", "b_0, travel over which the direction memory reverses", default=5e-4, above=0.0
    )
    creep: Parameter = parameter(
        "1", "kappa, fraction of the stiffness lost under load", default=0.0, at_least=0.0
    )
    creep_time: Parameter = parameter("s", "creep time constant tau", default=600.0, above=0.0)
    fast_hardening: Parameter = parameter(
        "N/m^2", "hardening stiffness at speed, k_r", default=0.0, at_least=0.0
    )
    fast_time: Parameter = parameter("s", "relaxation time constant tau_r", default=0.1, above=0.0)
    fast_loss: Parameter = parameter("1", "additional loss at speed, h_r", default=0.0, at_least=0.0)
    fast_speed: Parameter = parameter("m/s", "speed scale of the additional loss h_r", default=0.1, above=0.0)

    shape: tuple[int, ...] = eqx.field(default=(), static=True)  # shape of the interface axes

    def init(self) -> dict[str, jax.Array]:
        return {
            "direction": jnp.ones(self.shape),
            "loaded": jnp.zeros(self.shape),
            "relaxed": jnp.zeros(self.shape),
        }

    def compression(self, u: Input) -> tuple[jax.Array, jax.Array]:
        """Compression [m] and its rate [m/s]; the compression is negative while the plate is above the ball."""
        return self.diameter - self.initial_position - u["displacement"], -u["velocity"]

    def derivative(self, t: Time, x: State, u: Input) -> State:
        d, rate = self.compression(u)
        touching = d > 0
        excess_squared = jnp.maximum(d - self.linear_range, 0.0) ** 2
        direction_rate = (rate - jnp.abs(rate) * x["direction"]) / self.reversal_distance
        recovery_rate = (
            jnp.abs(rate) * (1 - x["direction"]) / self.reversal_distance
        )  # an unloaded ball returns to the loading branch
        return {
            "direction": jnp.where(touching, direction_rate, recovery_rate),
            "loaded": jnp.where(touching, 1.0, 0.0),
            # omitted without relaxation: a slow test uses steps far longer than the time constant
            "relaxed": jnp.where(
                self.fast_hardening > 0, (excess_squared - x["relaxed"]) / self.fast_time, 0.0
            ),
        }

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        return jnp.ravel(jnp.stack(self.compression(u)))

    def output(self, t: Time, x: State, u: Input) -> Output:
        d, rate = self.compression(u)
        excess_squared = jnp.maximum(d - self.linear_range, 0.0) ** 2
        loss = self.loss + self.fast_loss * jnp.tanh(jnp.abs(rate) / self.fast_speed)
        remaining = 1 - self.creep * -jnp.expm1(-x["loaded"] / self.creep_time)
        static = (self.stiffness * d + self.hardening * excess_squared) * remaining
        fast = self.fast_hardening * (excess_squared - x["relaxed"])
        force = (static + fast) * (1 - loss * 0.5 * (1 - x["direction"]))
        return {"force": jnp.where(d > 0, jnp.maximum(force, 0.0), 0.0), "penetration": jnp.maximum(d, 0.0)}

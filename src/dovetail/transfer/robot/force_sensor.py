r"""Six-axis force and torque sensor that carries a tool: reading and compensation of the tool weight.

The origin Q of the sensor is at r from the reference point P of the wrench. The reading contains the contact wrench,
the weight of the tool, a bias and noise, and is limited to the range:

.. math:: f_Q = f + m g + f_0 + \nu, \qquad \tau_Q = \tau_P - r\times f + c\times m g + \tau_0 + \nu'

The compensation subtracts the weight and the tare and shifts the moment to P. The noise, the drift of the bias since
the tare and an error of the weight remain. The source does not describe a compensation, but without it the weight of
its tool of 17.9 kg would enter the simulation as a contact force of 176 N. Source: [Bolien 2018, app. C].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Input, Output, Parameter, State, Time, choice, count, kind, parameter
from dovetail.core.random import Random
from dovetail.transfer.base import Transfer


@kind("force-torque-sensor")
class ForceTorqueSensor(Random, Transfer):
    """Force and torque sensor: from the wrench (6,) about P to its compensated reading, in the axes of the sensor.

    The tare is the mean of the first `tare_samples` readings, taken before contact. The output is zero during the tare.
    """

    force_noise: Parameter = parameter("N", "standard deviation of a force sample", default=0.0, at_least=0.0)
    torque_noise: Parameter = parameter(
        "N m", "standard deviation of a torque sample", default=0.0, at_least=0.0
    )
    bias: Parameter = parameter("N", "bias of the sensor, forces then torques [N m]", default=(0.0,) * 6)
    drift: Parameter = parameter("N/s", "drift of the bias, forces then torques [N m/s]", default=(0.0,) * 6)
    force_range: Parameter = parameter("N", "largest force reading on each axis", default=jnp.inf, above=0.0)
    torque_range: Parameter = parameter(
        "N m", "largest torque reading on each axis", default=jnp.inf, above=0.0
    )
    mass: Parameter = parameter("kg", "mass of the tool", default=0.0, at_least=0.0)
    centre: Parameter = parameter(
        "m", "centre of mass of the tool, from the origin of the sensor", default=(0.0,) * 3
    )
    compensation_mass: Parameter = parameter(
        "kg", "mass of the tool that the compensation assumes", default=0.0, at_least=0.0
    )
    compensation_centre: Parameter = parameter(
        "m", "centre of mass that the compensation assumes", default=(0.0,) * 3
    )
    origin: Parameter = parameter("m", "origin of the sensor, from P", default=(0.0,) * 3)
    gravity: Parameter = parameter("m/s^2", "gravity in the axes of the sensor", default=(0.0, 0.0, 9.81))
    tare: str = choice(
        "first", "none", about="subtract the mean of the first readings, or no tare", default="first"
    )
    tare_samples: int = count("number of readings of the tare", default=25, at_least=1)

    def _per_axis(self) -> list[str]:
        return ["bias", "drift"]

    def raw_reading(
        self, wrench: Float[Array, "6"], gravity: Float[Array, "3"], t: Time = 0.0
    ) -> Float[Array, "6"]:
        """Return the reading without noise, compensation and range."""
        weight = self.mass * gravity
        force = wrench[:3] + weight
        torque = wrench[3:] - jnp.cross(self.origin, wrench[:3]) + jnp.cross(self.centre, weight)
        reading: jax.Array = jnp.concatenate([force, torque]) + self.bias + self.drift * t
        return reading

    def compensate(
        self, raw: Float[Array, "6"], gravity: Float[Array, "3"], tare: Float[Array, "6"]
    ) -> Float[Array, "6"]:
        """Return the wrench about P for a raw reading; the tare is a reading minus the compensated weight."""
        wrench = raw - self.compensated_weight(gravity) - tare
        return jnp.concatenate([wrench[:3], wrench[3:] + jnp.cross(self.origin, wrench[:3])])

    def compensated_weight(self, gravity: Float[Array, "3"]) -> Float[Array, "6"]:
        """Return the contribution of the tool weight to the reading, as the compensation assumes it."""
        weight = self.compensation_mass * gravity
        return jnp.concatenate([weight, jnp.cross(self.compensation_centre, weight)])

    def clip_to_range(self, raw: Float[Array, "6"]) -> Float[Array, "6"]:
        """Return the reading, limited to the range of the sensor."""
        limits = jnp.repeat(jnp.stack([self.force_range, self.torque_range]), 3)
        return jnp.clip(raw, -limits, limits)

    def init(self) -> State:
        if self.key is None:
            self.draw_key(0)  # raises an error before the run if the part has no key
        return {"count": jnp.zeros((), jnp.uint32), "sum": jnp.zeros(6)}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        noise = jax.random.normal(self.draw_key(x["count"]), (6,))
        noise = noise * jnp.repeat(jnp.stack([self.force_noise, self.torque_noise]), 3)
        raw = self.clip_to_range(self.raw_reading(u, self.gravity, t) + noise)
        is_tare = x["count"] < self.tare_samples
        total = jnp.where(is_tare, x["sum"] + raw - self.compensated_weight(self.gravity), x["sum"])
        state = {"count": x["count"] + 1, "sum": total}
        if self.tare == "none":
            return state, self.compensate(raw, self.gravity, jnp.zeros(6))
        reading = self.compensate(raw, self.gravity, total / self.tare_samples)
        return state, jnp.where(is_tare, 0.0, reading)

r"""A six-axis force and torque sensor behind a tool that has weight: what it reads, and what is made of it.

The sensor's origin Q is at r from the point P about which the wrench is wanted. Beside the contact's wrench it
feels the tool's weight, a bias and noise, and it has an end:

.. math:: f_Q = f + m g + f_0 + \nu, \qquad \tau_Q = \tau_P - r\times f + c\times m g + \tau_0 + \nu'

The reading is made good in the reverse order: tare and known weight off, moment back to P. What remains is the noise,
what the bias has drifted since the tare, and the weight that was not known. Not described in the source, but its
tool of 17.9 kg would otherwise enter the simulation as a contact force of 176 N. Source: [Bolien 2018, app. C].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import choice, count, kind, parameter
from dovetail.core.random import Random
from dovetail.transfer.base import Transfer


@kind("force-torque-sensor")
class ForceTorqueSensor(Random, Transfer):
    """A wrench (6,) about P in, its compensated reading out; all in the sensor's axes.

    The tare is the mean of the first `tare_samples` readings, taken before contact; until it is taken the output is
    zero.
    """

    force_noise: jax.Array = parameter("N", "standard deviation of a sample", default=0.0, at_least=0.0)
    torque_noise: jax.Array = parameter("N m", "standard deviation of a sample", default=0.0, at_least=0.0)
    bias: jax.Array = parameter("N", "of the sensor, forces then torques", default=(0.0,) * 6)
    drift: jax.Array = parameter("N/s", "of the bias, forces then torques", default=(0.0,) * 6)
    force_range: jax.Array = parameter("N", "beyond which it reads no more", default=jnp.inf, above=0.0)
    torque_range: jax.Array = parameter("N m", "beyond which it reads no more", default=jnp.inf, above=0.0)
    mass: jax.Array = parameter("kg", "of the tool", default=0.0, at_least=0.0)
    centre: jax.Array = parameter("m", "of the tool's mass, from the sensor's origin", default=(0.0,) * 3)
    known_mass: jax.Array = parameter("kg", "that compensation takes it for", default=0.0, at_least=0.0)
    known_centre: jax.Array = parameter("m", "that compensation takes it for", default=(0.0,) * 3)
    origin: jax.Array = parameter("m", "of the sensor, from the point of the wrench", default=(0.0,) * 3)
    gravity: jax.Array = parameter("m/s^2", "in the sensor's axes", default=(0.0, 0.0, 9.81))
    tare: str = choice("first", "none", about="whether the first readings are subtracted", default="first")
    tare_samples: int = count("readings that make the tare", default=25, at_least=1)

    def _per_axis(self) -> list[str]:
        return ["bias", "drift"]

    def raw(self, wrench: Float[Array, "6"], gravity: Float[Array, "3"], t=0.0) -> Float[Array, "6"]:
        """What the sensor feels, without noise."""
        weight = self.mass * gravity
        force = wrench[:3] + weight
        torque = wrench[3:] - jnp.cross(self.origin, wrench[:3]) + jnp.cross(self.centre, weight)
        return jnp.concatenate([force, torque]) + self.bias + self.drift * t

    def compensated(
        self, raw: Float[Array, "6"], gravity: Float[Array, "3"], tare: Float[Array, "6"]
    ) -> Float[Array, "6"]:
        """The wrench about P that a raw reading stands for; the tare is a reading less the known weight."""
        free = raw - self.known_weight(gravity) - tare
        return jnp.concatenate([free[:3], free[3:] + jnp.cross(self.origin, free[:3])])

    def known_weight(self, gravity: Float[Array, "3"]) -> Float[Array, "6"]:
        """What the tool's weight is thought to do to the reading."""
        weight = self.known_mass * gravity
        return jnp.concatenate([weight, jnp.cross(self.known_centre, weight)])

    def limited(self, raw: Float[Array, "6"]) -> Float[Array, "6"]:
        """The reading within the sensor's range."""
        ends = jnp.repeat(jnp.stack([self.force_range, self.torque_range]), 3)
        return jnp.clip(raw, -ends, ends)

    def init(self):
        if self.key is None:
            self.drawn(0)  # says what to do
        return {"count": jnp.zeros((), jnp.uint32), "sum": jnp.zeros(6)}

    def step(self, t, dt, x, u):
        noise = jax.random.normal(self.drawn(x["count"]), (6,))
        noise = noise * jnp.repeat(jnp.stack([self.force_noise, self.torque_noise]), 3)
        raw = self.limited(self.raw(u, self.gravity, t) + noise)
        taring = x["count"] < self.tare_samples
        total = jnp.where(taring, x["sum"] + raw - self.known_weight(self.gravity), x["sum"])
        state = {"count": x["count"] + 1, "sum": total}
        if self.tare == "none":
            return state, self.compensated(raw, self.gravity, jnp.zeros(6))
        reading = self.compensated(raw, self.gravity, total / self.tare_samples)
        return state, jnp.where(taring, 0.0, reading)

"""Controllers of an inner loop, from the position error to the drive signal."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, kind, parameter


class Controller(Part):
    """Linear controller C(s), from the error to the drive signal."""

    @abstractmethod
    def polynomials(self) -> tuple[jax.Array, jax.Array]:
        """Numerator and denominator in s, highest power first along the first axis."""


@kind("p-controller")
class Proportional(Controller):
    """Proportional controller, u = kp e."""

    kp: Parameter = parameter("1", "gain, in units of the drive per unit of displacement")

    def polynomials(self) -> tuple[jax.Array, jax.Array]:
        return self.kp[None], jnp.ones(1)


@kind("pid-controller")
class PID(Controller):
    r"""PID controller, u = kp e + ki :math:`\int` e dt + kd de/dt.

    The derivative is not filtered, so the plant must not have direct feedthrough.
    """

    kp: Parameter = parameter("1", "gain, in units of the drive per unit of displacement")
    ki: Parameter = parameter("1/s", "gain of the integral", default=0.0)
    kd: Parameter = parameter("s", "gain of the derivative", default=0.0)

    @classmethod
    def from_decibels(cls, p: float, i: float, d: float) -> PID:
        """Create a PID from gains in dB (20 log10), the format of many test rig controllers."""
        return cls(*(10.0 ** (value / 20.0) for value in (p, i, d)))

    def polynomials(self) -> tuple[jax.Array, jax.Array]:
        kd, kp, ki = jnp.broadcast_arrays(self.kd, self.kp, self.ki)
        return jnp.stack([kd, kp, ki]), jnp.array([1.0, 0.0])

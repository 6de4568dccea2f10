r"""Struts between the airframe and gear nodes: axial force as a function of length and its rate.

.. math:: r = \rho_j - r_M, \quad \Delta = |r|, \quad e = r/\Delta, \quad
          F = f(\Delta, \dot\Delta), \qquad \text{on the node } +Fe, \text{ on the mount } -Fe

[Schock 2020, sec. 4.4.2]. Available laws are a spring with damper and an oleo with gas spring and orifice.
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, count, kind, parameter


class StrutLaw(Part):
    """Strut force as a function of length and its rate; positive force pushes the ends apart."""

    @abstractmethod
    def force(self, length: jax.Array, rate: jax.Array) -> jax.Array:
        """Return the force [N]."""

    @abstractmethod
    def stored_energy(self, length: jax.Array) -> jax.Array:
        """Return the elastic energy [J], zero at the free length."""

    def loss(self, length: jax.Array, rate: jax.Array) -> jax.Array:
        """Return the dissipated power [W]."""
        return -(self.force(length, rate) - self.force(length, jnp.zeros_like(rate))) * rate


@kind("spring-damper-strut")
class SpringDamperStrut(StrutLaw):
    """Strut with linear spring and damper."""

    stiffness: Parameter = parameter("N/m", "stiffness, K_d", at_least=0.0)
    free_length: Parameter = parameter("m", "undeformed length", above=0.0)
    damping: Parameter = parameter("N s/m", "damping, C_d", at_least=0.0, default=0.0)

    def force(self, length: jax.Array, rate: jax.Array) -> jax.Array:
        return -self.stiffness * (length - self.free_length) - self.damping * rate

    def stored_energy(self, length: jax.Array) -> jax.Array:
        return self.stiffness * (length - self.free_length) ** 2 / 2


@kind("oleo")
class Oleo(StrutLaw):
    r"""Oleo-pneumatic strut with gas spring and orifice:

    .. math:: F = F_0\left(1 - \frac{s}{s_0}\right)^{-n} - D\,\dot\Delta\,\sqrt{\dot\Delta^2 + v_r^2} - C\dot\Delta,
              \qquad s = \Delta_0 - \Delta

    :math:`s` is the stroke, :math:`s_0` the stroke at zero gas volume, n the polytropic exponent
    [Currey 1988, ch. 5]. The gas force is continued linearly beyond 95 % of :math:`s_0`. The unloaded strut rests on
    its extension stop, a stiff spring in tension, so :math:`F_0` is a preload.
    """

    preload: Parameter = parameter("N", "gas force of the extended strut, F_0", above=0.0)
    gas_stroke: Parameter = parameter("m", "stroke at zero gas volume, s_0", above=0.0)
    free_length: Parameter = parameter("m", "length of the extended strut", above=0.0)
    exponent: Parameter = parameter("1", "polytropic exponent", default=1.3, above=0.0)
    orifice_damping: Parameter = parameter("N s^2/m^2", "orifice damping, D", default=0.0, at_least=0.0)
    viscous_damping: Parameter = parameter("N s/m", "viscous damping, C", default=0.0, at_least=0.0)
    stop_stiffness: Parameter = parameter("N/m", "stiffness of the extension stop", default=1e6, above=0.0)
    linear_below_speed: Parameter = parameter(
        "m/s", "speed below which the orifice damping is linear", default=0.01, above=0.0
    )

    def _stroke_fraction(self, length: jax.Array) -> tuple[jax.Array, jax.Array]:
        fraction = (self.free_length - length) / self.gas_stroke
        return fraction, jnp.clip(fraction, 0.0, 0.95)

    def force(self, length: jax.Array, rate: jax.Array) -> jax.Array:
        fraction, inner = self._stroke_fraction(length)
        gas = (1 - inner) ** -self.exponent
        slope = self.exponent * (1 - inner) ** (-self.exponent - 1)
        beyond = jnp.maximum(fraction - 0.95, 0.0)
        stretched = jnp.minimum(fraction, 0.0) * self.gas_stroke
        elastic = self.preload * (gas + slope * beyond) + self.stop_stiffness * stretched
        smooth_speed = jnp.sqrt(rate**2 + self.linear_below_speed**2)
        return elastic - self.orifice_damping * rate * smooth_speed - self.viscous_damping * rate

    def stored_energy(self, length: jax.Array) -> jax.Array:
        fraction, inner = self._stroke_fraction(length)
        n = self.exponent
        gas = ((1 - inner) ** (1 - n) - 1) / (n - 1)
        beyond = jnp.maximum(fraction - 0.95, 0.0)
        top, slope = (1 - inner) ** -n, n * (1 - inner) ** (-n - 1)
        stretched = jnp.minimum(fraction, 0.0) * self.gas_stroke
        work = self.preload * self.gas_stroke * (gas + top * beyond + slope * beyond**2 / 2)
        return work + self.preload * stretched + self.stop_stiffness * stretched**2 / 2


@kind("strut")
class Strut(Part):
    """Strut between a mount on the airframe and a gear node (counted from 1)."""

    law: StrutLaw
    mount: Parameter = parameter(
        "m", "mount position in the airframe's axes, before any offset of the centre of gravity"
    )
    node: int = count("node of the gear, counted from 1", at_least=1)


def strut_force(strut: Strut, r: jax.Array, v: jax.Array) -> jax.Array:
    """Return the force [N] on the node; r from the mount to the node, v its rate, both in body axes."""
    length = jnp.sqrt(r @ r)
    e = r / length
    return strut.law.force(length, v @ e) * e

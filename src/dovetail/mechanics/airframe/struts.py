r"""Struts between the airframe and nodes of the gear: a directed force over a length.

.. math:: r = \rho_j - r_M, \quad \Delta = |r|, \quad e = r/\Delta, \quad
          F = f(\Delta, \dot\Delta), \qquad \text{on the node } +Fe, \text{ on the mount } -Fe

[Schock 2020, sec. 4.4.2]. The law is any function of length and its rate: a spring with damper, an oleo with gas and
orifice.
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, count, kind, parameter


class StrutLaw(Part):
    """Length and its rate in, force out; positive pushes the ends apart."""

    @abstractmethod
    def force(self, length: jax.Array, rate: jax.Array) -> jax.Array:
        """[N]"""

    @abstractmethod
    def stored_energy(self, length: jax.Array) -> jax.Array:
        """Elastic energy [J], zero at the free length."""

    def loss(self, length: jax.Array, rate: jax.Array) -> jax.Array:
        """Power [W] turned into heat."""
        return -(self.force(length, rate) - self.force(length, jnp.zeros_like(rate))) * rate


@kind("spring-damper-strut")
class SpringDamperStrut(StrutLaw):
    """Linear spring and damper."""

    stiffness: jax.Array = parameter("N/m", "K_d", at_least=0.0)
    free_length: jax.Array = parameter("m", "undeformed length", above=0.0)
    damping: jax.Array = parameter("N s/m", "C_d", at_least=0.0, default=0.0)

    def force(self, length, rate):
        return -self.stiffness * (length - self.free_length) - self.damping * rate

    def stored_energy(self, length):
        return self.stiffness * (length - self.free_length) ** 2 / 2


@kind("oleo")
class Oleo(StrutLaw):
    r"""Gas spring and orifice of an oleo-pneumatic strut:

    .. math:: F = F_0\left(1 - \frac{s}{s_0}\right)^{-n} - D\,\dot\Delta\,\sqrt{\dot\Delta^2 + v_r^2} - C\dot\Delta,
              \qquad s = \Delta_0 - \Delta

    :math:`s` is the stroke, :math:`s_0` the stroke at which the gas would have no room, n the polytropic exponent
    [Currey 1988, ch. 5]. The gas force is continued linearly beyond 95 % of :math:`s_0`. The free strut stands on its
    stop, a stiff spring in tension, so that :math:`F_0` is a preload.
    """

    preload: jax.Array = parameter("N", "gas force of the extended strut", above=0.0)
    gas_stroke: jax.Array = parameter("m", "stroke at which the gas has no room", above=0.0)
    free_length: jax.Array = parameter("m", "length of the extended strut", above=0.0)
    exponent: jax.Array = parameter("1", "polytropic exponent", default=1.3, above=0.0)
    orifice: jax.Array = parameter("N s^2/m^2", "damping of the orifice", default=0.0, at_least=0.0)
    viscous: jax.Array = parameter("N s/m", "damping beside the orifice", default=0.0, at_least=0.0)
    stop: jax.Array = parameter("N/m", "stiffness of the extension stop", default=1e6, above=0.0)
    smooth: jax.Array = parameter("m/s", "speed below which the orifice is linear", default=0.01, above=0.0)

    def _share(self, length):
        share = (self.free_length - length) / self.gas_stroke
        return share, jnp.clip(share, 0.0, 0.95)

    def force(self, length, rate):
        share, inner = self._share(length)
        gas = (1 - inner) ** -self.exponent
        slope = self.exponent * (1 - inner) ** (-self.exponent - 1)
        beyond = jnp.maximum(share - 0.95, 0.0)
        stretched = jnp.minimum(share, 0.0) * self.gas_stroke
        elastic = self.preload * (gas + slope * beyond) + self.stop * stretched
        return elastic - self.orifice * rate * jnp.sqrt(rate**2 + self.smooth**2) - self.viscous * rate

    def stored_energy(self, length):
        share, inner = self._share(length)
        n = self.exponent
        gas = ((1 - inner) ** (1 - n) - 1) / (n - 1)
        beyond = jnp.maximum(share - 0.95, 0.0)
        top, slope = (1 - inner) ** -n, n * (1 - inner) ** (-n - 1)
        stretched = jnp.minimum(share, 0.0) * self.gas_stroke
        work = self.preload * self.gas_stroke * (gas + top * beyond + slope * beyond**2 / 2)
        return work + self.preload * stretched + self.stop * stretched**2 / 2


@kind("strut")
class Strut(Part):
    """A law between a mount on the airframe and a node of the gear (counted from 1)."""

    law: StrutLaw
    mount: jax.Array = parameter("m", "in the airframe's axes, before any offset of the centre of gravity")
    node: int = count("of the gear, counted from 1", at_least=1)


def strut_force(strut: Strut, r: jax.Array, v: jax.Array) -> jax.Array:
    """Force vector [N] on the node; r from the mount to the node, v its rate, both in body axes."""
    length = jnp.sqrt(r @ r)
    e = r / length
    return strut.law.force(length, v @ e) * e

r"""Drag and lift of a cable as functions of its total angle of attack.

.. math::

    F_D = \tfrac12\rho C_D(\alpha_t) A |w|^2, \quad F_L = \tfrac12\rho C_L(\alpha_t) A |w|^2, \qquad
    \cos\alpha_t = u\cdot w/|w|

Drag acts along the local wind w. Lift acts across the wind, in the plane of w and the cable, away from the cable's
downstream end: it lifts a cable that trails below its support. Sources: [Mastrogiuseppe 2023, sec. 3.3.5];
cross-flow law [Hoerner 1965, ch. 3].
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, choice, kind, parameter
from dovetail.mechanics.chain.base import dot

TINY = 1e-12  # keeps directions finite in still air; far below any wind squared


class CylinderCoefficients(Part):
    """Drag and lift coefficients of a cylinder, referred to diameter times length."""

    @abstractmethod
    def __call__(self, cosine: jax.Array) -> tuple[jax.Array, jax.Array]:
        """C_D and C_L from the cosine of the total angle of attack."""


@kind("cross-flow")
class CrossFlow(CylinderCoefficients):
    r"""The cross-flow law: :math:`C_D = C_f + C_n|\sin^3\alpha|`, :math:`C_L = C_n\sin^2\alpha\cos\alpha`."""

    normal: Parameter = parameter("1", "coefficient of the cross flow", default=1.1, at_least=0.0)
    friction: Parameter = parameter("1", "coefficient of the axial flow", default=0.02, at_least=0.0)

    def __call__(self, cosine):
        square = jnp.maximum(1 - cosine**2, 0.0)
        # |sin|^3 as square * sqrt(square), with a slope where the cable is aligned with the wind
        drag = self.friction + self.normal * square * jnp.sqrt(square + TINY)
        return drag, self.normal * square * cosine


@kind("along-and-across")
class AlongAndAcross(CylinderCoefficients):
    r"""Axial friction and cross-flow pressure drag, each from its own wind component.

    .. math:: F = \tfrac12\rho\,d\,l\,(\pi c_t |w_t| w_t + c_n |w_n| w_n)

    Source: [Bolien 2018, sec. 3.5 and table 1 of ch. 5], in the form of [Ro & Kamman 2010].
    """

    along: Parameter = parameter(
        "1", "friction coefficient, referred to the wetted surface", default=0.01, at_least=0.0
    )
    across: Parameter = parameter("1", "coefficient of the cross flow", default=0.6, at_least=0.0)

    def __call__(self, cosine):
        square = jnp.maximum(1 - cosine**2, 0.0)
        sine = jnp.sqrt(square + TINY)
        along = jnp.pi * self.along * cosine * jnp.abs(cosine)
        return along * cosine + self.across * square * sine, self.across * square * cosine - along * sine


@kind("tabulated-cylinder")
class TabulatedCylinder(CylinderCoefficients):
    """C_D and C_L from a table over the angle of attack, with linear interpolation.

    The angle goes from 0 to 90 degrees. Beyond 90 degrees the table applies to the other end of the cable, with the
    lift reversed.
    """

    angle: Parameter = parameter("rad", "angles of attack, increasing from 0 to pi/2", at_least=0.0)
    drag: Parameter = parameter("1", "drag coefficients", at_least=0.0)
    lift: Parameter = parameter("1", "lift coefficients")

    def __call__(self, cosine):
        angle = jnp.arccos(jnp.clip(jnp.abs(cosine), 0.0, 1.0 - TINY))
        lift = jnp.interp(angle, self.angle, self.lift)
        return jnp.interp(angle, self.angle, self.drag), jnp.sign(cosine) * lift


@kind("cable-drag")
class CableDrag(Part):
    """Aerodynamic forces on each link of a cable.

    `area` is the reference area of the coefficients: `projected` is diameter times length, `cross-section` is the
    cable's cross-section for each link. The published curves agree with `cross-section`, which makes the aerodynamic
    force on the cable negligible; it has no physical justification.
    """

    diameter: Parameter = parameter("m", "diameter", above=0.0)
    coefficients: CylinderCoefficients = CrossFlow()
    area: str = choice("projected", "cross-section", about="reference area", default="projected")

    def forces(self, u: jax.Array, l: jax.Array, wind: jax.Array, density: jax.Array) -> jax.Array:
        """Force (3, n) [N] on links of directions u (3, n) and lengths l [m] in local wind (3, n) [m/s]."""
        speed = jnp.sqrt(dot(wind, wind) + TINY)
        cosine = dot(u, wind) / speed
        c_drag, c_lift = self.coefficients(cosine)
        lift = c_lift * jax.lax.rsqrt(
            jnp.maximum(1 - cosine**2, 0.0) + TINY
        )  # the cross direction u - w cos has length sin
        area = self.diameter * l if self.area == "projected" else jnp.pi / 4 * self.diameter**2
        q = 0.5 * density * area * speed
        return q * (c_drag + lift * cosine) * wind - q * speed * lift * u


def total_angle(alpha: jax.Array, beta: jax.Array) -> jax.Array:
    """Total angle of attack [rad] from an inclination and a side angle."""
    return jnp.arccos(jnp.cos(alpha) * jnp.cos(beta))

r"""Drag and lift of a cable by its total angle of attack.

.. math::

    F_D = \tfrac12\rho C_D(\alpha_t) A |w|^2, \quad F_L = \tfrac12\rho C_L(\alpha_t) A |w|^2, \qquad
    \cos\alpha_t = u\cdot w/|w|

Drag acts along the local wind w, lift across it in the plane of w and the cable, away from the cable's downstream
end: it lifts a cable that trails below its support. Sources: [Mastrogiuseppe 2023, sec. 3.3.5];
cross-flow law [Hoerner 1965, ch. 3].
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, choice, kind, parameter
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

    normal: jax.Array = parameter("1", "coefficient of the flow across the cable", default=1.1, at_least=0.0)
    friction: jax.Array = parameter("1", "coefficient of the flow along it", default=0.02, at_least=0.0)

    def __call__(self, cosine):
        square = jnp.maximum(1 - cosine**2, 0.0)
        # |sin|^3 as square * sqrt(square), with a slope where the cable is aligned with the wind
        drag = self.friction + self.normal * square * jnp.sqrt(square + TINY)
        return drag, self.normal * square * cosine


@kind("along-and-across")
class AlongAndAcross(CylinderCoefficients):
    r"""Friction along the cable and pressure across it, each by its own part of the wind.

    .. math:: F = \tfrac12\rho\,d\,l\,(\pi c_t |w_t| w_t + c_n |w_n| w_n)

    Source: [Bolien 2018, sec. 3.5 and table 1 of ch. 5], in the form of [Ro & Kamman 2010].
    """

    along: jax.Array = parameter(
        "1", "friction coefficient, of the wetted surface", default=0.01, at_least=0.0
    )
    across: jax.Array = parameter("1", "coefficient of the flow across", default=0.6, at_least=0.0)

    def __call__(self, cosine):
        square = jnp.maximum(1 - cosine**2, 0.0)
        sine = jnp.sqrt(square + TINY)
        along = jnp.pi * self.along * cosine * jnp.abs(cosine)
        return along * cosine + self.across * square * sine, self.across * square * cosine - along * sine


@kind("tabulated-cylinder")
class TabulatedCylinder(CylinderCoefficients):
    """C_D and C_L from a table against the angle of attack, linear between its rows.

    The angle goes from 0 to 90 degrees; beyond it the cable is seen from its other end, with lift reversed.
    """

    angle: jax.Array = parameter("rad", "angles of attack, rising from 0 to pi/2", at_least=0.0)
    drag: jax.Array = parameter("1", "drag coefficients", at_least=0.0)
    lift: jax.Array = parameter("1", "lift coefficients")

    def __call__(self, cosine):
        angle = jnp.arccos(jnp.clip(jnp.abs(cosine), 0.0, 1.0 - TINY))
        lift = jnp.interp(angle, self.angle, self.lift)
        return jnp.interp(angle, self.angle, self.drag), jnp.sign(cosine) * lift


@kind("cable-drag")
class CableDrag(Part):
    """Forces of the air on each link of a cable.

    `area` is what the coefficients are multiplied with: `projected`, diameter times length (what they are
    referred to), or `cross-section`, the cable's section once a link. The latter makes the air on the cable
    negligible and is what the published curves agree with; it is no physics.
    """

    diameter: jax.Array = parameter("m", "diameter", above=0.0)
    coefficients: CylinderCoefficients = CrossFlow()
    area: str = choice("projected", "cross-section", about="reference area", default="projected")

    def forces(self, u: jax.Array, l: jax.Array, wind: jax.Array, density: jax.Array) -> jax.Array:
        """Force (3, n) [N] on links of directions u (3, n) and lengths l [m] in local wind (3, n) [m/s]."""
        speed = jnp.sqrt(dot(wind, wind) + TINY)
        cosine = dot(u, wind) / speed
        c_drag, c_lift = self.coefficients(cosine)
        lift = c_lift * jax.lax.rsqrt(
            jnp.maximum(1 - cosine**2, 0.0) + TINY
        )  # across is u - w cos, of length sin
        area = self.diameter * l if self.area == "projected" else jnp.pi / 4 * self.diameter**2
        q = 0.5 * density * area * speed
        return q * (c_drag + lift * cosine) * wind - q * speed * lift * u


def total_angle(alpha: jax.Array, beta: jax.Array) -> jax.Array:
    """Total angle of attack [rad] of an inclination and a side angle."""
    return jnp.arccos(jnp.cos(alpha) * jnp.cos(beta))

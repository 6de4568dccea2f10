r"""Blade sections: lift and drag as functions of incidence and Mach number.

Lift is linear up to a stall angle. Drag is linear as published; a parabola and a rise beyond the critical Mach number
can be added:

.. math:: C_L = a(M)\,\alpha + C_{L0}, \qquad
   C_D = C_{D\alpha}\,\alpha + C_{D0} + C_{D2}\,\alpha^2 + 20\,\max(M - M_{dd}, 0)^4

The lift slope follows Kaplan's rule [Schock 2020, eqs. 4.72-4.74], with :math:`\mu = 1/\sqrt{1-M^2}`:

.. math:: a = a_0\left\{\mu + \frac{t/c}{1+t/c}\left[\mu(\mu-1) + \tfrac{\gamma+1}{4}(\mu^2-1)^2\right]\right\}

or the Prandtl-Glauert rule :math:`a_0\mu`, or is constant. A thickness of zero does not switch the correction off: the
result is the Prandtl-Glauert rule.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, choice, kind, parameter

GAMMA = 1.4  # ratio of specific heats of air


def kaplan(mach: jax.Array, thickness: jax.Array) -> jax.Array:
    """Ratio of the lift slope to its low-speed value by Kaplan's rule, for thickness over chord and Mach number < 1."""
    mu = 1.0 / jnp.sqrt(1.0 - mach**2)
    thick = thickness / (1.0 + thickness)
    return mu + thick * (mu * (mu - 1.0) + 0.25 * (GAMMA + 1.0) * (mu**2 - 1.0) ** 2)


@kind("blade-section")
class Section(Part):
    """Lift and drag of blade sections; slopes and offsets are parameters of the blade."""

    compressibility: str = choice(
        "off", "glauert", "kaplan", about="correction of the lift slope", default="kaplan"
    )
    mach_limit: Parameter = parameter(
        "1", "Mach number above which the correction is constant", default=0.84, at_least=0.0, below=1.0
    )
    stall: Parameter = parameter(
        "rad", "incidence above which the lift is constant", default=jnp.inf, above=0.0
    )
    drag_curvature: Parameter = parameter("1/rad^2", "C_D2 of the drag parabola", default=0.0, at_least=0.0)
    drag_rise: Parameter = parameter("1", "Mach number M_dd of the drag rise", default=jnp.inf, above=0.0)

    def slope(self, slope: jax.Array, thickness: jax.Array, mach: jax.Array) -> jax.Array:
        """Lift slope [1/rad] at a Mach number, from the low-speed slope."""
        if self.compressibility == "off":
            return slope * jnp.ones_like(mach)
        mach = jnp.minimum(mach, self.mach_limit)
        return slope * kaplan(mach, thickness if self.compressibility == "kaplan" else jnp.zeros_like(mach))

    def lift(self, slope: jax.Array, offset: jax.Array, alpha: jax.Array) -> jax.Array:
        """Lift coefficient at an incidence [rad]."""
        return slope * jnp.clip(alpha, -self.stall, self.stall) + offset

    def drag(self, slope: jax.Array, offset: jax.Array, alpha: jax.Array, mach: jax.Array) -> jax.Array:
        """Drag coefficient at an incidence [rad] and a Mach number."""
        rise = 20.0 * jnp.maximum(mach - self.drag_rise, 0.0) ** 4  # Lock's fourth power
        return slope * alpha + offset + self.drag_curvature * alpha**2 + rise

r"""Normal contact laws: contact force as a function of penetration, its rate, and the impact speed.

Signs: penetration :math:`\delta > 0` is contact, rate :math:`\dot\delta > 0` is approach, a positive force pushes the
bodies apart. A law is a pure function of penetration, its rate and the impact speed :math:`\dot\delta_i` of the present
contact, which `ImpactSpeedMemory` stores.

Most laws have the form of Hunt and Crossley,

.. math:: F = k\,\delta^n \left[1 + \Lambda(c_r)\,\frac{\dot\delta}{\dot\delta_i}\right],

and differ in :math:`\Lambda`, a function of the target coefficient of restitution (*projected* in the sources). The
*realised* coefficient depends on :math:`\Lambda` alone: see `realised_restitution`.

If the bodies separate faster than :math:`\dot\delta_i/\Lambda` the bracket is negative: a tensile force, which a dry
contact cannot exert. It is set to zero unless `tension = "allowed"`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Parameter, Part, choice, constant, parameter
from dovetail.core.array_types import Numbers
from dovetail.core.parameter import Converted
from dovetail.mechanics.contact.restitution import RestitutionLaw
from dovetail.mechanics.contact.stiffness import ContactStiffness, as_stiffness

Values = Float[Array, "*#m"]  # a value for each of any number of contacts, or one for all
ValuesLike = Values | float


class NormalLaw(Part):
    """Normal contact law; base class.

    `push` is the force as if in contact. It continues smoothly outside the surface, so that a step can end at the
    surface and an equilibrium search converges. Callers that track contacts themselves use it in place of `force`.
    """

    needs_impact_speed: ClassVar[bool] = False

    stiffness: Converted[ContactStiffness, ContactStiffness | Numbers] = eqx.field(converter=as_stiffness)
    exponent: float = constant("1", "n in the elastic force k depth^n", default=1.5, above=0.0)
    tension: str = choice("clamped", "allowed", about="tensile force before separation", default="clamped")

    @abstractmethod
    def damping_force(self, depth: ValuesLike, speed: ValuesLike, impact_speed: ValuesLike) -> Values:
        """Return the dissipative part of the force [N], as if in contact and without `clamp_tension`."""

    def spring(self, depth: ValuesLike) -> Values:
        """Return k depth^n [N]; outside the surface an odd continuation (tensile)."""
        k, n = self.stiffness.value, self.exponent
        return k * depth if n == 1.0 else k * jnp.sign(depth) * power(jnp.abs(depth), n)

    def elastic_force(self, depth: ValuesLike) -> Values:
        """Return k depth^n [N]; zero when separated."""
        return self.stiffness.value * power(depth, self.exponent)

    def push(self, depth: ValuesLike, speed: ValuesLike, impact_speed: ValuesLike) -> Values:
        """Return the normal force [N] as if in contact, including tensile force."""
        return self.spring(depth) + self.damping_force(depth, speed, impact_speed)

    def clamp_tension(self, push: Values) -> Values:
        """Return a force [N] without its tensile part, unless tension is allowed."""
        return jnp.maximum(push, 0.0) if self.tension == "clamped" else push

    def force(self, depth: ValuesLike, speed: ValuesLike, impact_speed: ValuesLike) -> Values:
        """Return the normal force [N]; zero when separated."""
        return jnp.where(depth >= 0, self.clamp_tension(self.push(depth, speed, impact_speed)), 0.0)

    def resting_depth(self, force: ValuesLike) -> Values:
        """Return the penetration [m] at rest under a force [N]."""
        return (force / self.stiffness.value) ** (1 / self.exponent)

    def stored_energy(self, depth: ValuesLike) -> Values:
        """Return the elastic energy [J], k depth^(n+1)/(n+1)."""
        return self.stiffness.value * power(depth, self.exponent + 1) / (self.exponent + 1)

    def dissipated_power(self, depth: ValuesLike, speed: ValuesLike, impact_speed: ValuesLike) -> Values:
        """Return the dissipated power [W]."""
        return (self.force(depth, speed, impact_speed) - self.elastic_force(depth)) * speed


class DissipativeLaw(NormalLaw):
    r"""Contact law of Hunt and Crossley's form; base class. Subclasses define :math:`\Lambda`."""

    needs_impact_speed: ClassVar[bool] = True

    restitution: Parameter = parameter(
        "1", "target coefficient of restitution", above=0.0, at_most=1.0, default=0.8
    )
    restitution_law: RestitutionLaw | None = None  # as a function of the impact speed; replaces the constant

    @abstractmethod
    def damping_factor(self, restitution: ValuesLike) -> ValuesLike:
        r"""Return :math:`\Lambda(c_r)`, damping times impact speed over stiffness."""

    def target_restitution(self, impact_speed: ValuesLike) -> Values:
        """Return the target coefficient of restitution at an impact speed [m/s]."""
        law = self.restitution_law
        return self.restitution if law is None else law(impact_speed)

    def damping_force(self, depth: ValuesLike, speed: ValuesLike, impact_speed: ValuesLike) -> Values:
        factor = self.damping_factor(self.target_restitution(impact_speed))
        return self.spring(depth) * factor * speed / impact_speed


def power(depth: ValuesLike, exponent: float) -> Values:
    """Return depth^exponent for positive depth, else zero; its derivative is finite everywhere."""
    inside = depth > 0
    safe = jnp.where(inside, depth, 1.0)
    if exponent == 1.5:  # half the work of a general power
        raised = safe * jnp.sqrt(safe)
    elif exponent == 2.5:
        raised = safe * safe * jnp.sqrt(safe)
    else:
        raised = safe**exponent
    return jnp.where(inside, raised, 0.0)

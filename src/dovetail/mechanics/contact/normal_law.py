r"""Normal contact laws: the force that two bodies exert on each other over their overlap.

Signs: depth :math:`\delta > 0` is contact, speed :math:`\dot\delta > 0` is approach, force is positive when
it pushes the bodies apart. A law is a pure function of depth, speed and the speed at which this contact
began, :math:`\dot\delta_i`; who remembers that speed is the `Latch`.

Most laws share the form of Hunt and Crossley,

.. math:: F = k\,\delta^n \left[1 + \Lambda(c_r)\,\frac{\dot\delta}{\dot\delta_i}\right],

and differ in :math:`\Lambda`, a function of the coefficient of restitution that is wanted (the *projected*
one). What comes out (the *realised* one) depends on :math:`\Lambda` alone: see `realised`.

When the bodies separate faster than :math:`\dot\delta_i/\Lambda` the bracket turns negative: a pull that
no dry contact can exert. It is held at zero unless `tension = "allowed"`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Part, choice, constant, parameter
from dovetail.mechanics.contact.restitution import RestitutionLaw
from dovetail.mechanics.contact.stiffness import ContactStiffness, as_stiffness

Each = Float[Array, "*#m"]  # a value for each of any number of contacts, or one for all
Given = Each | float


class NormalLaw(Part):
    """Depth, speed and impact speed in, force out.

    Whoever keeps account of contacts himself takes `push`, which is the force as if the bodies touched: it goes on
    smoothly a hair outside, so that a step can end at the surface and a search for rest finds back to it.
    """

    latches: ClassVar[bool] = False  # whether the impact speed matters

    stiffness: ContactStiffness = eqx.field(converter=as_stiffness)
    exponent: float = constant("1", "n in the elastic force k depth^n", default=1.5, above=0.0)
    tension: str = choice("clamped", "allowed", about="a pull before separation", default="clamped")

    @abstractmethod
    def damping_force(self, depth: Given, speed: Given, impact_speed: Given) -> Each:
        """The part of the force [N] that dissipates, as if in contact, before any clamp."""

    def spring(self, depth: Given) -> Each:
        """k depth^n [N]; outside, a pull that grows alike."""
        k, n = self.stiffness.value, self.exponent
        return k * depth if n == 1.0 else k * jnp.sign(depth) * power(jnp.abs(depth), n)

    def elastic_force(self, depth: Given) -> Each:
        """k depth^n [N]; zero when separated."""
        return self.stiffness.value * power(depth, self.exponent)

    def push(self, depth: Given, speed: Given, impact_speed: Given) -> Each:
        """Force [N] that pushes the bodies apart, as if they touched and could pull."""
        return self.spring(depth) + self.damping_force(depth, speed, impact_speed)

    def clamped(self, push: Each) -> Each:
        """A force [N] without the pull, unless that is allowed."""
        return jnp.maximum(push, 0.0) if self.tension == "clamped" else push

    def force(self, depth: Given, speed: Given, impact_speed: Given) -> Each:
        """Force [N] that pushes the bodies apart; zero when separated."""
        return jnp.where(depth >= 0, self.clamped(self.push(depth, speed, impact_speed)), 0.0)

    def resting_depth(self, force: Given) -> Each:
        """Depth [m] at which a force [N] is borne at rest."""
        return (force / self.stiffness.value) ** (1 / self.exponent)

    def stored_energy(self, depth: Given) -> Each:
        """Elastic energy [J], k depth^(n+1)/(n+1)."""
        return self.stiffness.value * power(depth, self.exponent + 1) / (self.exponent + 1)

    def dissipated_power(self, depth: Given, speed: Given, impact_speed: Given) -> Each:
        """Power [W] that the contact turns into heat."""
        return (self.force(depth, speed, impact_speed) - self.elastic_force(depth)) * speed


class Dissipative(NormalLaw):
    r"""A law of the form of Hunt and Crossley; subclasses say what :math:`\Lambda` is."""

    latches: ClassVar[bool] = True

    restitution: jax.Array = parameter(
        "1", "projected coefficient of restitution", above=0.0, at_most=1.0, default=0.8
    )
    restitution_law: RestitutionLaw | None = None  # by impact speed, in place of the constant

    @abstractmethod
    def damping_factor(self, restitution: Given) -> Each:
        r""":math:`\Lambda(c_r)`, damping times impact speed over stiffness."""

    def projected(self, impact_speed: Given) -> Each:
        """The coefficient of restitution wanted at an impact speed [m/s]."""
        law = self.restitution_law
        return self.restitution if law is None else law(impact_speed)

    def damping_force(self, depth: Given, speed: Given, impact_speed: Given) -> Each:
        factor = self.damping_factor(self.projected(impact_speed))
        return self.spring(depth) * factor * speed / impact_speed


def power(depth: Given, exponent: float) -> Each:
    """depth^exponent where depth is positive, else zero; its derivative is finite everywhere."""
    inside = depth > 0
    safe = jnp.where(inside, depth, 1.0)
    if exponent == 1.5:  # half the work of a general power
        raised = safe * jnp.sqrt(safe)
    elif exponent == 2.5:
        raised = safe * safe * jnp.sqrt(safe)
    else:
        raised = safe**exponent
    return jnp.where(inside, raised, 0.0)

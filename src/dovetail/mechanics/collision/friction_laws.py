r"""Friction of a node on a surface: a bristle that bends, slides at a limit, and is released when the node leaves.

The bristle's deflection :math:`z` points from the node back to its anchor on the surface and lies in the surface; it is
kept in the frame of the touched body, so it rides with it. With the slip :math:`v` of the node, :math:`\dot z = -v`
while it sticks, and the limit

.. math:: z_{max} = \frac{N}{K_f}\left[\mu_d + (\mu_s - \mu_d)\,e^{-(v/v_s)^2}\right]

[Schock 2020, eqs 4.46 to 4.52, with the base of the exponential and the sign of the bristle damping put right].
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.core import Part, choice, kind, parameter
from dovetail.mechanics.friction import Coulomb, LuGre


def length(v: jax.Array) -> jax.Array:
    """Length of vectors (..., d) with a finite derivative at zero."""
    square = jnp.sum(v * v, -1, keepdims=True)
    return jnp.sqrt(jnp.where(square > 0, square, 1.0)) * (square > 0)


class SurfaceFriction(Part):
    """Normal force, slip and bristle in; force on the node, rate of the bristle and its decay rate out."""

    @abstractmethod
    def act(
        self, normal: jax.Array, slip: jax.Array, z: jax.Array, slid: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Force [N] on the node, rate of z [m/s], and the rate [1/s] at which z relaxes.

        `normal` (..., 1) [N] is zero or positive, `slip` and `z` (..., d) lie in the surface, `slid` (..., 1) [m/s] is
        the speed of slip that is remembered.
        """

    def settled(self, normal: jax.Array, slip: jax.Array, z: jax.Array, slid: jax.Array) -> jax.Array:
        """The bristle after an accepted step."""
        return z

    def due(self, before: jax.Array, now: jax.Array) -> jax.Array:
        """Whether the bristle is settled at the end of a step from one time [s] to another; after each, if not said."""
        return now >= before

    def remembered(self, slid: jax.Array, speed: jax.Array, dt: jax.Array) -> jax.Array:
        """The speed of slip [m/s] to remember after a step of dt [s]."""
        return speed


@kind("no-friction")
class NoFriction(SurfaceFriction):
    """A surface without friction."""

    def act(self, normal, slip, z, slid):
        return jnp.zeros_like(slip), jnp.zeros_like(z), jnp.zeros_like(normal)


@kind("bristle-friction")
class BristleSlider(SurfaceFriction):
    r"""The source's form of LuGre: a spring and damper on an anchor that slides at the limit.

    Inside a step a deflection beyond the limit gives the limiting force; the anchor is moved when the step has been
    accepted. The fall from stiction is as steep as a negative damper of :math:`(\mu_s - \mu_d)N/v_s`, which throws a
    light foot about within microseconds; `fall = "lagged"` lets the coefficient follow the slip over `lag`, as dry
    friction does [Hess & Soom 1990], `fall = "now"` takes that of the moment, as printed. The damper may not lift
    the force above the limit, unless `damping_bound = "free"`, as printed: then a foot that slides as it touches
    feels the full damper at the slightest normal force, a jump that no step gets past. With equal coefficients it
    is Coulomb's slider.

    The damper resists the slip. Eqs 4.47 and 4.52 taken literally, :math:`F = K_f z - C_f\dot z` with
    :math:`\dot z = -v(1 - |z|/z_{max})`, make it push along with the slip (`damper = "printed"`): a foot that sticks is
    then not damped but driven.

    The source moves an anchor at the end of each of its intervals of 2.5 ms. Within one the bristle stretches beyond
    what slip allows, so that a foot that slows down feels all of its stiction at once and catches itself; `interval`
    does the same. With 0 the anchor follows every step, and a foot catches itself with no more than sliding friction.
    """

    stiffness: jax.Array = parameter("N/m", "of the bristle, K_f", above=0.0)
    sliding: jax.Array = parameter("1", "coefficient of slip, mu_d", at_least=0.0)
    stiction: jax.Array = parameter("1", "coefficient at the onset of slip, mu_s", at_least=0.0)
    damping: jax.Array = parameter("N s/m", "of the bristle, C_f", at_least=0.0, default=0.0)
    stribeck: jax.Array = parameter("m/s", "speed over which it falls, v_s", above=0.0, default=1e-3)
    fall: str = choice("lagged", "now", about="which slip sets the coefficient", default="lagged")
    lag: jax.Array = parameter("s", "time in which the coefficient follows the slip", default=5e-3, above=0.0)
    damping_bound: str = choice(
        "limit", "free", about="whether the damper may exceed the limit", default="limit"
    )

    interval: jax.Array = parameter(
        "s", "time between moves of the anchor; 0 for every step", default=0.0, at_least=0.0
    )
    damper: str = choice("resists", "printed", about="sign of the bristle's damper", default="resists")

    def limit(self, normal, speed) -> jax.Array:
        """Largest force [N] at a speed of slip (..., 1)."""
        mu = self.sliding + (self.stiction - self.sliding) * jnp.exp(-((speed / self.stribeck) ** 2))
        return mu * jnp.maximum(normal, 0.0)

    def act(self, normal, slip, z, slid):
        most = self.limit(normal, slid if self.fall == "lagged" else length(slip))
        pull = self.stiffness * length(z)
        slides = pull >= most
        share = jnp.where(slides, 0.0, 1 - pull / jnp.where(most > 0, most, 1.0))
        damping = -self.damping if self.damper == "printed" else self.damping
        stuck = self.stiffness * z - damping * slip * share
        if self.damping_bound == "limit":
            size = length(stuck)
            stuck = stuck * jnp.where(size > most, most / jnp.where(size > 0, size, 1.0), 1.0)
        slid = z * (self.stiffness * most / jnp.where(pull > 0, pull, 1.0))
        return jnp.where(slides, slid, stuck), -slip, jnp.zeros_like(normal)

    def due(self, before, now):
        every = jnp.where(self.interval > 0, self.interval, 1.0)
        ends = jnp.floor(now / every + 1e-6) > jnp.floor(before / every + 1e-6)
        return ends | (self.interval <= 0)

    def remembered(self, slid, speed, dt):
        return speed + (slid - speed) * jnp.exp(-dt / self.lag)

    def settled(self, normal, slip, z, slid):
        most = self.limit(normal, slid if self.fall == "lagged" else length(slip)) / self.stiffness
        size = length(z)
        return z * jnp.where(size > most, most / jnp.where(size > 0, size, 1.0), 1.0)


@kind("lugre-surface")
class LuGreSurface(SurfaceFriction):
    """LuGre's model as Canudas de Wit wrote it, from the friction library; per unit of normal force."""

    law: LuGre = LuGre()

    def act(self, normal, slip, z, slid):
        law = self.law
        speed = length(slip)
        relax = law.stiffness * speed / law.steady(speed)
        rate = -slip - relax * z
        force = jnp.maximum(normal, 0.0) * (law.stiffness * z + law.damping * rate - law.viscous * slip)
        return force, rate, relax


@kind("coulomb-surface")
class CoulombSurface(SurfaceFriction):
    """A law without memory from the friction library; it creeps where it should stick."""

    law: Coulomb = Coulomb()

    def act(self, normal, slip, z, slid):
        smooth = jnp.sqrt(jnp.sum(slip * slip, -1, keepdims=True) + self.law.creep**2)
        force = -self.law.coefficient(length(slip)) * jnp.maximum(normal, 0.0) * slip / smooth
        return force, jnp.zeros_like(z), jnp.zeros_like(normal)

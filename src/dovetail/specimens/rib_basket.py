r"""Basket of a drogue: 32 ribs, hinged on a ring and tied to one another, each with two strain gauges.

The nozzle is a ball of radius r at the position p in the drogue's frame; it presses on the ribs near it. Rib i has the
azimuth :math:`\alpha_i`. A force :math:`f_i` at a distance s along the rib from its hinge rotates it outward by
:math:`\varphi_i`. Elastics and canopy tie the ribs into a ring, whose stiffness is diagonal in Fourier components
around the ring:

.. math::

    K_k\hat\varphi_k = s\hat f_k, \qquad
    K_0 = \kappa_h + \kappa_e, \quad K_k = \kappa_h + \kappa_l/k^2 + \kappa_b(k^2 - 1)^2, \qquad
    f_i = w_i F(g_i - s\varphi_i, \dot g_i)

The hinges resist any rotation. The stretch of the ties resists widening (k = 0), their bending an oval (k = 2) and
higher components. Only the hinges resist a lateral motion of the rim as a whole (k = 1). A ring that does not stretch
moves sideways by :math:`\hat\lambda_k = \hat\varphi_k/k` with a quarter-wave shift, so ribs across the strike bend
laterally. :math:`g_i` is the penetration of the ball at the undeflected rib, F the contact law, :math:`w_i` a weight
that falls to zero with the lateral distance of the ball from the rib. The few ribs that can touch form a
complementarity problem, solved by projected relaxation: each rib in turn takes a Newton step on its own force, exact
for a linear law. Each rib has a gauge for bending out of the basket and one for bending sideways.

A rotated rib pushes the nozzle aft, by :math:`f_i\varphi_i\,\partial s/\partial x`. A rib at a lateral distance pushes
it off to the side, according to the energy stored in its contact. Without these terms a nozzle that moves along or
across deflected ribs would gain energy.

A law with damping is the full-speed variant; a slow test does not measure the damping. Geometry and stiffness are a
surrogate; 32 ribs, hinges, ties and 64 gauges are as described [Bolien 2018, sec. 1.3.2, app. C].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.contact import (
    ContactForces,
    KelvinVoigt,
    NormalLaw,
    SurfaceContact,
    contact_kinematics,
)
from dovetail.mechanics.friction import Friction, NoFriction
from dovetail.mechanics.geometry.revolved_wall import wall
from dovetail.specimens.base import Specimen

NEAR = 7  # number of ribs that the ball can touch at the same time


@kind("rib-basket")
class RibBasket(Specimen):
    """Ribs only, without coupling and latch: wrench on the drogue, and strain at 64 gauges."""

    ribs: int = count("number of ribs", default=32, at_least=8)
    initial_position: Parameter = parameter(
        "m", "initial position of the nozzle in the drogue's frame", default=(-0.75, 0.0, 0.05)
    )
    nozzle_radius: Parameter = parameter("m", "radius of the ball", default=0.04, above=0.0)
    depths: Parameter = parameter(
        "m", "axial positions aft of the ball joint: hinges, rim", default=(0.26, 0.70)
    )
    radii: Parameter = parameter("m", "inner radii of the ribs at `depths`", default=(0.105, 0.31))
    hinge_stiffness: Parameter = parameter(
        "N m/rad", "rotational stiffness of a hinge", default=40.0, above=0.0
    )
    lateral_stiffness: Parameter = parameter(
        "N m/rad", "lateral stiffness of a rib", default=25.0, at_least=0.0
    )
    tie_stiffness: Parameter = parameter(
        "N m/rad", "stiffness of the ties against widening", default=400.0, at_least=0.0
    )
    bending: Parameter = parameter(
        "N m/rad",
        "stiffness of the ties against an oval deformation, divided by 9",
        default=60.0,
        at_least=0.0,
    )
    law: NormalLaw = KelvinVoigt(2e4, tension="clamped")
    friction: Friction = NoFriction()
    contact_width: Parameter = parameter(
        "m", "lateral distance at which the ball no longer touches a rib", default=0.035, above=0.0
    )
    radial_gauge: Parameter = parameter(
        "1/(N m)", "strain of the top gauge per moment of the rib", default=6e-6
    )
    lateral_gauge: Parameter = parameter(
        "1/(N m)", "strain of the side gauge per moment of the ties", default=6e-6
    )

    def __check_init__(self) -> None:
        super().__check_init__()
        if any(jnp.ndim(number) for number in jax.tree.leaves(self.law)):
            raise ParameterError(
                "RibBasket.law: expected scalar parameters, because all ribs have the same law"
            )

    def init(self) -> dict[str, jax.Array]:
        return self._surface_contact.init(self.ribs, 3)

    @property
    def _surface_contact(self) -> SurfaceContact:
        return SurfaceContact(self.law, self.friction)

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.rib_contacts(x, u)[0].rate

    @property
    def jumps(self) -> bool:
        """True if the contacts have states that change at each step."""
        return self._surface_contact.jumps

    def jump(self, t: Time, x: State, u: Input) -> State:
        return self._surface_contact.update_memory(x, self.rib_contacts(x, u)[0])

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        p = self.initial_position + u["displacement"][:3]
        contacts, turn, arm = self.rib_contacts(x, u)
        gaps = arm * turn - contacts.depth  # to the deflected ribs
        edges = 1 - (p @ self._directions()[1] / self.contact_width) ** 2
        sticking = self._surface_contact.guards(contacts)[self.ribs :]
        return jnp.concatenate([gaps, edges, -p[0] - self.depths, sticking])

    def output(self, t: Time, x: State, u: Input) -> Output:
        contacts, turn, arm = self.rib_contacts(x, u)
        force, press = (
            -jnp.sum(contacts.force, 0) - self._additional_force(contacts, turn, arm, u),
            contacts.normal_force,
        )
        wrench = jnp.concatenate([force, jnp.cross(self.initial_position + u["displacement"][:3], force)])
        return {"force": wrench, "strain": self.strain(turn, press * arm), "normal_force": jnp.sum(press)}

    def rib_contacts(self, x: State, u: Input) -> tuple[ContactForces, jax.Array, jax.Array]:
        """Contact forces at the ribs (n, ...), their rotation (n,) [rad], and the lever arms [m] about the hinges."""
        n, p = self.ribs, self.initial_position + u["displacement"][:3]
        out, side = self._directions()
        xi = -p[0]
        gap, cosine, sine, _ = wall(self.depths, self.radii, xi, p @ out)
        gap = gap - self.nozzle_radius
        inward = -(cosine * out.T + sine * jnp.eye(3)[0])  # normals of the inner surface
        inside = (xi >= self.depths[0]) & (xi <= self.depths[1])
        arm = (xi - self.depths[0]) / cosine + 0.02  # the hinge has a finite size, so the arm does not vanish
        kinematics = contact_kinematics(gap, inward, u["velocity"][:3])
        lateral = (p @ side) / self.contact_width
        weight = jnp.clip(1 - lateral**2, 0.0, 1.0) * (p @ out > 0) * inside * (gap < 0)

        # only ribs near the nozzle are in contact
        nearest = jnp.round(jnp.arctan2(-p[1], p[2]) / (2 * jnp.pi / n)).astype(int)
        ribs = (nearest + jnp.arange(NEAR) - NEAR // 2) % n
        compliance = self._compliance()[(ribs[:, None] - ribs[None, :]) % n] * arm**2
        impact_speed = self._surface_contact.impact_speed_memory.impact_speed(
            x["impact_speed"], kinematics.speed
        )
        w, depth, speed, impact_speed = (
            a[ribs] for a in (weight, kinematics.depth, kinematics.speed, impact_speed)
        )

        def relax(turn: jax.Array, press: jax.Array) -> jax.Array:
            i = turn % NEAR
            penetration = depth[i] - compliance[i] @ press
            push, slope = jax.jvp(
                lambda d: self.law.push(d, speed[i], impact_speed[i]), (penetration,), (jnp.ones(()),)
            )
            stiff = w[i] * compliance[i, i] * slope
            return press.at[i].set(jnp.maximum((w[i] * push + stiff * press[i]) / (1 + stiff), 0.0))

        press = jax.lax.fori_loop(0, 12 * NEAR, relax, jnp.zeros(NEAR))
        press_of_all = jnp.zeros(n).at[ribs].add(press)
        turn = jnp.fft.irfft(jnp.fft.rfft(press_of_all * arm) / self._stiffness_spectrum(), n)
        return self._surface_contact.with_normal_force(x, kinematics, inward, press_of_all), turn, arm

    def _additional_force(
        self, contacts: ContactForces, turn: jax.Array, arm: jax.Array, u: Input
    ) -> jax.Array:
        """Force (3,) [N] on the nozzle in addition to the normal forces of undeflected ribs: aft and lateral."""
        cosine = wall(self.depths, self.radii, self.depths[0], jnp.zeros(())).cosine
        aft = jnp.sum(contacts.normal_force * turn) / cosine
        _, side = self._directions()
        lateral = (self.initial_position + u["displacement"][:3]) @ side / self.contact_width
        in_contact = contacts.normal_force > 0
        sidewards = (
            2
            * lateral
            / self.contact_width
            * self.law.stored_energy(contacts.depth - arm * turn)
            * in_contact
        )
        force: jax.Array = side @ sidewards - aft * jnp.eye(3)[0]
        return force

    def _directions(self) -> tuple[jax.Array, jax.Array]:
        """Outward and lateral directions (3, n) at each rib, from 12 o'clock to starboard."""
        azimuth = 2 * jnp.pi * jnp.arange(self.ribs) / self.ribs
        zero, sin, cos = jnp.zeros(self.ribs), jnp.sin(azimuth), jnp.cos(azimuth)
        return jnp.stack([zero, -sin, cos]), jnp.stack([zero, -cos, -sin])

    def _stiffness_spectrum(self) -> jax.Array:
        k = jnp.arange(self.ribs // 2 + 1)
        ring = jnp.where(k == 0, self.tie_stiffness, self.lateral_stiffness / jnp.maximum(k, 1) ** 2)
        return self.hinge_stiffness + ring + jnp.where(k == 0, 0.0, self.bending * (k**2 - 1.0) ** 2)

    def _compliance(self) -> jax.Array:
        """Rotation [rad/(N m)] of the ribs, by their distance from the rib with a unit moment."""
        return jnp.fft.irfft(1 / self._stiffness_spectrum() + 0j, self.ribs)

    def strain(self, turn: jax.Array, moment: jax.Array) -> jax.Array:
        """Strains (2, n): top gauges for bending out of the basket, side gauges for lateral bending."""
        k = jnp.arange(self.ribs // 2 + 1)
        lateral = jnp.fft.irfft(
            jnp.where(k == 0, 0.0, -1j / jnp.maximum(k, 1)) * jnp.fft.rfft(turn), self.ribs
        )
        out = self.hinge_stiffness * turn + 0.5 * moment
        return jnp.stack([self.radial_gauge * out, self.lateral_gauge * self.lateral_stiffness * lateral])

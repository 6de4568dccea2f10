r"""The basket of a drogue: 32 ribs, hinged on a ring, tied to one another, each with two strain gauges.

The nozzle, a ball of radius r at the place p in the drogue's frame, presses on ribs near it. Rib i lies at an azimuth
:math:`\alpha_i`; pressed by a force :math:`f_i` at a distance s along it from its hinge it turns outward by
:math:`\varphi_i`. Ribs are tied by elastics and canopy into a ring, whose stiffness is told apart by waves around it:

.. math::

    K_k\hat\varphi_k = s\hat f_k, \qquad
    K_0 = \kappa_h + \kappa_e, \quad K_k = \kappa_h + \kappa_l/k^2 + \kappa_b(k^2 - 1)^2, \qquad
    f_i = w_i F(g_i - s\varphi_i, \dot g_i)

The hinges resist any turn, stretch of the ties resists widening (k = 0), their bending an oval (k = 2) and more, and
only the hinges resist that the rim moves aside as a whole (k = 1). A ring that does not stretch moves sideways by
:math:`\hat\lambda_k = \hat\varphi_k/k` a quarter wave on, so ribs across the strike bend laterally. :math:`g_i` is
the overlap of the ball with the undeflected rib, F the contact law, :math:`w_i` a weight that falls to zero where the
ball is beside the rib. The few ribs that can touch are a complementarity problem, solved by projected relaxation:
each in turn takes a step of Newton's on its own force, exact for a linear law. Each rib has a gauge for bending out
of the basket and one for bending sideways.

A rib that has turned pushes the nozzle aft, by :math:`f_i\varphi_i\,\partial s/\partial x`, and one beside it off to
its side, by what its contact stores: without these terms a nozzle that moves along or across pressed ribs would gain
energy.

A law with damping makes the full-speed variant; a slow test does not see it. Geometry and stiffness are a surrogate;
32 ribs, hinges, ties and 64 gauges are as described [Bolien 2018, sec. 1.3.2, app. C].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.contact import KelvinVoigt, Meeting, Met, NormalLaw, approach
from dovetail.mechanics.friction import Friction, NoFriction
from dovetail.mechanics.geometry.revolved_wall import wall
from dovetail.specimens.base import Specimen

NEAR = 7  # ribs that the ball can reach at once


@kind("rib-basket")
class RibBasket(Specimen):
    """Ribs alone: no coupling, no latch; wrench on the drogue and strain at 64 gauges."""

    ribs: int = count("number of ribs", default=32, at_least=8)
    home: jax.Array = parameter("m", "nozzle in the drogue at the start", default=(-0.75, 0.0, -0.05))
    nozzle_radius: jax.Array = parameter("m", "of the ball", default=0.04, above=0.0)
    depths: jax.Array = parameter("m", "aft of the ball joint: hinges, rim", default=(0.26, 0.70))
    radii: jax.Array = parameter("m", "of the ribs there, inner side", default=(0.105, 0.31))
    hinge: jax.Array = parameter("N m/rad", "stiffness of a hinge", default=40.0, above=0.0)
    sideways: jax.Array = parameter("N m/rad", "stiffness of a rib sideways", default=25.0, at_least=0.0)
    stretch: jax.Array = parameter("N m/rad", "of the ties against widening", default=400.0, at_least=0.0)
    bending: jax.Array = parameter(
        "N m/rad", "of the ties against an oval, over nine", default=60.0, at_least=0.0
    )
    law: NormalLaw = KelvinVoigt(2e4, tension="clamped")
    friction: Friction = NoFriction()
    width: jax.Array = parameter(
        "m", "beside a rib at which the ball no longer touches it", default=0.035, above=0.0
    )
    radial_gauge: jax.Array = parameter(
        "1/(N m)", "strain of the top gauge by the rib's moment", default=6e-6
    )
    lateral_gauge: jax.Array = parameter(
        "1/(N m)", "strain of the side gauge by the ties' pull", default=6e-6
    )

    def __check_init__(self):
        super().__check_init__()
        if any(jnp.ndim(number) for number in jax.tree.leaves(self.law)):
            raise ParameterError(
                "RibBasket.law: a number of the law is a list; all ribs have one law, give one number"
            )

    def init(self) -> dict[str, jax.Array]:
        return self._meeting.init(self.ribs, 3)

    @property
    def _meeting(self) -> Meeting:
        return Meeting(self.law, self.friction)

    def derivative(self, t, x, u):
        return self.pressed(x, u)[0].rate

    @property
    def jumps(self) -> bool:
        """Whether anything is remembered from step to step."""
        return self._meeting.jumps

    def jump(self, t, x, u):
        return self._meeting.after(x, self.pressed(x, u)[0])

    def output(self, t, x, u):
        met, turn, arm = self.pressed(x, u)
        force, press = -jnp.sum(met.force, 0) - self._aside(met, turn, arm, u), met.normal_force
        wrench = jnp.concatenate([force, jnp.cross(self.home + u["displacement"][:3], force)])
        return {"force": wrench, "strain": self.strain(turn, press * arm), "normal_force": jnp.sum(press)}

    def pressed(self, x, u) -> tuple[Met, jax.Array, jax.Array]:
        """What goes on at every rib (n, ...), their turn (n,) [rad], and the distance [m] from the hinges."""
        n, p = self.ribs, self.home + u["displacement"][:3]
        out, side = self._directions()
        xi = -p[0]
        gap, cosine, sine, _ = wall(self.depths, self.radii, xi, p @ out)
        gap = gap - self.nozzle_radius
        inward = -(cosine * out.T + sine * jnp.eye(3)[0])  # normals of the inner surface
        inside = (xi >= self.depths[0]) & (xi <= self.depths[1])
        arm = (xi - self.depths[0]) / cosine + 0.02  # the hinge has a size: the arm does not vanish
        near = approach(gap, inward, u["velocity"][:3])
        beside = (p @ side) / self.width
        weight = jnp.clip(1 - beside**2, 0.0, 1.0) * (p @ out > 0) * inside * (gap < 0)

        # ribs near the nozzle: the rest is not pressed
        middle = jnp.round(jnp.arctan2(p[1], -p[2]) / (2 * jnp.pi / n)).astype(int)
        at = (middle + jnp.arange(NEAR) - NEAR // 2) % n
        give = self._compliance()[(at[:, None] - at[None, :]) % n] * arm**2
        began = self._meeting.latch.impact_speed(x["impact_speed"], near.speed)
        w, depth, speed, began = (a[at] for a in (weight, near.depth, near.speed, began))

        def relax(turn, press):
            i = turn % NEAR
            left = depth[i] - give[i] @ press
            push, slope = jax.jvp(lambda d: self.law.push(d, speed[i], began[i]), (left,), (jnp.ones(()),))
            stiff = w[i] * give[i, i] * slope
            return press.at[i].set(jnp.maximum((w[i] * push + stiff * press[i]) / (1 + stiff), 0.0))

        press = jax.lax.fori_loop(0, 12 * NEAR, relax, jnp.zeros(NEAR))
        every = jnp.zeros(n).at[at].add(press)
        turn = jnp.fft.irfft(jnp.fft.rfft(every * arm) / self._stiffness_spectrum(), n)
        return self._meeting.pressed(x, near, inward, every), turn, arm

    def _aside(self, met, turn, arm, u):
        """Force (3,) [N] on the nozzle that is not along the normals of ribs at rest: aft, and off to a side."""
        cosine = wall(self.depths, self.radii, self.depths[0], 0.0).cosine
        aft = jnp.sum(met.normal_force * turn) / cosine
        _, side = self._directions()
        beside = (self.home + u["displacement"][:3]) @ side / self.width
        touched = met.normal_force > 0
        off = 2 * beside / self.width * self.law.stored_energy(met.depth - arm * turn) * touched
        return side @ off - aft * jnp.eye(3)[0]

    def _directions(self):
        """Outward and sideways (3, n) at every rib, from 12 o'clock to starboard."""
        azimuth = 2 * jnp.pi * jnp.arange(self.ribs) / self.ribs
        zero, sin, cos = jnp.zeros(self.ribs), jnp.sin(azimuth), jnp.cos(azimuth)
        return jnp.stack([zero, sin, -cos]), jnp.stack([zero, cos, sin])

    def _stiffness_spectrum(self):
        k = jnp.arange(self.ribs // 2 + 1)
        ring = jnp.where(k == 0, self.stretch, self.sideways / jnp.maximum(k, 1) ** 2)
        return self.hinge + ring + jnp.where(k == 0, 0.0, self.bending * (k**2 - 1.0) ** 2)

    def _compliance(self):
        """Turn [rad/(N m)] of the rib at a distance from one that is turned by a unit moment."""
        return jnp.fft.irfft(1 / self._stiffness_spectrum() + 0j, self.ribs)

    def strain(self, turn: jax.Array, moment: jax.Array) -> jax.Array:
        """Strains (2, n): of the top gauges by bending out of the basket, of the side gauges by bending sideways."""
        k = jnp.arange(self.ribs // 2 + 1)
        aside = jnp.fft.irfft(jnp.where(k == 0, 0.0, -1j / jnp.maximum(k, 1)) * jnp.fft.rfft(turn), self.ribs)
        out = self.hinge * turn + 0.5 * moment
        return jnp.stack([self.radial_gauge * out, self.lateral_gauge * self.sideways * aside])

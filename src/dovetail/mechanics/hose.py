r"""A hose with a drogue as a chain of lumped masses in minimal coordinates, whose links may grow shorter.

Masses 1 to n hang behind one another on massless links; the last but one is the ball joint, the last the drogue
at its centre of mass, so the drogue has an attitude. Angles are the states, so link lengths cannot drift. Every
tension t follows from one tridiagonal system,

.. math::

    m_k a_k = P_k + t_k n_k - t_{k+1} n_{k+1}, \qquad (a_k - a_{k-1})\cdot n_k = l_k|\dot n_k|^2 - \ddot l_k ,

solved, where the drum has dynamics, twice: for what acts, and for a unit acceleration :math:`\ddot s` of the
reeled length, which is then found from the drum. With link lengths :math:`l_k(s)` that covers every way of reeling.
Hose mass that changes lumps (`transfer`) acts as

- `none`: not at all, the form of the published tests;
- `printed`: :math:`[(n-k-1)\dot p_{k+1} + (n-k)\dot p_k]\,\dot m` on lump k, which counts each packet of mass on
  both lumps that exchange it and so makes momentum;
- `consistent`: the capture term :math:`(n-k-1)\dot p_{k+1}\dot m` alone, which keeps momentum;
- `sliding`: the rigorous answer, arbitrary Lagrangian-Eulerian: nodes are not material, hose slides past them at
  :math:`w_k`, and its mass there has the acceleration :math:`a_k + 2w\dot\tau + w^2\tau' + \dot w\tau`, with
  the tangent :math:`\tau` down the hose.

Source: [Bolien 2018, sec. 3.5, eqs 3.32 to 3.60, corrected]. Not modelled: stretch, twist, winding on the drum.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Part, choice, count, kind, parameter
from dovetail.mechanics import hose_geometry as geometry
from dovetail.mechanics import hose_loads as loads
from dovetail.mechanics.chain.banded import solve_tridiagonal
from dovetail.mechanics.chain.base import after, before, dot, running
from dovetail.mechanics.hose_reel import fixed_lengths, sequential_lengths, uniform_lengths

GRAVITY = 9.81  # [m/s^2]


class HoseMotion(eqx.Module):
    """Where everything is and how fast it moves; columns are links or nodes."""

    angles: jax.Array  # (2, n)
    rates: jax.Array  # (2, n)
    n: jax.Array  # (3, n) directions up the hose
    turn: jax.Array  # (3, n) [1/s] their rates
    l: jax.Array  # (n,) [m] lengths, their rates and their derivatives by the reeled length
    l_rate: jax.Array
    by_reel: jax.Array  # (n,) dl/ds
    bend: jax.Array  # (n,) d2l/ds2 times the square of the reel's speed
    s_rate: jax.Array  # [m/s] of the reeled length
    r: jax.Array  # (3, n + 1) [m] nodes from the tow point on
    v: jax.Array  # (3, n + 1) [m/s]
    mass: jax.Array  # (n,) [kg] of the lumps

    @property
    def ball_joint(self) -> tuple[jax.Array, jax.Array]:
        """Position and velocity of the ball joint, (3,) each."""
        return self.r[:, -2], self.v[:, -2]


class HoseSolved(eqx.Module):
    """Accelerations and tensions."""

    angles: jax.Array  # (2, n) [rad/s^2]
    acceleration: jax.Array  # (3, n) [m/s^2] of the masses
    tension: jax.Array  # (n,) [N]
    reel: jax.Array  # [m/s^2]


@kind("hose")
class Hose(Part):
    """Hose and drogue by their numbers; the defaults are those of the published tests."""

    links: int = count("hose links, without the drogue's", default=19, at_least=2)
    length: jax.Array = parameter("m", "length paid out", default=27.0, above=0.0)
    specific_mass: jax.Array = parameter("kg/m", "mass of the hose by its length", default=4.09, above=0.0)
    diameter: jax.Array = parameter("m", "outer diameter", default=0.071, above=0.0)
    inner_diameter: jax.Array = parameter("m", "inner diameter", default=0.0355, at_least=0.0)
    modulus: jax.Array = parameter(
        "Pa", "modulus of elasticity; 0 for no bending", default=1.3e7, at_least=0.0
    )
    tangential_drag: jax.Array = parameter("1", "drag coefficient along the hose", default=0.01, at_least=0.0)
    normal_drag: jax.Array = parameter("1", "drag coefficient across the hose", default=0.6, at_least=0.0)
    drogue_mass: jax.Array = parameter("kg", "mass of drogue and coupling", default=17.91, above=0.0)
    drogue_link: jax.Array = parameter("m", "ball joint to centre of mass", default=0.3, above=0.0)
    canopy_diameter: jax.Array = parameter("m", "diameter of the canopy", default=0.6096, at_least=0.0)
    drogue_drag: jax.Array = parameter("1", "drag coefficient of the canopy", default=0.8, at_least=0.0)
    joint_friction: jax.Array = parameter("N m s", "viscous friction of the ball joint", default=10.0)
    aero_moment: jax.Array = parameter("N m/rad", "restoring moment of the air", default=286.4788975654116)
    aero_zero: str = choice("trim", "wind", about="where the moment is zero", default="trim")
    gravity: jax.Array = parameter("m/s^2", "gravity", default=GRAVITY)
    tow_point: jax.Array = parameter("m", "tow point in the tanker's frame", default=(-21.14, 0.0, 0.5))
    shrink: str = choice(
        "none", "uniform", "sequential", about="which links grow shorter", default="sequential"
    )
    transfer: str = choice("none", "printed", "consistent", "sliding", about="mass transfer", default="none")
    duct_angle: jax.Array = parameter("rad", "of the duct, down from forward", default=0.0)

    @property
    def n(self) -> int:
        """Number of masses: the hose's, and the drogue's."""
        return self.links + 1

    @property
    def bending_stiffness(self) -> jax.Array:
        """EI [N m^2]."""
        return self.modulus * jnp.pi / 64 * (self.diameter**4 - self.inner_diameter**4)

    @property
    def canopy_area(self) -> jax.Array:
        """[m^2]"""
        return jnp.pi / 4 * self.canopy_diameter**2

    @property
    def duct(self) -> jax.Array:
        """Unit vector (3,) along which hose leaves into the duct."""
        return jnp.stack([jnp.cos(self.duct_angle), jnp.zeros(()), -jnp.sin(self.duct_angle)])

    def lengths(self, s: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Lengths (n,) of all links and their first two derivatives by the reeled length s."""
        hose = {"none": fixed_lengths, "uniform": uniform_lengths, "sequential": sequential_lengths}[
            self.shrink
        ](s, self.length, self.links)
        own = (self.drogue_link, 0.0, 0.0)
        return tuple(jnp.append(a, b) for a, b in zip(hose, own, strict=True))  # type: ignore[return-value]

    def motion(
        self, angles: jax.Array, rates: jax.Array, s: Any = 0.0, s_rate: Any = 0.0, top: Any = None
    ) -> HoseMotion:
        """Forward pass from the tow point, which may move: `top` is its place and velocity, (2, 3)."""
        s, s_rate = jnp.asarray(s, float), jnp.asarray(s_rate, float)
        l, by_reel, by_reel_2 = self.lengths(s)
        l_rate = by_reel * s_rate
        n = geometry.direction(angles)
        place = jnp.stack([self.tow_point, jnp.zeros(3)]) if top is None else top
        steps = jnp.concatenate([-l * n, geometry.link_velocity(angles, rates, l, l_rate)])
        nodes = place.reshape(6, 1) + jnp.concatenate([jnp.zeros((6, 1)), running(steps)], axis=1)
        r, v = nodes[:3], nodes[3:]
        mass = jnp.append(self.specific_mass * l[:-1], self.drogue_mass)
        turn = geometry.turn_rate(angles, rates)
        return HoseMotion(
            angles, rates, n, turn, l, l_rate, by_reel, by_reel_2 * s_rate**2, s_rate, r, v, mass
        )

    def forces(self, m: HoseMotion, wind: jax.Array, density: jax.Array, stream: jax.Array) -> jax.Array:
        """Weight, drag, bending, friction and aero-moment on the masses, (3, n) [N].

        `wind` (3, n) [m/s] is the air's velocity at the middle of every hose link and at the drogue.
        """
        weight = m.mass * self.gravity * jnp.eye(3)[2][:, None]
        middle = 0.5 * (m.v[:, 1:-1] + m.v[:, :-2]) - wind[:, :-1]
        hose = loads.link_drag(
            m.n[:, :-1],
            m.l[:-1],
            middle,
            density=density,
            diameter=self.diameter,
            tangential=self.tangential_drag,
            normal=self.normal_drag,
        )
        drogue = self.drogue_force(m.v[:, -1] - wind[:, -1], density)
        drag = jnp.concatenate([0.5 * (hose + after(hose)), drogue[:, None]], axis=1)
        pair = loads.bending(m.n, m.l, self.bending_stiffness)
        pair = pair + loads.joint_friction(m.n, m.turn, m.l, self.joint_friction)
        reference = self.aero_reference(stream, density) if self.aero_zero == "trim" else None
        if reference is None:
            blow = wind[:, -1] - m.v[:, -1]
            reference = -blow / jnp.sqrt(blow @ blow + loads.TINY)
        turned = loads.restoring(m.n[:, -1], m.l[-1], reference, self.aero_moment)
        pair = pair.at[:, -1].add(turned)
        return weight + drag + pair - after(pair)

    def drogue_force(self, wind: jax.Array, density: jax.Array) -> jax.Array:
        """Drag (3,) [N] of the drogue that moves at `wind` (3,) [m/s] through the air."""
        return loads.body_drag(wind, density=density, area=self.canopy_area, coefficient=self.drogue_drag)

    def aero_reference(self, stream: jax.Array, density: jax.Array) -> jax.Array:
        """Direction (3,) of the drogue in steady flight without a moment: along its drag and weight."""
        pull = self.drogue_force(-stream, density) + self.drogue_mass * self.gravity * jnp.eye(3)[2]
        return -pull / jnp.sqrt(pull @ pull + loads.TINY**2)

    def contact(self, m: HoseMotion, wrench: jax.Array) -> jax.Array:
        """Forces (3, n) of a wrench (6,) on the drogue, in its axes about the ball joint: force and couple."""
        R = geometry.rotation(m.angles[:, -1])
        pair = R @ loads.couple(wrench[3:], m.l[-1])
        return jnp.zeros_like(m.n).at[:, -2].set(R @ wrench[:3] - pair).at[:, -1].set(pair)

    def exchange(self, m: HoseMotion) -> tuple[jax.Array, jax.Array]:
        """Forces (3, n) of hose mass that changes lumps, and what they gain by a unit acceleration of the reel."""
        none = jnp.zeros_like(m.n)
        if self.transfer == "none":
            return none, none
        if self.transfer == "sliding":
            return self._sliding(m)
        # kg/s that every lump loses; lump k hands (n - k) of it on
        loss = -self.specific_mass * m.l_rate[0]
        handed = jnp.arange(self.links, -1, -1.0)  # n - k for k = 1 to n
        p_rate = m.v[:, 1:] - m.v[:, :-1]
        captured = after(handed * p_rate)
        to_drum = -self.links * (m.s_rate * self.duct - m.v[:, 1])
        expelled = handed * p_rate if self.transfer == "printed" else none
        return loss * (captured + expelled.at[:, 0].set(to_drum)), none

    def _sliding(self, m: HoseMotion) -> tuple[jax.Array, jax.Array]:
        by_s = -1 - jnp.cumsum(m.by_reel)  # slip past the nodes by the reel's speed, down the hose positive
        slip = by_s * m.s_rate
        bend = -jnp.cumsum(m.bend)  # slip acceleration at a steady reel
        tau, turn = -m.n, -m.turn
        tau_next, turn_next = after(tau), after(turn)
        tangent, turning = 0.5 * (tau + tau_next), 0.5 * (turn + turn_next)
        curvature = (tau_next - tau) / (0.5 * (m.l + after(m.l, m.l[-1])))
        hose = jnp.append(m.mass[:-1], 0.0)
        return (
            -hose * (2 * slip * turning + slip**2 * curvature + bend * tangent),
            -hose * by_s * tangent,
        )

    def solve(
        self,
        m: HoseMotion,
        force: jax.Array,
        drive: tuple[jax.Array, jax.Array | None],
        *,
        top: Any = None,
        held: Any = None,
        carriage: Any = None,
    ) -> HoseSolved:
        """Accelerations and tensions under forces (3, n) [N] on the masses.

        Parameters
        ----------
        drive : force [N] and inertia [kg] of the drum, or the reel's acceleration [m/s^2] and None.
        top : (3,) acceleration of the tow point [m/s^2].
        held : (3,) acceleration [m/s^2] that the ball joint is made to have, where the drogue is latched.
        carriage : (3,) direction in which the reeled length moves the tow point itself, where no link changes.
        """
        inverse = 1 / m.mass
        exchange, exchange_by_reel = self.exchange(m)
        free = inverse * (force + exchange)
        by_reel = inverse * exchange_by_reel
        if held is not None:
            inverse = inverse.at[-2].set(0.0)
            free, by_reel = free.at[:, -2].set(held), by_reel.at[:, -2].set(0.0)
        above = jnp.zeros((3, 1)) if top is None else top[:, None]
        near = before(inverse)
        diagonal, coupling = inverse + near, -near * dot(m.n, before(m.n))
        wanted = m.l * dot(m.turn, m.turn) - m.bend
        pull, inertia = drive

        def tensions(free, above, wanted):
            return solve_tridiagonal(diagonal, coupling, wanted - dot(free - before(free, above), m.n))

        if inertia is None:
            reel = pull
            free = free + reel * by_reel
            tension = tensions(free, above, wanted - reel * m.by_reel)
        else:
            moved = 0 * above if carriage is None else carriage[:, None]
            felt = 1.0 if carriage is None else m.n[:, 0] @ carriage  # of the first tension by the drum
            pair = jnp.stack([free, by_reel]), jnp.stack([above, moved]), jnp.stack([wanted, -m.by_reel])
            steady, unit = jax.vmap(tensions)(*pair)
            reel = (pull - felt * steady[0]) / (inertia + felt * unit[0])
            free, tension, above = free + reel * by_reel, steady + reel * unit, above + reel * moved
        along = tension * m.n
        acceleration = free + inverse * (along - after(along))
        relative = acceleration - before(acceleration, above)
        angles = geometry.angle_accelerations(relative, m.angles, m.rates, m.l, m.l_rate)
        return HoseSolved(angles, acceleration, tension, reel)

    def kinetic_energy(self, m: HoseMotion) -> jax.Array:
        """[J] of the lumps."""
        return 0.5 * jnp.sum(m.mass * m.v[:, 1:] ** 2)

    def momentum(self, m: HoseMotion) -> jax.Array:
        """(3,) [N s] of the lumps."""
        return jnp.sum(m.mass * m.v[:, 1:], axis=1)

    def balance(self, m: HoseMotion, force: jax.Array, solved: HoseSolved) -> tuple[jax.Array, jax.Array]:
        r"""Rates of momentum (3,) [N] and kinetic energy [W] of all lumps, by what acts on them from outside.

        Forces (3, n) on the masses, the pull of the tow point, the work of links that are drawn in, and what lumps
        carry off that lose mass:

        .. math::

            \dot p = \sum_k (P_k + \dot m_k v_k) + t_1 n_1, \qquad
            \dot T = \sum_k\big(P_k\cdot v_k + \tfrac12\dot m_k v_k^2 + t_k n_k\cdot(v_k - v_{k-1})\big)
                + t_1 n_1\cdot v_0

        Integrated beside the motion and held against the momentum and energy of the lumps, they audit a run: angles
        move the lumps, forces and tensions do the work, and both must agree.
        """
        exchange, by_reel = self.exchange(m)
        acting = force + exchange + solved.reel * by_reel
        v, pull = m.v[:, 1:], solved.tension * m.n
        loss = jnp.append(self.specific_mass * m.l_rate[:-1], 0.0)
        impulse = jnp.sum(acting + loss * v, axis=1) + pull[:, 0]
        power = jnp.sum(acting * v + 0.5 * loss * v**2 + pull * (v - m.v[:, :-1])) + pull[:, 0] @ m.v[:, 0]
        return impulse, power

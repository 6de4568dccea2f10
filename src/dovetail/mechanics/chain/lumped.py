r"""Point masses on massless links: what chains of angles, of inextensible and of elastic links share.

Nodes 1 to n carry the mass, and each link pulls at its ends with a force s along itself:

.. math:: M_k \ddot p_k = F_k - s_k + s_{k+1}

F is weight, what acts from outside, bending and friction of the joints, and what rope that changes lumps brings along
(`transfer`). A formulation adds its coordinates and where s comes from: links of known length, or a law of stretch.
With a changing length (`Loads.length`) links grow and shrink as `shrink` says. A body at the end (`with_body`) is one
more link that keeps its length, with a mass at its far end and friction in its joint.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from dovetail.core import choice, count, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain import joints, mass_transfer, reeling_length
from dovetail.mechanics.chain.banded import solve_tridiagonal
from dovetail.mechanics.chain.base import (
    Chain,
    Loads,
    Nodes,
    Solved,
    after,
    before,
    dot,
    node_forces,
    running,
)
from dovetail.mechanics.chain.reeling_length import Rates


class ChainShape(NamedTuple):
    """Directions, motion and masses of a chain; columns are links, or the nodes at their far ends."""

    n: jax.Array  # (3, n) directions of the links, down the chain
    turn: jax.Array  # (3, n) [1/s] their rates
    v: jax.Array  # (3, n) [m/s] velocities of the nodes
    size: jax.Array  # (n,) [m] distance of the links' ends
    l: Rates  # (n,) unstretched lengths and their rates
    link: jax.Array  # (n,) [kg] mass of the links
    mass: jax.Array  # (n,) [kg] of the nodes


class LumpedChain(Chain):
    """Chain of point masses; the mass of a link goes half to each end (`half`) or to its far end (`end`)."""

    variable: ClassVar[bool] = True

    n: int = count("number of links", at_least=1)
    length: jax.Array = parameter("m", "length without a last link of its own", above=0.0)
    mass: jax.Array = parameter("kg", "mass of the chain without what is lumped on it", above=0.0)
    tip_mass: jax.Array = parameter("kg", "mass lumped at the tip", default=0.0, at_least=0.0)
    node_mass: jax.Array = parameter("kg", "further mass on the nodes 1 to n", default=0.0, at_least=0.0)
    last_link: jax.Array | None = parameter(
        "m", "length of a massless last link that never changes: a body at the end", default=None, above=0.0
    )
    bending: jax.Array | None = parameter("N m^2", "bending stiffness EI", default=None, at_least=0.0)
    joint_damping: jax.Array | None = parameter("N m s", "friction of a joint", default=None, at_least=0.0)
    end_damping: jax.Array | None = parameter(
        "N m s", "friction of the joint before a last link", default=None, at_least=0.0
    )
    mass_damping: jax.Array | None = parameter("1/s", "drag over mass (Rayleigh)", default=None, at_least=0.0)
    stiffness_damping: jax.Array | None = parameter(
        "s", "friction over bending stiffness (Rayleigh)", default=None, at_least=0.0
    )
    duct: jax.Array | None = parameter(
        "1", "direction in which rope leaves at the support; along the first link if left out", default=None
    )
    distribution: str = choice("half", "end", about="where a link's mass is", default="half")
    shrink: str = choice(*reeling_length.WAYS, about="which links a reel shortens", default="uniform")
    transfer: str = choice(*mass_transfer.WAYS, about="what mass that changes lumps does", default="sliding")
    end: str = choice("free", "held", about="whether the tip moves as it is told", default="free")

    def __check_init__(self):
        counted = self.transfer in ("printed", "consistent")
        if counted and (self.distribution, self.shrink) != ("end", "uniform"):
            raise ParameterError(
                f"{type(self).__name__}.transfer: got {self.transfer} with distribution {self.distribution} and shrink "
                f"{self.shrink}; it counts mass at the far ends of links that shrink together. Do: take end and "
                "uniform, or transfer none or sliding"
            )
        if self.last_link is not None and self.n < 2:
            raise ParameterError(
                f"{type(self).__name__}.n: got 1; a last link of its own needs one before it"
            )

    # what a formulation says

    @abstractmethod
    def shape(self, x: Any, length: Any = None) -> ChainShape:
        """Directions, motion and masses."""

    @abstractmethod
    def placed(self, directions: jax.Array, lengths: jax.Array) -> Any:
        """State at rest with links along directions (3, n), of lengths (n,) [m]."""

    @abstractmethod
    def moved(self, x: Any, velocity: jax.Array, length: Any = None) -> Any:
        """State with the same places whose nodes 1 to n move at (3, n) [m/s]."""

    @abstractmethod
    def pull(self, x: Any, s: ChainShape, free: jax.Array, inverse: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Forces (3, n) of the links on their near ends, and tensions (n,) [N].

        `free` (3, n) are the accelerations without them, `inverse` (n,) one over the masses, zero where held.
        """

    @abstractmethod
    def rate(self, x: Any, s: ChainShape, acceleration: jax.Array) -> Any:
        """Derivative of the state from the accelerations (3, n) of the nodes."""

    def stretched(self, tension: Float[Array, " n"], length: Any = None) -> Float[Array, " n"]:
        """Lengths (n,) [m] of links that carry tensions (n,) [N]."""
        return self.lengths(length)[0]

    # lengths and masses

    @property
    def links(self) -> int:
        return self.n

    @property
    def rope_links(self) -> int:
        """Links of the chain proper, without a body's."""
        return self.n - (self.last_link is not None)

    def lengths(self, length: Any = None) -> Rates:
        """Length (n,) of every link and its first two rates, (n,) each or 0.0 where nothing changes."""
        if length is None:
            l = jnp.broadcast_to(self.length / self.rope_links, (self.rope_links,))
            return l if self.last_link is None else jnp.append(l, self.last_link), 0.0, 0.0
        l, rate, rate2 = reeling_length.lengths(self.shrink, length, self.length, self.rope_links)
        if self.last_link is None:
            return l, rate, rate2
        return jnp.append(l, self.last_link), jnp.append(rate, 0.0), jnp.append(rate2, 0.0)

    def slip(self, length: Any) -> tuple[jax.Array, jax.Array]:
        """Speed (n,) [m/s] and its rate at which rope slides past the nodes 1 to n while the length has these rates."""
        slips = reeling_length.slip(self.shrink, length, self.length, self.rope_links)
        return slips if self.last_link is None else (jnp.append(slips[0], 0.0), jnp.append(slips[1], 0.0))

    def masses(self, l: Float[Array, " n"]) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
        """Mass [kg] of each link of lengths l (n,), and of each of the nodes 1 to n."""
        link, node = self._shared(l)
        # by a mask: an update of one entry becomes a scatter in a batch, which XLA's CPU compiler runs entry by entry
        last = np.arange(self.n) == self.n - 1
        return link, node + self.node_mass + jnp.where(last, self.tip_mass, 0.0)

    def _shared(self, l):
        """Mass of links of lengths l, and what of it each node has; rates from rates."""
        link = self.mass / self.length * l
        if self.last_link is not None:
            link = link * (np.arange(self.n) < self.rope_links)
        return link, link if self.distribution == "end" else 0.5 * (link + after(link))

    def with_tip(self, mass):
        return dataclasses.replace(self, tip_mass=mass)

    def with_body(self, mass, arm, friction=None):
        own = self.node_mass if np.ndim(self.node_mass) == 0 else jnp.append(self.node_mass, 0.0)
        return dataclasses.replace(
            self, n=self.n + 1, last_link=arm, tip_mass=mass, node_mass=own, end_damping=friction
        )

    # states at rest

    def straight(self, direction, length=None):
        along = jnp.broadcast_to(jnp.asarray(direction, float)[:, None], (3, self.n))
        return self.placed(along, self.lengths(length)[0])

    def along(self, directions, field, tip_force):
        m = self.masses(self.lengths()[0])[1] * jnp.asarray(field)[:, None]
        below = jnp.cumsum(m[:, ::-1], axis=1)[:, ::-1] + jnp.asarray(tip_force)[:, None]
        return self.placed(directions, self.stretched(jnp.sqrt(dot(below, below))))

    # equations of motion

    def solve(self, t, x, u):
        s = self.shape(x, u.length)
        inverse = 1 / s.mass
        if self.end == "held":
            inverse = jnp.where(np.arange(self.n) == self.n - 1, 0.0, inverse)
        free = inverse * self.acting(s, u) + jnp.asarray(u.field)[:, None]  # without the links' forces
        if self.end == "held":
            free = free.at[:, -1].set(u.end)
        force, tension = self.pull(x, s, free, inverse)
        acceleration = free + inverse * (after(force) - force)
        return Solved(
            rate=self.rate(x, s, acceleration),
            acceleration=jnp.concatenate([jnp.zeros((3, 1)), acceleration], axis=1),
            tension=tension,
            reaction=force[:, 0] + self._at_root(s, u),
        )

    def acting(self, s: ChainShape, u: Loads) -> Float[Array, "3 n"]:
        """Forces (3, n) [N] on the nodes 1 to n but for the field's and the links'; what is left out costs nothing."""
        total = node_forces(self.n, u)[:, 1:]
        h = [] if self.bending is None else [joints.bending(s.n, s.l[0], self._in_rope(self.bending))]
        friction = self._friction(s.l[0])
        if friction is not None:
            h.append(joints.friction(s.turn, friction))
        if self._last_damping is not None:
            h.append(joints.last_friction(s.turn, self._last_damping))
        if h:
            f = joints.link_forces(sum(h, jnp.zeros(())), s.n, s.size)
            total = total + f - after(f)
        if self.mass_damping is not None:
            total = total - self.mass_damping * s.mass * s.v
        return total if u.length is None else total + self.exchange(s, u.length)

    def exchange(self, s: ChainShape, length: Any) -> jax.Array | float:
        """Forces (3, n) [N] of rope that changes lumps while the length has these rates."""
        if self.transfer == "none":
            return 0.0
        if self.transfer == "sliding":
            return mass_transfer.sliding(s.n, s.turn, s.l[0], self.slip(length), s.mass)
        loss = -self._shared(s.l[1])[0][0]
        leaving = -length[1] * (-s.n[:, 0] if self.duct is None else self.duct)
        twice = self.transfer == "printed"
        return mass_transfer.handed_on(s.v, loss, leaving, self.rope_links, twice=twice)

    def _in_rope(self, of_joint):
        """What each joint has that all of the rope's have; a body's own joint is none of them."""
        return of_joint if self.last_link is None else of_joint * (np.arange(self.n - 1) < self.n - 2)

    def _friction(self, l):
        """Damping [N m s] of the rope's joints: their own, and in proportion to their stiffness."""
        own = self.joint_damping
        if self.bending is not None and self.stiffness_damping is not None:
            own = (0.0 if own is None else own) + self.stiffness_damping * self.bending / l[0]
        return None if own is None else self._in_rope(own)

    @property
    def _last_damping(self) -> jax.Array | None:
        return None if self.last_link is None else self.end_damping

    def _at_root(self, s, u):
        """What acts on the support beside the first link's force: loads and mass lumped there."""
        lumped = 0.0 if self.distribution == "end" else 0.5 * s.link[0]
        return node_forces(self.n, u)[:, 0] + lumped * jnp.asarray(u.field)

    def impulse(self, x: Any, momentum: jax.Array) -> Any:
        r"""State after impulses (3, n) [N s] on the nodes 1 to n, the links held at their length.

        Velocities after satisfy :math:`M v^+ + G^T\lambda = M v + J` and :math:`G v^+ = 0`; the links' impulses
        are found as tensions are. Point masses only: rods are treated as their half masses.
        """
        s = self.shape(x)
        inverse = 1 / s.mass
        free = s.v + inverse * momentum
        force = held_tensions(s.n, free, inverse, 0.0) * s.n
        return self.moved(x, free + inverse * (after(force) - force))

    # energy and momentum

    def _material(self, s, length):
        if length is None or self.transfer != "sliding":
            return s.v
        return s.v + self.slip(length)[0] * mass_transfer.tangents(s.n)

    def energies(self, x, u=None):
        length = None if u is None else u.length
        s = self.shape(x, length)
        kinetic = 0.5 * jnp.sum(s.mass * self._material(s, length) ** 2)
        if length is not None and self.distribution == "half":
            kinetic = kinetic + 0.25 * s.link[0] * length[1] ** 2  # of the half link at the support
        bent = jnp.zeros(())
        if self.bending is not None:
            bent = joints.bending_energy(s.n, s.l[0], self._in_rope(self.bending))
        return {"kinetic": kinetic, "axial": jnp.zeros(()), "bending": bent}

    def mass_moments(self, x, u=None):
        length = None if u is None else u.length
        s = self.shape(x, length)
        position = self.nodes(x, length).position[:, 1:]
        return jnp.sum(s.mass * position, axis=1), jnp.sum(s.mass * self._material(s, length), axis=1)

    def power(self, x, u):
        s = self.shape(x, u.length)
        velocity = self._material(s, u.length)
        damping, friction = jnp.zeros(()), self._friction(s.l[0])
        if friction is not None:
            damping = damping + joints.friction_power(s.turn, friction)
        if self._last_damping is not None:
            damping = damping + joints.friction_power(s.turn[:, -2:], self._last_damping)
        if self.mass_damping is not None:
            damping = damping - self.mass_damping * jnp.sum(s.mass * s.v * velocity)
        return {"external": jnp.sum(node_forces(self.n, u)[:, 1:] * velocity), "damping": damping}

    def account(self, x, u=None):
        s = self.shape(x, None if u is None else u.length)
        return jnp.sum(s.mass * s.v, axis=1), 0.5 * jnp.sum(s.mass * s.v**2)

    def balance(self, x, u, solved):
        r"""Rates of momentum (3,) [N] and kinetic energy [W] of the lumps, by everything that acts on them.

        Forces, the pull at the support, the work of links that stretch or are drawn in, what lumps carry off that
        lose mass, and the force that holds a held tip:

        .. math::

            \dot p = \sum_k (F_k + \dot m_k v_k) - t_1 n_1, \qquad
            \dot T = \sum_k\big(F_k\cdot v_k + \tfrac12\dot m_k v_k^2 - t_k n_k\cdot(v_k - v_{k-1})\big)
        """
        s = self.shape(x, u.length)
        force = self.acting(s, u) + s.mass * jnp.asarray(u.field)[:, None]
        pull, growth = solved.tension * s.n, 0.0 if u.length is None else self._shared(s.l[1])[1]
        if self.end == "held":
            force = force.at[:, -1].set(s.mass[-1] * jnp.asarray(u.end) + pull[:, -1])
        impulse = jnp.sum(force + growth * s.v, axis=1) - pull[:, 0]
        power = jnp.sum(force * s.v + 0.5 * growth * s.v**2 - pull * (s.v - before(s.v)))
        return impulse, power

    def fastest_rates(self):
        """Of joint friction between point masses: four times that of one joint's two links, sixteen in all."""
        friction = self._friction(self.lengths()[0])
        if friction is None:
            return []
        l, m = float(self.length) / self.rope_links, float(self.mass) / self.rope_links
        return [-16 * float(np.max(friction)) / (m * l**2)]


class PlacedChain(LumpedChain):
    """A lumped chain whose state is where its nodes 1 to n are and how they move, (3, n) each."""

    def through(self, position: jax.Array) -> dict[str, jax.Array]:
        """State at rest with the nodes 1 to n at given places, (3, n) [m]."""
        return {"position": jnp.asarray(position), "velocity": jnp.zeros((3, self.n))}

    def placed(self, directions, lengths):
        return self.through(running(lengths * directions))

    def moved(self, x, velocity, length=None):
        return {"position": x["position"], "velocity": velocity}

    def nodes(self, x, length=None):
        zero = jnp.zeros((3, 1))
        return Nodes(
            jnp.concatenate([zero, x["position"]], axis=1), jnp.concatenate([zero, x["velocity"]], axis=1)
        )

    def rate(self, x, s, acceleration):
        return {"position": x["velocity"], "velocity": acceleration}

    def stretch(self, x: Any, u: Loads | None = None) -> jax.Array:
        """Strain of the links, (n,): what springs allow, or drift control leaves."""
        d = x["position"] - before(x["position"])
        return jnp.sqrt(dot(d, d)) / self.lengths(None if u is None else u.length)[0] - 1


def held_tensions(
    n: Float[Array, "3 n"], free: Float[Array, "3 n"], inverse: Float[Array, " n"], axial: Any
) -> Float[Array, " n"]:
    """Tensions (n,) under which the links' ends part at `axial` (n,) [m/s^2] along the directions n (3, n)."""
    near = before(inverse)
    relative = dot(free - before(free), n) - axial
    return solve_tridiagonal(inverse + near, -near * dot(n, before(n)), relative)

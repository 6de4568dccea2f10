r"""Chains of point masses on massless links: common part of the angle, inextensible and elastic chains.

Nodes 1 to n carry the mass, and each link pulls at its ends with an axial force s:

.. math:: M_k \ddot p_k = F_k - s_k + s_{k+1}

F contains weight, external loads, bending and friction of the joints, and the effect of rope that moves between lumps
(`mass_transfer`). A formulation defines its coordinates and the source of s: links of given length, or a law of
stretch. With a variable length (`ChainLoads.length`) links change length as set by `reeling_order`. A body at the end
(`with_body`) is a further link of constant length with a mass at its far end and friction in its joint.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from dovetail.core import OptionalParameter, Parameter, choice, count, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain import joints, mass_transfer, reeling_length
from dovetail.mechanics.chain.banded import solve_tridiagonal
from dovetail.mechanics.chain.base import (
    Chain,
    ChainLoads,
    ChainNodes,
    ChainSolution,
    dot,
    next_column,
    node_forces,
    previous_column,
    running_sum,
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
    """Chain of point masses; the mass of a link is half at each end (`half`) or at its far end (`end`)."""

    variable: ClassVar[bool] = True

    n: int = count("number of links", at_least=1)
    length: Parameter = parameter("m", "length without a separate last link", above=0.0)
    mass: Parameter = parameter("kg", "mass of the chain without what is lumped on it", above=0.0)
    tip_mass: Parameter = parameter("kg", "mass lumped at the tip", default=0.0, at_least=0.0)
    node_mass: Parameter = parameter("kg", "additional mass on the nodes 1 to n", default=0.0, at_least=0.0)
    last_link: OptionalParameter = parameter(
        "m", "constant length of a massless last link: a body at the end", default=None, above=0.0
    )
    bending: OptionalParameter = parameter("N m^2", "bending stiffness EI", default=None, at_least=0.0)
    joint_damping: OptionalParameter = parameter("N m s", "friction of a joint", default=None, at_least=0.0)
    end_damping: OptionalParameter = parameter(
        "N m s", "friction of the joint before a last link", default=None, at_least=0.0
    )
    mass_damping: OptionalParameter = parameter(
        "1/s", "mass-proportional damping (Rayleigh)", default=None, at_least=0.0
    )
    stiffness_damping: OptionalParameter = parameter(
        "s", "stiffness-proportional joint damping (Rayleigh)", default=None, at_least=0.0
    )
    root_direction: OptionalParameter = parameter(
        "1", "direction of the rope at the support; default: along the first link", default=None
    )
    distribution: str = choice("half", "end", about="location of the mass of a link", default="half")
    reeling_order: str = choice(*reeling_length.WAYS, about="links that a reel shortens", default="uniform")
    mass_transfer: str = choice(
        *mass_transfer.WAYS, about="effect of mass that moves between lumps", default="sliding"
    )
    tip: str = choice("free", "prescribed", about="free or prescribed motion of the tip", default="free")

    def __check_init__(self) -> None:
        far_end_only = self.mass_transfer in ("published", "consistent")
        if far_end_only and (self.distribution, self.reeling_order) != ("end", "uniform"):
            raise ParameterError(
                f"{type(self).__name__}.mass_transfer: got {self.mass_transfer} with distribution {self.distribution} "
                f"and reeling_order {self.reeling_order}. It requires distribution end and reeling_order uniform; "
                "otherwise use mass_transfer none or sliding."
            )
        if self.last_link is not None and self.n < 2:
            raise ParameterError(f"{type(self).__name__}.n: got 1; a separate last link requires at least 2")

    # defined by a formulation

    @abstractmethod
    def shape(self, x: Any, length: Any = None) -> ChainShape:
        """Return directions, motion and masses."""

    @abstractmethod
    def state_from_directions(self, directions: jax.Array, lengths: jax.Array) -> Any:
        """Return the state at rest with links along directions (3, n), of lengths (n,) [m]."""

    @abstractmethod
    def with_node_velocities(self, x: Any, velocity: jax.Array, length: Any = None) -> Any:
        """Return the state with the same positions and node velocities (3, n) [m/s]."""

    @abstractmethod
    def pull(self, x: Any, s: ChainShape, free: jax.Array, inverse: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return forces (3, n) of the links on their near ends, and tensions (n,) [N].

        `free` (3, n) are the accelerations without these forces, `inverse` (n,) the inverse masses, zero at a
        prescribed tip.
        """

    @abstractmethod
    def rate(self, x: Any, s: ChainShape, acceleration: jax.Array) -> Any:
        """Return the rate of the state for node accelerations (3, n)."""

    def stretched_lengths(self, tension: Float[Array, " n"], length: Any = None) -> Float[Array, " n"]:
        """Return the lengths (n,) [m] of links under tensions (n,) [N]."""
        return self.lengths(length)[0]

    # lengths and masses

    @property
    def links(self) -> int:
        return self.n

    @property
    def rope_links(self) -> int:
        """Number of links without the link of a body."""
        return self.n - (self.last_link is not None)

    def lengths(self, length: Any = None) -> Rates:
        """Return the length (n,) of each link and its first two rates, (n,) each, or 0.0 if constant."""
        if length is None:
            l = jnp.broadcast_to(self.length / self.rope_links, (self.rope_links,))
            return l if self.last_link is None else jnp.append(l, self.last_link), 0.0, 0.0
        l, rate, rate2 = reeling_length.lengths(self.reeling_order, length, self.length, self.rope_links)
        if self.last_link is None:
            return l, rate, rate2
        return jnp.append(l, self.last_link), jnp.append(rate, 0.0), jnp.append(rate2, 0.0)

    def slip(self, length: Any) -> tuple[jax.Array, jax.Array]:
        """Return the speed (n,) [m/s], and its rate, at which rope slides past the nodes 1 to n."""
        slips = reeling_length.slip(self.reeling_order, length, self.length, self.rope_links)
        return slips if self.last_link is None else (jnp.append(slips[0], 0.0), jnp.append(slips[1], 0.0))

    def masses(self, l: Float[Array, " n"]) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
        """Return the mass [kg] of each link of lengths l (n,), and of the nodes 1 to n."""
        link, node = self._shared(l)
        # a mask: in a batch, an update of one entry becomes a scatter, which is slow on a CPU
        last = np.arange(self.n) == self.n - 1
        return link, node + self.node_mass + jnp.where(last, self.tip_mass, 0.0)

    def _shared(self, l: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the mass of links of lengths l and its part at each node; rates for rates."""
        link = self.mass / self.length * l
        if self.last_link is not None:
            link = link * (np.arange(self.n) < self.rope_links)
        return link, link if self.distribution == "end" else 0.5 * (link + next_column(link))

    def with_tip(self, mass: Any) -> Self:
        return dataclasses.replace(self, tip_mass=mass)

    def with_body(self, mass: Any, arm: Any, friction: Any = None) -> Chain:
        own = self.node_mass if np.ndim(self.node_mass) == 0 else jnp.append(self.node_mass, 0.0)
        return dataclasses.replace(
            self, n=self.n + 1, last_link=arm, tip_mass=mass, node_mass=own, end_damping=friction
        )

    # states at rest

    def straight(self, direction: jax.Array, length: Any = None) -> Any:
        along = jnp.broadcast_to(jnp.asarray(direction, float)[:, None], (3, self.n))
        return self.state_from_directions(along, self.lengths(length)[0])

    def rest_state_along(self, directions: jax.Array, field: jax.Array, tip_force: jax.Array) -> Any:
        m = self.masses(self.lengths()[0])[1] * jnp.asarray(field)[:, None]
        below = jnp.cumsum(m[:, ::-1], axis=1)[:, ::-1] + jnp.asarray(tip_force)[:, None]
        return self.state_from_directions(directions, self.stretched_lengths(jnp.sqrt(dot(below, below))))

    # equations of motion

    def solve(self, t: Any, x: Any, u: ChainLoads) -> ChainSolution:
        s = self.shape(x, u.length)
        inverse = 1 / s.mass
        if self.tip == "prescribed":
            inverse = jnp.where(np.arange(self.n) == self.n - 1, 0.0, inverse)
        free = inverse * self.acting(s, u) + jnp.asarray(u.field)[:, None]  # without the links' forces
        if self.tip == "prescribed":
            free = free.at[:, -1].set(u.tip_acceleration)
        force, tension = self.pull(x, s, free, inverse)
        acceleration = free + inverse * (next_column(force) - force)
        return ChainSolution(
            rate=self.rate(x, s, acceleration),
            acceleration=jnp.concatenate([jnp.zeros((3, 1)), acceleration], axis=1),
            tension=tension,
            reaction=force[:, 0] + self._at_root(s, u),
        )

    def acting(self, s: ChainShape, u: ChainLoads) -> Float[Array, "3 n"]:
        """Return forces (3, n) [N] on the nodes 1 to n, without field and links; omitted terms cost nothing."""
        total = node_forces(self.n, u)[:, 1:]
        h = [] if self.bending is None else [joints.bending(s.n, s.l[0], self._in_rope(self.bending))]
        friction = self._friction(s.l[0])
        if friction is not None:
            h.append(joints.friction(s.turn, friction))
        if self._last_damping is not None:
            h.append(joints.last_friction(s.turn, self._last_damping))
        if h:
            f = joints.link_forces(sum(h, jnp.zeros(())), s.n, s.size)
            total = total + f - next_column(f)
        if self.mass_damping is not None:
            total = total - self.mass_damping * s.mass * s.v
        return total if u.length is None else total + self.exchange(s, u.length)

    def exchange(self, s: ChainShape, length: Any) -> jax.Array | float:
        """Return forces (3, n) [N] of rope that moves between lumps at the current reel speed."""
        if self.mass_transfer == "none":
            return 0.0
        if self.mass_transfer == "sliding":
            return mass_transfer.sliding(s.n, s.turn, s.l[0], self.slip(length), s.mass)
        loss = -self._shared(s.l[1])[0][0]
        leaving = -length[1] * (-s.n[:, 0] if self.root_direction is None else self.root_direction)
        twice = self.mass_transfer == "published"
        return mass_transfer.exchange_forces(s.v, loss, leaving, self.rope_links, twice=twice)

    def _in_rope(self, of_joint: jax.Array) -> jax.Array:
        """Return a joint parameter for the joints of the rope, zero at the joint of a body."""
        return of_joint if self.last_link is None else of_joint * (np.arange(self.n - 1) < self.n - 2)

    def _friction(self, l: jax.Array) -> jax.Array | None:
        """Return the damping [N m s] of the rope joints: own damping plus stiffness-proportional damping."""
        own = self.joint_damping
        if self.bending is not None and self.stiffness_damping is not None:
            own = (0.0 if own is None else own) + self.stiffness_damping * self.bending / l[0]
        return None if own is None else self._in_rope(own)

    @property
    def _last_damping(self) -> jax.Array | None:
        return None if self.last_link is None else self.end_damping

    def _at_root(self, s: ChainShape, u: ChainLoads) -> jax.Array:
        """Return the load on the support besides the first link's force: external load and lumped mass."""
        lumped = 0.0 if self.distribution == "end" else 0.5 * s.link[0]
        return node_forces(self.n, u)[:, 0] + lumped * jnp.asarray(u.field)

    def impulse(self, x: Any, momentum: jax.Array) -> Any:
        r"""Return the state after impulses (3, n) [N s] on the nodes 1 to n, with constant link lengths.

        The velocities after the impulse satisfy :math:`M v^+ + G^T\lambda = M v + J` and :math:`G v^+ = 0`; the
        impulses of the links are computed in the same way as tensions. Point masses only: rods are treated as half
        masses.
        """
        s = self.shape(x)
        inverse = 1 / s.mass
        free = s.v + inverse * momentum
        force = constraint_tensions(s.n, free, inverse, 0.0) * s.n
        return self.with_node_velocities(x, free + inverse * (next_column(force) - force))

    # energy and momentum

    def _material(self, s: ChainShape, length: Any) -> jax.Array:
        if length is None or self.mass_transfer != "sliding":
            return s.v
        return s.v + self.slip(length)[0] * mass_transfer.tangents(s.n)

    def energies(self, x: Any, u: ChainLoads | None = None) -> dict[str, jax.Array]:
        length = None if u is None else u.length
        s = self.shape(x, length)
        kinetic = 0.5 * jnp.sum(s.mass * self._material(s, length) ** 2)
        if length is not None and self.distribution == "half":
            kinetic = kinetic + 0.25 * s.link[0] * length[1] ** 2  # of the half link at the support
        bent = jnp.zeros(())
        if self.bending is not None:
            bent = joints.bending_energy(s.n, s.l[0], self._in_rope(self.bending))
        return {"kinetic": kinetic, "axial": jnp.zeros(()), "bending": bent}

    def mass_moments(self, x: Any, u: ChainLoads | None = None) -> tuple[jax.Array, jax.Array]:
        length = None if u is None else u.length
        s = self.shape(x, length)
        position = self.nodes(x, length).position[:, 1:]
        return jnp.sum(s.mass * position, axis=1), jnp.sum(s.mass * self._material(s, length), axis=1)

    def power(self, x: Any, u: ChainLoads) -> dict[str, jax.Array]:
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

    def momentum_and_energy(
        self, x: Any, u: ChainLoads | None = None
    ) -> tuple[Float[Array, "3"], Float[Array, ""]]:
        s = self.shape(x, None if u is None else u.length)
        return jnp.sum(s.mass * s.v, axis=1), 0.5 * jnp.sum(s.mass * s.v**2)

    def energy_balance(
        self, x: Any, u: ChainLoads, solved: ChainSolution
    ) -> tuple[Float[Array, "3"], Float[Array, ""]]:
        r"""Return the rates of momentum (3,) [N] and kinetic energy [W] of the lumps from all loads.

        They include forces, the pull at the support, the work of links that stretch or are reeled in, the momentum of
        mass that leaves a lump, and the force at a prescribed tip:

        .. math::

            \dot p = \sum_k (F_k + \dot m_k v_k) - t_1 n_1, \qquad
            \dot T = \sum_k\big(F_k\cdot v_k + \tfrac12\dot m_k v_k^2 - t_k n_k\cdot(v_k - v_{k-1})\big)
        """
        s = self.shape(x, u.length)
        force = self.acting(s, u) + s.mass * jnp.asarray(u.field)[:, None]
        pull, growth = solved.tension * s.n, 0.0 if u.length is None else self._shared(s.l[1])[1]
        if self.tip == "prescribed":
            force = force.at[:, -1].set(s.mass[-1] * jnp.asarray(u.tip_acceleration) + pull[:, -1])
        impulse = jnp.sum(force + growth * s.v, axis=1) - pull[:, 0]
        power = jnp.sum(force * s.v + 0.5 * growth * s.v**2 - pull * (s.v - previous_column(s.v)))
        return impulse, power

    def fastest_rates(self) -> list[complex]:
        """Return the rate of joint friction between point masses: 16 times that of a single joint."""
        friction = self._friction(self.lengths()[0])
        if friction is None:
            return []
        l, m = float(self.length) / self.rope_links, float(self.mass) / self.rope_links
        return [-16 * float(np.max(friction)) / (m * l**2)]


class CartesianChain(LumpedChain):
    """Lumped chain with positions and velocities of the nodes 1 to n as state, (3, n) each."""

    def rest_state_through(self, position: jax.Array) -> dict[str, jax.Array]:
        """Return the state at rest with the nodes 1 to n at given positions, (3, n) [m]."""
        return {"position": jnp.asarray(position), "velocity": jnp.zeros((3, self.n))}

    def state_from_directions(self, directions: jax.Array, lengths: jax.Array) -> Any:
        return self.rest_state_through(running_sum(lengths * directions))

    def with_node_velocities(self, x: Any, velocity: jax.Array, length: Any = None) -> Any:
        return {"position": x["position"], "velocity": velocity}

    def nodes(self, x: Any, length: Any = None) -> ChainNodes:
        zero = jnp.zeros((3, 1))
        return ChainNodes(
            jnp.concatenate([zero, x["position"]], axis=1), jnp.concatenate([zero, x["velocity"]], axis=1)
        )

    def rate(self, x: Any, s: ChainShape, acceleration: jax.Array) -> Any:
        return {"position": x["velocity"], "velocity": acceleration}

    def stretch(self, x: Any, u: ChainLoads | None = None) -> jax.Array:
        """Return the strain of the links, (n,): elastic strain, or the residual of drift control."""
        d = x["position"] - previous_column(x["position"])
        return jnp.sqrt(dot(d, d)) / self.lengths(None if u is None else u.length)[0] - 1


def constraint_tensions(
    n: Float[Array, "3 n"], free: Float[Array, "3 n"], inverse: Float[Array, " n"], axial: Any
) -> Float[Array, " n"]:
    """Return tensions (n,) for axial relative accelerations `axial` (n,) [m/s^2] of link ends; directions n (3, n)."""
    near = previous_column(inverse)
    relative = dot(free - previous_column(free), n) - axial
    return solve_tridiagonal(inverse + near, -near * dot(n, previous_column(n)), relative)

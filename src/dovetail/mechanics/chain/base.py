"""Interface of all chain formulations: nodes, loads, accelerations, tensions and energies.

A chain runs from node 0, the support, to node n, the tip. Vectors are columns: arrays of nodes have the shape
(3, n + 1), arrays of links (3, n) or (n,); link k joins node k - 1 to node k. Everything is relative to the support, in
axes that translate with it. An accelerating support enters as a uniform field: gravity minus its acceleration. The axes
are arbitrary, except for chains with angles as coordinates (see `angles`).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Flow, Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.core.kind_names import name_of


class ChainNodes(eqx.Module):
    """Position [m] and velocity [m/s] of all nodes relative to the support, (3, n + 1)."""

    position: jax.Array
    velocity: jax.Array

    @property
    def tip(self) -> tuple[Float[Array, "3"], Float[Array, "3"]]:
        """Position and velocity of the last node, (3,) each."""
        return self.position[:, -1], self.velocity[:, -1]

    @property
    def centres(self) -> tuple[Float[Array, "3 n"], Float[Array, "3 n"]]:
        """Position and velocity of the middle of each link, (3, n) each."""
        p, v = self.position, self.velocity
        return 0.5 * (p[:, 1:] + p[:, :-1]), 0.5 * (v[:, 1:] + v[:, :-1])


class ChainLoads(eqx.Module):
    """Loads on a chain; omitted entries are zero.

    Attributes
    ----------
    field : (3,)
        Uniform acceleration [m/s^2]: gravity minus the acceleration of the support.
    node : (3, n + 1)
        Forces on nodes [N]; a force within a link is distributed by the lever rule.
    link : (3, n)
        Forces at the middle of links [N]: drag, lift, distributed loads.
    tip_acceleration : (3,)
        Acceleration of the tip relative to the support [m/s^2], if the tip is prescribed.
    length : three numbers
        Paid-out length and its first two rates [m, m/s, m/s^2], if the chain is reeled; without a body's own last link.
    """

    field: jax.Array
    node: Any = 0.0
    link: Any = 0.0
    tip_acceleration: Any = 0.0
    length: Any = None


class ChainSolution(eqx.Module):
    """Accelerations and internal forces of a chain for a state and loads."""

    rate: Any  # derivative of the state
    acceleration: jax.Array  # [m/s^2] of the nodes relative to the support, (3, n + 1)
    tension: jax.Array  # [N] in each link, positive when pulled, (n,)
    reaction: jax.Array  # [N] force of the chain on its support, (3,)


class Chain(Flow):
    """Slender body as a chain; its input is `ChainLoads`."""

    variable: ClassVar[bool] = False  # whether its length can change during the motion

    if TYPE_CHECKING:  # parameters of every chain, defined in the order of each class

        @property
        def length(self) -> jax.Array:
            """Unstretched length [m]."""

        @property
        def mass(self) -> jax.Array:
            """Mass [kg] without lumped masses."""

        @property
        def tip_mass(self) -> jax.Array:
            """Mass at the tip [kg]."""

    @property
    @abstractmethod
    def links(self) -> int:
        """Number of links n."""

    @abstractmethod
    def straight(self, direction: jax.Array) -> Any:
        """Return the unstretched state at rest along a unit vector (3,) from the support."""

    @abstractmethod
    def rest_state_along(self, directions: jax.Array, field: jax.Array, tip_force: jax.Array) -> Any:
        """Return the state at rest along directions (3, n), stretched by its load (see `equilibrium`)."""

    @abstractmethod
    def nodes(self, x: Any, length: Any = None) -> ChainNodes:
        """Return positions and velocities of the nodes; `length` and its rates if the length is variable."""

    @abstractmethod
    def solve(self, t: Any, x: Any, u: ChainLoads) -> ChainSolution:
        """Return accelerations, tensions and root reaction."""

    @abstractmethod
    def energies(self, x: Any, u: ChainLoads | None = None) -> dict[str, jax.Array]:
        """Return kinetic, axial and bending energy [J]."""

    @abstractmethod
    def mass_moments(self, x: Any, u: ChainLoads | None = None) -> tuple[jax.Array, jax.Array]:
        """Return first moment of mass [kg m] and momentum [kg m/s], (3,) each, for the work of uniform fields."""

    @abstractmethod
    def power(self, x: Any, u: ChainLoads) -> dict[str, jax.Array]:
        """Return the power [W] of the forces on nodes and links (`external`) and of the dampers (`damping`)."""

    @abstractmethod
    def with_tip(self, mass: Any) -> Self:
        """Return the chain with another mass [kg] at its tip."""

    def with_body(self, mass: Any, arm: Any, friction: Any = None) -> Chain:
        """Return the chain with a body at its end: `mass` [kg] at `arm` [m] behind a joint with friction [N m s]."""
        raise ParameterError(
            f"{name_of(type(self))}: has no separate last link for a body with an attitude. "
            "Use an angle-chain, a link-chain or an elastic-chain"
        )

    def momentum_and_energy(
        self, x: Any, u: ChainLoads | None = None
    ) -> tuple[Float[Array, "3"], Float[Array, ""]]:
        """Return the momentum (3,) [N s] and energy [J] whose rates `energy_balance` returns."""
        return self.mass_moments(x, u)[1], sum(self.energies(x, u).values(), jnp.zeros(()))

    def energy_balance(
        self, x: Any, u: ChainLoads, solved: ChainSolution
    ) -> tuple[Float[Array, "3"], Float[Array, ""]]:
        """Return the rates of momentum (3,) [N] and energy [W] from external loads and dampers.

        Integrated with the motion and compared with `momentum_and_energy`, they audit a run: masses follow from the
        coordinates, work from the forces, and both must agree.
        """
        field = jnp.asarray(u.field)
        impulse = (self.mass + self.tip_mass) * field + jnp.sum(node_forces(self.links, u), axis=1)
        power = sum(self.power(x, u).values()) + field @ self.mass_moments(x, u)[1]
        return impulse - solved.reaction, power

    def fastest_rates(self) -> list[complex]:
        """Return estimates of the fastest eigenvalues [rad/s], for the choice of a step."""
        return []

    def init(self) -> Any:
        return self.straight(jnp.array([0.0, 0.0, -1.0]))

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.solve(t, x, u).rate

    def output(self, t: Time, x: State, u: Input) -> Output:
        nodes, solved = self.nodes(x, u.length), self.solve(t, x, u)
        return {
            "displacement": nodes.position[:, -1],
            "velocity": nodes.velocity[:, -1],
            "acceleration": solved.acceleration[:, -1],
            "node_position": nodes.position,
            "tension": solved.tension,
            "root_force": solved.reaction,
        }


def dot(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return the dot products of columns."""
    return jnp.sum(a * b, axis=0)


def previous_column(a: Float[Array, "*k n"], first: Any = 0.0) -> Float[Array, "*k n"]:
    """Return `a` shifted by one column: column k is a[k - 1], column 0 is `first`."""
    return jnp.concatenate([jnp.broadcast_to(first, (*a.shape[:-1], 1)), a[..., :-1]], axis=-1)


def next_column(a: Float[Array, "*k n"], last: Any = 0.0) -> Float[Array, "*k n"]:
    """Return `a` shifted by one column: column k is a[k + 1], the last column is `last`."""
    return jnp.concatenate([a[..., 1:], jnp.broadcast_to(last, (*a.shape[:-1], 1))], axis=-1)


def running_sum(a: Float[Array, "k n"], *, reverse: bool = False) -> Float[Array, "k n"]:
    """Return running sums of the columns of (3, n), from the first or from the last column.

    One scan: the cumulative sum of the library is a tree of slices that XLA's CPU compiler cannot fuse.
    """

    def add(
        total: tuple[jax.Array, ...], column: tuple[jax.Array, ...]
    ) -> tuple[tuple[jax.Array, ...], tuple[jax.Array, ...]]:
        total = tuple(t + c for t, c in zip(total, column, strict=True))
        return total, total

    zero = (jnp.zeros((), a.dtype),) * a.shape[0]
    return jnp.stack(jax.lax.scan(add, zero, tuple(a), reverse=reverse)[1])


def link_differences(a: Float[Array, "*k nodes"]) -> Float[Array, "*k nodes-1"]:
    """Return differences of neighbouring columns, (3, n + 1) to (3, n): relative values of the ends of each link."""
    return a[..., 1:] - a[..., :-1]


def sum_link_forces(b: Float[Array, "*k n"]) -> Float[Array, "*k n+1"]:
    """Return the transpose of `link_differences`: link vectors act on the far node and, reversed, on the near node."""
    zero = jnp.zeros((*b.shape[:-1], 1))
    return jnp.concatenate([zero, b], axis=-1) - jnp.concatenate([b, zero], axis=-1)


def node_forces(n: int, u: ChainLoads) -> Float[Array, "3 {n}+1"]:
    """Return all external node forces except the field; half of a link force acts on each end."""
    node = jnp.broadcast_to(u.node, (3, n + 1))
    if isinstance(u.link, float) and u.link == 0.0:
        return node
    half = 0.5 * jnp.broadcast_to(u.link, (3, n))
    zero = jnp.zeros((3, 1))
    return node + jnp.concatenate([zero, half], axis=1) + jnp.concatenate([half, zero], axis=1)

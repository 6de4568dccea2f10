r"""What every chain formulation offers: nodes, loads in, accelerations, tensions and energies out.

A chain runs from node 0, the support, to node n, the tip. Vectors are columns: arrays of nodes have the shape
(3, n + 1), arrays of links (3, n) or (n,); link k joins node k - 1 to node k. Everything is relative to the
support, in axes that translate with it: an accelerating support enters as a uniform field, gravity less its
acceleration. The axes are the user's; only chains whose coordinates are angles give them names.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Flow
from dovetail.core.errors import ParameterError
from dovetail.core.kinds import name_of


class Nodes(eqx.Module):
    """Position [m] and velocity [m/s] of all nodes relative to the support, (3, n + 1)."""

    position: jax.Array
    velocity: jax.Array

    @property
    def tip(self) -> tuple[Float[Array, "3"], Float[Array, "3"]]:
        """Position and velocity of the last node, (3,) each."""
        return self.position[:, -1], self.velocity[:, -1]

    @property
    def centres(self) -> tuple[Float[Array, "3 n"], Float[Array, "3 n"]]:
        """Position and velocity half way along each link, (3, n) each."""
        p, v = self.position, self.velocity
        return 0.5 * (p[:, 1:] + p[:, :-1]), 0.5 * (v[:, 1:] + v[:, :-1])


class Loads(eqx.Module):
    """What acts on a chain from outside; whatever is left out is zero.

    Attributes
    ----------
    field : (3,)
        Uniform acceleration [m/s^2]: gravity less the acceleration of the support.
    node : (3, n + 1)
        Forces on nodes [N]; a force part of the way along a link is shared by the lever rule.
    link : (3, n)
        Forces half way along links [N]: drag, lift, distributed loads.
    end : (3,)
        Acceleration of the tip relative to the support [m/s^2], where the tip is held.
    length : three numbers
        Length paid out and its first two rates [m, m/s, m/s^2], where it is reeled in or paid out; a body's own
        last link comes on top.
    """

    field: jax.Array
    node: Any = 0.0
    link: Any = 0.0
    end: Any = 0.0
    length: Any = None


class Solved(eqx.Module):
    """Accelerations and internal forces of a chain in a state under loads."""

    rate: Any  # derivative of the state
    acceleration: jax.Array  # [m/s^2] of the nodes relative to the support, (3, n + 1)
    tension: jax.Array  # [N] in each link, positive when pulled, (n,)
    reaction: jax.Array  # [N] force of the chain on its support, (3,)


class Chain(Flow):
    """A slender body as a chain; its input is `Loads`."""

    variable: ClassVar[bool] = False  # whether its length may change while it moves

    if TYPE_CHECKING:  # parameters that every chain has, each where its own order puts them

        @property
        def length(self) -> jax.Array:
            """[m] unstretched."""

        @property
        def mass(self) -> jax.Array:
            """[kg] without what is lumped on it."""

        @property
        def tip_mass(self) -> jax.Array:
            """[kg]"""

    @property
    @abstractmethod
    def links(self) -> int:
        """Number of links n."""

    @abstractmethod
    def straight(self, direction: jax.Array) -> Any:
        """State at rest along a unit vector (3,) from the support, unstretched."""

    @abstractmethod
    def along(self, directions: jax.Array, field: jax.Array, tip_force: jax.Array) -> Any:
        """State at rest along given directions (3, n), stretched by what hangs on it (see `static`)."""

    @abstractmethod
    def nodes(self, x: Any, length: Any = None) -> Nodes:
        """Where the nodes are and how fast they move, with the length and its rates where that changes."""

    @abstractmethod
    def solve(self, t: Any, x: Any, u: Loads) -> Solved:
        """Accelerations, tensions and root reaction."""

    @abstractmethod
    def energies(self, x: Any, u: Loads | None = None) -> dict[str, jax.Array]:
        """Kinetic, axial and bending energy [J]."""

    @abstractmethod
    def mass_moments(self, x: Any, u: Loads | None = None) -> tuple[jax.Array, jax.Array]:
        """First moment of mass [kg m] and momentum [kg m/s], (3,) each: for the work of uniform fields."""

    @abstractmethod
    def power(self, x: Any, u: Loads) -> dict[str, jax.Array]:
        """Power [W] of the forces on nodes and links (`external`) and of the chain's own dampers (`damping`)."""

    @abstractmethod
    def with_tip(self, mass: Any) -> Self:
        """The same chain with another mass [kg] at its tip."""

    def with_body(self, mass: Any, arm: Any, friction: Any = None) -> Chain:
        """The same chain with a body at its end: `mass` [kg] at `arm` [m] behind a joint with friction [N m s]."""
        raise ParameterError(
            f"{name_of(type(self))}: has no last link of its own that could be a body with an attitude. "
            "Do: take an angle-chain, a link-chain or an elastic-chain"
        )

    def account(self, x: Any, u: Loads | None = None) -> tuple[Float[Array, "3"], Float[Array, ""]]:
        """Momentum (3,) [N s] and energy [J] of which `balance` gives the rates."""
        return self.mass_moments(x, u)[1], sum(self.energies(x, u).values(), jnp.zeros(()))

    def balance(self, x: Any, u: Loads, solved: Solved) -> tuple[Float[Array, "3"], Float[Array, ""]]:
        """Rates of momentum (3,) [N] and energy [W] by what acts from outside and what dampers take.

        Integrated beside the motion and held against `account`, they audit a run: coordinates move the masses, forces
        do the work, and both must agree.
        """
        field = jnp.asarray(u.field)
        impulse = (self.mass + self.tip_mass) * field + jnp.sum(node_forces(self.links, u), axis=1)
        power = sum(self.power(x, u).values()) + field @ self.mass_moments(x, u)[1]
        return impulse - solved.reaction, power

    def fastest_rates(self) -> list[complex]:
        """Estimates of the fastest eigenvalues [rad/s], for the choice of a step."""
        return []

    def init(self) -> Any:
        return self.straight(jnp.array([0.0, 1.0, 0.0]))

    def derivative(self, t, x, u):
        return self.solve(t, x, u).rate

    def output(self, t, x, u):
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
    """Dot products of columns."""
    return jnp.sum(a * b, axis=0)


def before(a: Float[Array, "*k n"], first: Any = 0.0) -> Float[Array, "*k n"]:
    """`a` shifted by one along its last axis: entry k is a[k - 1], entry 0 is `first`."""
    return jnp.concatenate([jnp.broadcast_to(first, (*a.shape[:-1], 1)), a[..., :-1]], axis=-1)


def after(a: Float[Array, "*k n"], last: Any = 0.0) -> Float[Array, "*k n"]:
    """`a` shifted by one the other way: entry k is a[k + 1], the last entry is `last`."""
    return jnp.concatenate([a[..., 1:], jnp.broadcast_to(last, (*a.shape[:-1], 1))], axis=-1)


def running(a: Float[Array, "k n"], *, reverse: bool = False) -> Float[Array, "k n"]:
    """Running sums of the columns of (3, n), from the first or from the last.

    As one scan: the library's cumulative sum is a tree of slices that XLA's CPU compiler cannot fuse.
    """

    def add(total, column):
        total = tuple(t + c for t, c in zip(total, column, strict=True))
        return total, total

    zero = (jnp.zeros((), a.dtype),) * a.shape[0]
    return jnp.stack(jax.lax.scan(add, zero, tuple(a), reverse=reverse)[1])


def apart(a: Float[Array, "*k nodes"]) -> Float[Array, "*k nodes-1"]:
    """Differences of neighbouring columns, (3, n + 1) to (3, n): what a link sees of its nodes."""
    return a[..., 1:] - a[..., :-1]


def gathered(b: Float[Array, "*k n"]) -> Float[Array, "*k n+1"]:
    """Transpose of `apart`: link vectors act on the far node and, reversed, on the near one."""
    zero = jnp.zeros((*b.shape[:-1], 1))
    return jnp.concatenate([zero, b], axis=-1) - jnp.concatenate([b, zero], axis=-1)


def node_forces(n: int, u: Loads) -> Float[Array, "3 {n}+1"]:
    """All outer forces but the field, on nodes: link forces go half to each end."""
    node = jnp.broadcast_to(u.node, (3, n + 1))
    if isinstance(u.link, float) and u.link == 0.0:
        return node
    half = 0.5 * jnp.broadcast_to(u.link, (3, n))
    zero = jnp.zeros((3, 1))
    return node + jnp.concatenate([zero, half], axis=1) + jnp.concatenate([half, zero], axis=1)

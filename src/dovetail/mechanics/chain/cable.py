r"""Cable elements with nodal slopes (absolute nodal coordinates): accurate reference.

Each element of length l has the positions and slopes of its two nodes as coordinates and a cubic shape,

.. math:: r(\xi) = S_1 r_i + S_2 r_i' + S_3 r_j + S_4 r_j', \qquad
    V = \tfrac12\int_0^l EA\,\varepsilon^2 + EI\,\kappa^2\,dx,

:math:`\varepsilon = (r'\cdot r' - 1)/2`, :math:`\kappa = |r'\times r''|/|r'|^3`, integrated with five Gauss points. The
mass matrix is constant, there are no terms quadratic in the rates, and the shape converges with the fourth power of the
element length. Forces are the gradient of V by automatic differentiation. Source: [Gerstmayr & Shabana 2006].
"""

from __future__ import annotations

import dataclasses
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jaxtyping import Array, Float

from dovetail.core import Parameter, count, kind, parameter
from dovetail.mechanics.chain.base import Chain, ChainLoads, ChainNodes, ChainSolution, node_forces

_POINTS, _WEIGHTS = (
    0.5 * (np.polynomial.legendre.leggauss(5)[0] + 1),
    0.5 * np.polynomial.legendre.leggauss(5)[1],
)


@kind("ancf-cable")
class AncfCable(Chain):
    """Cable of cubic elements with a free slope at the support; the axial wave limits the step."""

    n: int = count("number of elements", at_least=1)
    length: Parameter = parameter("m", "unstretched length", above=0.0)
    mass: Parameter = parameter("kg", "mass of the cable", above=0.0)
    stiffness: Parameter = parameter("N", "axial stiffness EA", above=0.0)
    bending: Parameter = parameter("N m^2", "bending stiffness EI", default=0.0, at_least=0.0)
    axial_damping: Parameter = parameter("N s", "axial force per strain rate", default=0.0, at_least=0.0)
    tip_mass: Parameter = parameter("kg", "mass lumped at the tip", default=0.0, at_least=0.0)

    @property
    def links(self) -> int:
        return self.n

    @property
    def element(self) -> jax.Array:
        """Unstretched length of an element [m]."""
        return self.length / self.n

    def straight(self, direction: jax.Array) -> Any:
        direction = jnp.asarray(direction)[:, None]
        return self._state(direction * jnp.arange(self.n + 1) * self.element, jnp.tile(direction, self.n + 1))

    def rest_state_along(self, directions: jax.Array, field: jax.Array, tip_force: jax.Array) -> Any:
        m = self.mass / self.n
        weight = m * (self.n - jnp.arange(self.n) - 0.5) + self.tip_mass
        below = weight * jnp.asarray(field)[:, None] + jnp.asarray(tip_force)[:, None]
        stretch = 1 + jnp.linalg.norm(below, axis=0) / self.stiffness
        p = jnp.concatenate(
            [jnp.zeros((3, 1)), jnp.cumsum(self.element * stretch * directions, axis=1)], axis=1
        )
        slope = jnp.concatenate(
            [directions[:, :1], 0.5 * (directions[:, 1:] + directions[:, :-1]), directions[:, -1:]], 1
        )
        return self._state(p, slope)

    def _state(self, position: jax.Array, slope: jax.Array) -> dict[str, jax.Array]:
        e = jnp.stack([position, slope], axis=-1).reshape(3, -1)[:, 1:]  # without the support's position
        return {"e": e, "rate": jnp.zeros_like(e)}

    def coordinates(self, e: Float[Array, "3 q"]) -> tuple[Float[Array, "3 m"], Float[Array, "3 m"]]:
        """Return positions and slopes (3, n + 1) from the coordinates (3, 2n + 1)."""
        both = jnp.concatenate([jnp.zeros((3, 1)), e], axis=1).reshape(3, self.n + 1, 2)
        return both[..., 0], both[..., 1]

    def nodes(self, x: Any, length: Any = None) -> ChainNodes:
        return ChainNodes(self.coordinates(x["e"])[0], self.coordinates(x["rate"])[0])

    def with_tip(self, mass: Any) -> Self:
        return dataclasses.replace(self, tip_mass=mass)

    def mass_matrix(self) -> Float[Array, "q q"]:
        """Return the mass matrix (2n + 1, 2n + 1), equal for each axis."""
        l, m = self.element, self.mass / self.n
        s = jnp.stack(_shape(_POINTS, l))  # (4, points)
        return self._assembled(m * (s * _WEIGHTS) @ s.T).at[-2, -2].add(self.tip_mass)

    def _assembled(self, element: Float[Array, "4 4"]) -> Float[Array, "q q"]:
        """Return the matrix of the cable, one axis, from that of an element."""
        full = jnp.zeros((2 * self.n + 2, 2 * self.n + 2))
        for k in range(self.n):
            full = full.at[2 * k : 2 * k + 4, 2 * k : 2 * k + 4].add(element)
        return full[1:, 1:]

    def _weights(self) -> jax.Array:
        """Return mass times shape function of every coordinate: the load of a unit field."""
        l, m = self.element, self.mass / self.n
        each = m * jnp.stack(_shape(_POINTS, l)) @ _WEIGHTS
        full = jnp.zeros(2 * self.n + 2)
        for k in range(self.n):
            full = full.at[2 * k : 2 * k + 4].add(each)
        return full.at[-2].add(self.tip_mass)[1:]

    def _strains(self, e: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return axial strain and squared curvature at the Gauss points, (n, points) each."""
        p, q = self.coordinates(e)
        l = self.element
        ends = (p[:, :-1, None], q[:, :-1, None], p[:, 1:, None], q[:, 1:, None])
        slope = sum(s * c for s, c in zip(_slope(_POINTS, l), ends, strict=True))
        second = sum(s * c for s, c in zip(_second(_POINTS, l), ends, strict=True))
        square = jnp.sum(slope**2, axis=0)
        cross = square * jnp.sum(second**2, axis=0) - jnp.sum(slope * second, axis=0) ** 2
        return 0.5 * (square - 1), cross / square**3

    def _elastic(self, e: jax.Array) -> tuple[jax.Array, jax.Array]:
        strain, curved = self._strains(e)
        l = self.element
        axial = 0.5 * self.stiffness * l * jnp.sum(strain**2 @ _WEIGHTS)
        return axial, 0.5 * self.bending * l * jnp.sum(curved @ _WEIGHTS)

    def _damping(self, e: jax.Array, rate: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return force (3, 2n + 1) of the axial damper, and its power [W]."""
        strain, pull_back = jax.vjp(lambda e: self._strains(e)[0], e)
        del strain
        strain_rate = jax.jvp(lambda e: self._strains(e)[0], (e,), (rate,))[1]
        weighted = self.axial_damping * self.element * strain_rate * _WEIGHTS
        return -pull_back(weighted)[0], -jnp.sum(weighted * strain_rate)

    def solve(self, t: Any, x: Any, u: ChainLoads) -> ChainSolution:
        e, rate = x["e"], x["rate"]
        force = -jax.grad(lambda e: sum(self._elastic(e)))(e) + self._damping(e, rate)[0]
        force = force + jnp.asarray(u.field)[:, None] * self._weights()
        outer = node_forces(self.n, u)
        force = force.at[:, 1::2].add(outer[:, 1:])
        factor = jax.scipy.linalg.cho_factor(self.mass_matrix(), lower=True)
        second = jax.scipy.linalg.cho_solve(factor, force.T).T
        acceleration = self.coordinates(second)[0]
        strain = self._strains(e)[0] @ _WEIGHTS
        carried = (self.mass + self.tip_mass) * jnp.asarray(u.field) + jnp.sum(outer, axis=1)
        return ChainSolution(
            rate={"e": rate, "rate": second},
            acceleration=acceleration,
            tension=self.stiffness * strain,
            reaction=carried - second @ self._weights(),
        )

    def energies(self, x: Any, u: ChainLoads | None = None) -> dict[str, jax.Array]:
        axial, bent = self._elastic(x["e"])
        kinetic = 0.5 * jnp.sum((x["rate"] @ self.mass_matrix()) * x["rate"])
        return {"kinetic": kinetic, "axial": axial, "bending": bent}

    def mass_moments(self, x: Any, u: ChainLoads | None = None) -> tuple[jax.Array, jax.Array]:
        w = self._weights()
        return x["e"] @ w, x["rate"] @ w

    def power(self, x: Any, u: ChainLoads) -> dict[str, jax.Array]:
        velocity = self.coordinates(x["rate"])[0]
        return {
            "external": jnp.sum(node_forces(self.n, u) * velocity),
            "damping": self._damping(x["e"], x["rate"])[1],
        }

    def fastest_rates(self) -> list[complex]:
        """Return the highest axial mode of the straight cable without tension."""
        slope = jnp.stack(_slope(_POINTS, self.element))
        stiffness = self._assembled(self.stiffness * self.element * (slope * _WEIGHTS) @ slope.T)
        return [1j * np.sqrt(scipy.linalg.eigvalsh(stiffness, self.mass_matrix())[-1])]


def _shape(s: Any, l: Any) -> tuple[Any, ...]:
    return 1 - 3 * s**2 + 2 * s**3, l * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, l * (s**3 - s**2)


def _slope(s: Any, l: Any) -> tuple[Any, ...]:
    return (6 * s**2 - 6 * s) / l, 1 - 4 * s + 3 * s**2, (6 * s - 6 * s**2) / l, 3 * s**2 - 2 * s


def _second(s: Any, l: Any) -> tuple[Any, ...]:
    return (12 * s - 6) / l**2, (6 * s - 4) / l, (6 - 12 * s) / l**2, (6 * s - 2) / l

r"""Inextensible links between Cartesian nodes, with one banded solution for the tensions.

Nodes p carry the mass; links keep their length, which can be a function of time:

.. math::

    d_k \cdot \ddot d_k = l_k \ddot l_k + \dot l_k^2 - |\dot d_k|^2 - 2\alpha\dot c_k - \alpha^2 c_k,
    \qquad d_k = p_k - p_{k-1}

with :math:`c_k = (|d_k|^2 - l_k^2)/2` and its rate returned to zero at the rate :math:`\alpha` [Baumgarte 1972]. For
point masses the link force :math:`s_k = t_k n_k` is a tension, and elimination of the accelerations leaves a positive
definite tridiagonal system for t. For thin rods :math:`s_k = t_k n_k - (m_k/6)\ddot d_k`, because a rod is two half
masses minus an inertia of the relative motion of its ends, and the system has blocks of three. There are no angles, so
no orientation is singular.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.mechanics.chain.banded import solve_blocks
from dovetail.mechanics.chain.base import Chain, ChainLoads, ChainSolution, dot, previous_column
from dovetail.mechanics.chain.lumped import CartesianChain, ChainShape, constraint_tensions


@kind("link-chain")
class LinkChain(CartesianChain):
    """Chain of inextensible links: fast, for any orientation and any number of links.

    The mass of a link is half at each end (`half`), at its far end (`end`, as in hose models), or distributed along it
    (`rod`: an exact chain of thin rods). The error of the tip motion against a continuous rope is proportional to the
    square of the link length for `half` and `rod`. With `rod` the length is constant.

    Source: tensions as in [Bolien 2018, sec. 3.5], without its angles. Not modelled: stretch (see `ElasticChain`).
    """

    drift_rate: Parameter = parameter("1/s", "decay rate of link length errors", default=20.0, at_least=0.0)
    distribution: str = choice("half", "end", "rod", about="location of the mass of a link", default="half")

    def shape(self, x: Any, length: Any = None) -> ChainShape:
        p, v = x["position"], x["velocity"]
        d, w = p - previous_column(p), v - previous_column(v)
        l = self.lengths(length)
        n = d * jax.lax.rsqrt(dot(d, d))
        return ChainShape(n, (w - n * dot(n, w)) / l[0], v, l[0], l, *self.masses(l[0]))

    def pull(self, x: Any, s: ChainShape, free: jax.Array, inverse: jax.Array) -> tuple[jax.Array, jax.Array]:
        d, w = x["position"] - previous_column(x["position"]), x["velocity"] - previous_column(x["velocity"])
        l, l_rate, l_rate2 = s.l
        square = dot(d, d)
        a = self.drift_rate
        stretch = dot(d, w) - l * l_rate
        axial = l * l_rate2 + l_rate**2 - dot(w, w) - 2 * a * stretch - 0.5 * a**2 * (square - l**2)
        axial = axial * jax.lax.rsqrt(square)  # n . d''
        if self.distribution != "rod":
            tension = constraint_tensions(s.n, free, inverse, axial)
            return tension * s.n, tension
        block, near = 6 / s.link, previous_column(inverse)
        relative = free - previous_column(free) - axial * s.n
        force = solve_blocks(inverse + near - block, block, s.n, near, relative)
        return force, dot(s.n, force) + s.link / 6 * axial

    def energies(self, x: Any, u: ChainLoads | None = None) -> dict[str, jax.Array]:
        stored = super().energies(x, u)
        if self.distribution == "rod":
            link = self.masses(self.lengths(None if u is None else u.length)[0])[0]
            w = x["velocity"] - previous_column(x["velocity"])
            stored["kinetic"] = stored["kinetic"] - jnp.sum(link / 12 * w**2)
        return stored

    def momentum_and_energy(
        self, x: Any, u: ChainLoads | None = None
    ) -> tuple[Float[Array, "3"], Float[Array, ""]]:
        return (
            Chain.momentum_and_energy(self, x, u)
            if self.distribution == "rod"
            else super().momentum_and_energy(x, u)
        )

    def energy_balance(
        self, x: Any, u: ChainLoads, solved: ChainSolution
    ) -> tuple[Float[Array, "3"], Float[Array, ""]]:
        if self.distribution == "rod":
            return Chain.energy_balance(self, x, u, solved)
        return super().energy_balance(x, u, solved)

r"""Inextensible links with two angles each: minimal coordinates without length drift.

Directions are those of `angles`. All tensions t follow from one tridiagonal system,

.. math::

    m_k a_k = F_k - t_k n_k + t_{k+1} n_{k+1}, \qquad (a_k - a_{k-1})\cdot n_k = \ddot l_k - l_k|\dot n_k|^2 ,

and then the second rates of the angles decouple. Lengths can be functions of time. Singular if a link
points to starboard or port, which does not occur with a trailing hose. Source: [Bolien 2018, sec. 3.5, eqs 3.6 to
3.60]; eqs 3.16, 3.17 and 3.26 have printing errors and were derived again.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import State, kind
from dovetail.mechanics.chain.angles import angle_accelerations, angle_rates, angles, direction, tangents
from dovetail.mechanics.chain.base import ChainNodes, dot, previous_column, running_sum
from dovetail.mechanics.chain.lumped import ChainShape, LumpedChain, constraint_tensions


@kind("angle-chain")
class AngleChain(LumpedChain):
    """Chain of inextensible links in minimal coordinates, for hoses with links of variable length.

    The state has `angle` [rad] and `rate` [rad/s], (2, n) each: phi, which is 0 hanging and 90 degrees trailing, and
    psi to starboard. Not modelled: stretch (see `ElasticChain`), twist.
    """

    def state_from_directions(self, directions: jax.Array, lengths: jax.Array) -> Any:
        angle = jnp.stack(angles(directions))
        return {"angle": angle, "rate": jnp.zeros_like(angle)}

    def with_node_velocities(self, x: Any, velocity: jax.Array, length: Any = None) -> Any:
        phi, psi = x["angle"]
        turn = (velocity - previous_column(velocity)) / self.lengths(length)[0]
        return {"angle": x["angle"], "rate": jnp.stack(angle_rates(phi, psi, turn))}

    def _forward(self, x: State, length: Any) -> tuple[jax.Array, jax.Array, Any, jax.Array]:
        """Return directions and their rates, lengths, and positions and velocities of the nodes, stacked (6, n)."""
        (phi, psi), (phi_rate, psi_rate) = x["angle"], x["rate"]
        l = self.lengths(length)
        n = direction(phi, psi)
        e_phi, e_psi = tangents(phi, psi)
        turn = e_phi * phi_rate + e_psi * psi_rate
        return n, turn, l, running_sum(jnp.concatenate([l[0] * n, l[0] * turn + l[1] * n]))

    def nodes(self, x: Any, length: Any = None) -> ChainNodes:
        reached = self._forward(x, length)[-1]
        both = jnp.concatenate([jnp.zeros((6, 1)), reached], axis=1)
        return ChainNodes(both[:3], both[3:])

    def shape(self, x: Any, length: Any = None) -> ChainShape:
        n, turn, l, reached = self._forward(x, length)
        return ChainShape(n, turn, reached[3:], l[0], l, *self.masses(l[0]))

    def pull(self, x: Any, s: ChainShape, free: jax.Array, inverse: jax.Array) -> tuple[jax.Array, jax.Array]:
        tension = constraint_tensions(s.n, free, inverse, s.l[2] - s.l[0] * dot(s.turn, s.turn))
        return tension * s.n, tension

    def rate(self, x: Any, s: ChainShape, acceleration: jax.Array) -> Any:
        (phi, psi), rates = x["angle"], x["rate"]
        relative: jax.Array = acceleration - previous_column(acceleration)
        second = angle_accelerations(phi, psi, (rates[0], rates[1]), relative / s.l[0])
        return {"angle": rates, "rate": jnp.stack(second) - 2 * s.l[1] / s.l[0] * rates}

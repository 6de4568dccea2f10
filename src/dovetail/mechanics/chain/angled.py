r"""Inextensible links by the two angles of each: as many coordinates as freedoms, and no length that could drift.

Directions are those of `angles`, and every tension t follows from one tridiagonal system,

.. math::

    m_k a_k = F_k - t_k n_k + t_{k+1} n_{k+1}, \qquad (a_k - a_{k-1})\cdot n_k = \ddot l_k - l_k|\dot n_k|^2 ,

after which the angles' second rates decouple. Lengths may be functions of time. Axes: x downstream, y down, z to
starboard; singular where a link points to starboard or port, which a trailing hose never does. Source: [Bolien 2018,
sec. 3.5, eqs 3.6 to 3.60], whose eqs 3.16, 3.17 and 3.26 are garbled in print and were derived anew.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind
from dovetail.mechanics.chain.angles import angle_accelerations, angle_rates, angles, direction, tangents
from dovetail.mechanics.chain.base import Nodes, before, dot, running
from dovetail.mechanics.chain.lumped import ChainShape, LumpedChain, held_tensions


@kind("angle-chain")
class AngleChain(LumpedChain):
    """Chain of inextensible links in minimal coordinates: the formulation of hoses, whose links may grow shorter.

    The state has `angle` [rad] and `rate` [rad/s], (2, n) each: phi, which is 0 hanging and 90 degrees trailing, and
    psi to starboard. Not modelled: stretch (see `ElasticChain`), twist.
    """

    def placed(self, directions, lengths):
        angle = jnp.stack(angles(directions))
        return {"angle": angle, "rate": jnp.zeros_like(angle)}

    def moved(self, x, velocity, length=None):
        turn = (velocity - before(velocity)) / self.lengths(length)[0]
        return {"angle": x["angle"], "rate": jnp.stack(angle_rates(*x["angle"], turn))}

    def _forward(self, x, length):
        """Directions and their rates, lengths, and places and velocities of the nodes below one another, (6, n)."""
        (phi, psi), (phi_rate, psi_rate) = x["angle"], x["rate"]
        l = self.lengths(length)
        n = direction(phi, psi)
        e_phi, e_psi = tangents(phi, psi)
        turn = e_phi * phi_rate + e_psi * psi_rate
        return n, turn, l, running(jnp.concatenate([l[0] * n, l[0] * turn + l[1] * n]))

    def nodes(self, x, length=None):
        reached = self._forward(x, length)[-1]
        both = jnp.concatenate([jnp.zeros((6, 1)), reached], axis=1)
        return Nodes(both[:3], both[3:])

    def shape(self, x, length=None):
        n, turn, l, reached = self._forward(x, length)
        return ChainShape(n, turn, reached[3:], l[0], l, *self.masses(l[0]))

    def pull(self, x, s, free, inverse):
        tension = held_tensions(s.n, free, inverse, s.l[2] - s.l[0] * dot(s.turn, s.turn))
        return tension * s.n, tension

    def rate(self, x, s, acceleration):
        (phi, psi), rates = x["angle"], x["rate"]
        relative: jax.Array = acceleration - before(acceleration)
        second = angle_accelerations(phi, psi, (rates[0], rates[1]), relative / s.l[0])
        return {"angle": rates, "rate": jnp.stack(second) - 2 * s.l[1] / s.l[0] * rates}

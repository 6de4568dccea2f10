r"""Elastic links: a spring and a damper in every link, and no tension where the rope is slack.

.. math:: T_k = \Big\langle EA\,\varepsilon_k + c_a\dot\varepsilon_k\Big\rangle, \qquad
    \varepsilon_k = \frac{|d_k|}{l_k} - 1, \qquad T_k = 0 \text{ if slack}

No constraint is left, so the accelerations follow node by node; the price is the axial wave, whose frequency
:math:`2\sqrt{EA/\mu}/l` bounds the step of an explicit method. Unstretched lengths may be functions of time.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from dovetail.core import choice, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain.base import before, dot
from dovetail.mechanics.chain.lumped import ChainShape, PlacedChain


@kind("elastic-chain")
class ElasticChain(PlacedChain):
    """Chain of springs between point masses: stretch along the rope, snap loads, slack.

    A damper never makes a link push that would be `slack`. A body's own last link stretches as the rope does.
    The repaired and generalised form of a spring in every rod [Mastrogiuseppe 2023, eq. 3.22].
    """

    stiffness: jax.Array = parameter("N", "axial stiffness EA", above=0.0, kw_only=True)
    axial_damping: jax.Array = parameter("N s", "axial force by strain rate", default=0.0, at_least=0.0)
    slack: str = choice("slack", "carries", about="a compressed link", default="slack")

    def stretched(self, tension, length=None):
        return self.lengths(length)[0] * (1 + tension / self.stiffness)

    def shape(self, x, length=None):
        p, v = x["position"], x["velocity"]
        d, w = p - before(p), v - before(v)
        size = jnp.sqrt(dot(d, d))
        n = d / size
        l = self.lengths(length)
        return ChainShape(n, (w - n * dot(n, w)) / size, v, size, l, *self.masses(l[0]))

    def _tensions(self, s):
        """Tensions (n,) [N], what springs have of them, and the strain's rate (n,) [1/s].

        By choice and not by maximum, which must pass on what is no number: that takes longer than all the rest.
        """
        strain = s.size / s.l[0] - 1
        apart = dot(s.n, s.v - before(s.v))
        rate = (apart if isinstance(s.l[1], float) else apart - (1 + strain) * s.l[1]) / s.l[0]
        spring = self.stiffness * strain
        tension = spring + self.axial_damping * rate
        if self.slack == "slack":
            taut = strain > 0
            spring = jnp.where(taut, spring, 0.0)
            tension = jnp.where(taut & (tension > 0), tension, 0.0)
        return tension, spring, rate

    def pull(self, x, s, free, inverse):
        tension, _, _ = self._tensions(s)
        return tension * s.n, tension

    def impulse(self, x, momentum):
        """State after impulses (3, n) [N s] on the nodes 1 to n: each takes its own, the stretch brings the rest."""
        s = self.shape(x)
        return self.moved(x, s.v + momentum / s.mass)

    def energies(self, x, u=None):
        s = self.shape(x, None if u is None else u.length)
        _, spring, _ = self._tensions(s)
        axial = 0.5 * jnp.sum(spring**2 * s.l[0]) / self.stiffness
        return {**super().energies(x, u), "axial": axial}

    def power(self, x, u):
        s = self.shape(x, u.length)
        tension, spring, rate = self._tensions(s)
        powers = super().power(x, u)
        return {**powers, "damping": powers["damping"] - jnp.sum((tension - spring) * rate * s.l[0])}

    def fastest_rates(self):
        """Of joint friction, and of the axial wave between neighbouring nodes with its damper."""
        m, l = float(self.mass) / self.rope_links, float(self.length) / self.rope_links
        if not 0 < m * l * l < math.inf:
            raise ParameterError(f"links of {m:g} kg and {l:g} m are beyond what numbers can tell apart")
        omega = 2 * math.sqrt(float(self.stiffness) / (m * l))
        decay = 2 * float(self.axial_damping) / (m * l * l)
        return [*super().fastest_rates(), complex(-decay, omega), complex(-2 * decay, 0.0)]

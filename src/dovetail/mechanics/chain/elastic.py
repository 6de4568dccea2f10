r"""Elastic links: spring and damper in each link, no tension in slack links.

.. math:: T_k = \Big\langle EA\,\varepsilon_k + c_a\dot\varepsilon_k\Big\rangle, \qquad
    \varepsilon_k = \frac{|d_k|}{l_k} - 1, \qquad T_k = 0 \text{ if slack}

There is no constraint, so the accelerations follow node by node. The axial wave with the frequency
:math:`2\sqrt{EA/\mu}/l` limits the step of an explicit method. Unstretched lengths can be functions of time.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain.base import ChainLoads, dot, previous_column
from dovetail.mechanics.chain.lumped import CartesianChain, ChainShape


@kind("elastic-chain")
class ElasticChain(CartesianChain):
    """Chain of springs between point masses, for stretch along the rope, snap loads and slack.

    With `compression = "none"` the damper never makes a slack link push. A body's own last link stretches like the
    rope. Corrected and generalised form of a spring in each rod [Mastrogiuseppe 2023, eq. 3.22].
    """

    stiffness: Parameter = parameter("N", "axial stiffness EA", above=0.0, kw_only=True)
    axial_damping: Parameter = parameter("N s", "axial force per strain rate", default=0.0, at_least=0.0)
    compression: str = choice("none", "elastic", about="force of a compressed link", default="none")

    def stretched_lengths(self, tension: Float[Array, " n"], length: Any = None) -> Float[Array, " n"]:
        return self.lengths(length)[0] * (1 + tension / self.stiffness)

    def shape(self, x: Any, length: Any = None) -> ChainShape:
        p, v = x["position"], x["velocity"]
        d, w = p - previous_column(p), v - previous_column(v)
        size = jnp.sqrt(dot(d, d))
        n = d / size
        l = self.lengths(length)
        return ChainShape(n, (w - n * dot(n, w)) / size, v, size, l, *self.masses(l[0]))

    def _tensions(self, s: ChainShape) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return tensions (n,) [N], their spring part, and the strain rate (n,) [1/s].

        Selection with `where` is much faster here than `maximum`, which propagates NaN.
        """
        strain = s.size / s.l[0] - 1
        extension = dot(s.n, s.v - previous_column(s.v))
        rate = (extension if isinstance(s.l[1], float) else extension - (1 + strain) * s.l[1]) / s.l[0]
        spring = self.stiffness * strain
        tension = spring + self.axial_damping * rate
        if self.compression == "none":
            taut = strain > 0
            spring = jnp.where(taut, spring, 0.0)
            tension = jnp.where(taut & (tension > 0), tension, 0.0)
        return tension, spring, rate

    def pull(self, x: Any, s: ChainShape, free: jax.Array, inverse: jax.Array) -> tuple[jax.Array, jax.Array]:
        tension, _, _ = self._tensions(s)
        return tension * s.n, tension

    def impulse(self, x: Any, momentum: jax.Array) -> Any:
        """Return the state after impulses (3, n) [N s] on the nodes 1 to n; each node takes its own impulse."""
        s = self.shape(x)
        return self.with_node_velocities(x, s.v + momentum / s.mass)

    def energies(self, x: Any, u: ChainLoads | None = None) -> dict[str, jax.Array]:
        s = self.shape(x, None if u is None else u.length)
        _, spring, _ = self._tensions(s)
        axial = 0.5 * jnp.sum(spring**2 * s.l[0]) / self.stiffness
        return {**super().energies(x, u), "axial": axial}

    def power(self, x: Any, u: ChainLoads) -> dict[str, jax.Array]:
        s = self.shape(x, u.length)
        tension, spring, rate = self._tensions(s)
        powers = super().power(x, u)
        return {**powers, "damping": powers["damping"] - jnp.sum((tension - spring) * rate * s.l[0])}

    def fastest_rates(self) -> list[complex]:
        """Return rates of joint friction, and of the axial wave between neighbouring nodes with its damper."""
        m, l = float(self.mass) / self.rope_links, float(self.length) / self.rope_links
        if not 0 < m * l * l < math.inf:
            raise ParameterError(
                f"links of {m:g} kg and {l:g} m: mass or length is outside the range of numbers"
            )
        omega = 2 * math.sqrt(float(self.stiffness) / (m * l))
        decay = 2 * float(self.axial_damping) / (m * l)
        return [*super().fastest_rates(), complex(-decay, omega), complex(-2 * decay, 0.0)]

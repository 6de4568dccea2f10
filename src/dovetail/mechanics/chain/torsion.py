r"""Twist along a rope: a line of torsion springs beside the chain, from the support to what turns at the tip.

.. math:: J l\,\ddot\theta_k = \tau_{k+1} - \tau_k, \qquad
    \tau_k = \frac{GJ_t}{l}(\theta_k - \theta_{k-1}) + \frac{c}{l}(\dot\theta_k - \dot\theta_{k-1})

The angle counts from a frame that is carried along the rope without twisting, so for a rope that is nearly
straight, as a loaded one is, twist and bending do not act on each other. Not modelled: twist that turns into loops
of a slack rope, and the loss of strength of a laid rope that is twisted. Torsion is named as missing in
[Mastrogiuseppe 2023, sec. 5.2].
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import Part, count, kind, parameter
from dovetail.mechanics.chain.base import after, before

Turn = tuple[Any, Any]  # angle [rad] and rate [rad/s]
STILL: Turn = (0.0, 0.0)


@kind("twist-line")
class TwistLine(Part):
    """The rope as a torsion bar of n pieces, held at the support."""

    n: int = count("number of pieces", at_least=2)
    stiffness: jax.Array = parameter("N m^2", "torsion stiffness GJ", above=0.0)
    inertia: jax.Array = parameter("kg m", "polar inertia by length, of a full section mu d^2/8", above=0.0)
    damping: jax.Array = parameter("N m^2 s", "torque by rate of twist a length", default=0.0, at_least=0.0)

    def init(self) -> dict[str, jax.Array]:
        """Untwisted, at rest: the n - 1 joints between the pieces."""
        return {"twist": jnp.zeros(self.n - 1), "twist_rate": jnp.zeros(self.n - 1)}

    def torques(self, x: dict[str, jax.Array], length: Any, end: Turn | None = None) -> jax.Array:
        """Torque [N m] in each piece (n,), positive when the far end is turned ahead; `end` None is a free one."""
        angle, rate = x["twist"], x["twist_rate"]
        last, last_rate = (angle[-1], rate[-1]) if end is None else end
        l = length / self.n
        bent = jnp.append(angle, last) - before(jnp.append(angle, last))
        bent_rate = jnp.append(rate, last_rate) - before(jnp.append(rate, last_rate))
        return (self.stiffness * bent + self.damping * bent_rate) / l

    def rate(self, x: dict[str, jax.Array], length: Any, end: Turn | None = None) -> dict[str, jax.Array]:
        """Rates of the twist; the torque on what turns at the end is minus the last of `torques`."""
        torque = self.torques(x, length, end)
        l = length / self.n
        inner = jnp.full(self.n - 1, self.inertia * l)
        if end is None:  # the last joint carries the free piece beyond it
            inner = inner.at[-1].mul(1.5)
        return {"twist": x["twist_rate"], "twist_rate": (after(torque) - torque)[:-1] / inner}

    def energy(self, x: dict[str, jax.Array], length: Any, end: Turn | None = None) -> jax.Array:
        """Kinetic and elastic energy [J] of the twist."""
        l = length / self.n
        angle = x["twist"]
        last = angle[-1] if end is None else end[0]
        bent = jnp.append(angle, last) - before(jnp.append(angle, last))
        moving = 0.5 * self.inertia * l * jnp.sum(x["twist_rate"] ** 2)
        return moving + 0.5 * self.stiffness / l * jnp.sum(bent**2)

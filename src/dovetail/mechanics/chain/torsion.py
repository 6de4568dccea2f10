r"""Twist of a rope: torsion springs along the chain, from the support to the body at the tip.

.. math:: J l\,\ddot\theta_k = \tau_{k+1} - \tau_k, \qquad
    \tau_k = \frac{GJ_t}{l}(\theta_k - \theta_{k-1}) + \frac{c}{l}(\dot\theta_k - \dot\theta_{k-1})

The angle is relative to a frame transported along the rope without twist. For a nearly straight (loaded) rope, twist
and bending are therefore independent. Not modelled: loops of a slack twisted rope, and the loss of strength of a laid
rope under twist. Torsion is named as missing in [Mastrogiuseppe 2023, sec. 5.2].
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, count, kind, parameter
from dovetail.mechanics.chain.base import next_column, previous_column

Turn = tuple[Any, Any]  # angle [rad] and rate [rad/s]
STILL: Turn = (0.0, 0.0)


@kind("twist-line")
class TwistLine(Part):
    """Rope as a torsion bar of n pieces, fixed at the support."""

    n: int = count("number of pieces", at_least=2)
    stiffness: Parameter = parameter("N m^2", "torsion stiffness GJ", above=0.0)
    inertia: Parameter = parameter(
        "kg m", "polar inertia per length; mu d^2/8 for a solid section", above=0.0
    )
    damping: Parameter = parameter(
        "N m^2 s", "torque per rate of twist per length", default=0.0, at_least=0.0
    )

    def init(self) -> dict[str, jax.Array]:
        """Return the untwisted state at rest: the n - 1 joints between the pieces."""
        return {"twist": jnp.zeros(self.n - 1), "twist_rate": jnp.zeros(self.n - 1)}

    def torques(self, x: dict[str, jax.Array], length: Any, end: Turn | None = None) -> jax.Array:
        """Return the torque [N m] in each piece (n,), positive if the far end leads; a free end if `end` is None."""
        angle, rate = x["twist"], x["twist_rate"]
        last, last_rate = (angle[-1], rate[-1]) if end is None else end
        l = length / self.n
        bent = jnp.append(angle, last) - previous_column(jnp.append(angle, last))
        bent_rate = jnp.append(rate, last_rate) - previous_column(jnp.append(rate, last_rate))
        moments: jax.Array = (self.stiffness * bent + self.damping * bent_rate) / l
        return moments

    def rate(self, x: dict[str, jax.Array], length: Any, end: Turn | None = None) -> dict[str, jax.Array]:
        """Return the rates of the twist; the torque on the body at the end is minus the last of `torques`."""
        torque = self.torques(x, length, end)
        l = length / self.n
        inner = jnp.full(self.n - 1, self.inertia * l)
        if end is None:  # the last joint includes the free piece beyond it
            inner = inner.at[-1].mul(1.5)
        return {"twist": x["twist_rate"], "twist_rate": (next_column(torque) - torque)[:-1] / inner}

    def energy(self, x: dict[str, jax.Array], length: Any, end: Turn | None = None) -> jax.Array:
        """Return the kinetic and elastic energy [J] of the twist."""
        l = length / self.n
        angle = x["twist"]
        last = angle[-1] if end is None else end[0]
        bent = jnp.append(angle, last) - previous_column(jnp.append(angle, last))
        moving = 0.5 * self.inertia * l * jnp.sum(x["twist_rate"] ** 2)
        energy: jax.Array = moving + 0.5 * self.stiffness / l * jnp.sum(bent**2)
        return energy

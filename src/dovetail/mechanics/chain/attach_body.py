r"""Attachment of a body to the tip of a moving chain: momentum is conserved.

.. math:: M^+ \dot q^+ = M^- \dot q^- + m_b\,J_{tip}^T v_b

with the mass matrix of the formulation and the tip's Jacobian J. Inextensible links keep their length, so the impulse
travels up the rope, :math:`n_k\cdot(v_k^+ - v_{k-1}^+) = 0`. In an elastic rope only the velocity of the tip changes,
and the stretch transmits the impulse. The impulse divided by the duration of the catch is the snap load.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.mechanics.chain.base import Chain
from dovetail.mechanics.chain.cable import AncfCable
from dovetail.mechanics.chain.lumped import LumpedChain
from dovetail.mechanics.chain.rods import RodChain


def join(chain: Chain, x: Any, *, mass: Any, velocity: jax.Array) -> tuple[Any, Any]:
    """Return the chain with a body of `mass` [kg] and `velocity` (3,) [m/s] attached at its tip, and its state."""
    total = chain.tip_mass + mass
    gained = mass * (
        jnp.asarray(velocity) - chain.nodes(x).tip[1]
    )  # relative to the momentum at the speed of the tip
    if isinstance(chain, LumpedChain):
        lumped = chain.with_tip(total)
        return lumped, lumped.impulse(x, jnp.zeros((3, chain.n)).at[:, -1].set(gained))
    if isinstance(chain, RodChain):
        rods = chain.with_tip(total)
        arms = jax.jacfwd(lambda q: chain.nodes({"q": q, "rate": x["rate"]}).tip[0])(x["q"])  # (3, 2n + 1)
        jump = jnp.linalg.solve(rods.mass_matrix(x["q"]), arms.T @ gained)
        return rods, {**x, "rate": x["rate"] + jump}
    cable = chain.with_tip(total)
    assert isinstance(cable, AncfCable)
    push = jnp.zeros_like(x["rate"]).at[:, -2].set(gained)
    return cable, {**x, "rate": x["rate"] + jnp.linalg.solve(cable.mass_matrix(), push.T).T}


def release(chain: Chain, x: Any, *, mass: Any) -> tuple[Any, Any]:
    """Return the chain without `mass` [kg] at its tip; releasing a body causes no jump."""
    return chain.with_tip(chain.tip_mass - mass), x

r"""A body joins the tip of a chain in flight: mass and momentum are taken over.

.. math:: M^+ \dot q^+ = M^- \dot q^- + m_b\,J_{tip}^T v_b

with the mass matrix of the formulation and the tip's Jacobian J. Inextensible links keep their length, so the
impulse runs up the rope, :math:`n_k\cdot(v_k^+ - v_{k-1}^+) = 0`; where the rope is elastic
the tip alone changes its velocity and the stretch brings the rest. The impulse divided by the time in which
the catch takes place is the snap load.
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
    """The chain with a body of `mass` [kg] and `velocity` (3,) [m/s] caught at its tip, and its state just after."""
    total = chain.tip_mass + mass
    gained = mass * (jnp.asarray(velocity) - chain.nodes(x).tip[1])  # beyond what the tip itself would bring
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
    """The chain without `mass` [kg] of what is at its tip; nothing jumps when a body is let go."""
    return chain.with_tip(chain.tip_mass - mass), x

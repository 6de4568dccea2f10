r"""A rope so heavily loaded that it is straight: one rod with the axial element, and when that is allowed.

A rope of weight W across its pull T sags by :math:`W/(8T)` of its length; where that is negligible, all that is left of
its motion is the tip's: three coordinates instead of 2n + 1, and no joint to bound the step. The tow of a stage is such
a case. Named as future work in [Mastrogiuseppe 2023, sec. 5.2].
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from dovetail.mechanics.chain.angles import angles, tangents
from dovetail.mechanics.chain.rods import RodChain


def sag(weight: Any, pull: Any) -> Any:
    """Sag over length of a rope of `weight` [N] across its `pull` [N]."""
    return weight / (8 * pull)


def straightened(chain: RodChain, x: Any) -> tuple[RodChain, dict[str, jax.Array]]:
    """The same rope as one rod, and the state in which its tip is where it was and moves as it did.

    Bending and joint friction, which a straight rope does not have, are left out.
    """
    rod = dataclasses.replace(
        chain, n=1, bending=jnp.zeros(()), joint_damping=jnp.zeros(()), root="pinned", curvature="planes"
    )
    r, v = chain.nodes(x).tip
    reach = jnp.sqrt(r @ r)
    u = r / reach
    phi, psi = angles(u)
    e_phi, e_psi = (e[:, 0] for e in tangents(phi[None], psi[None]))
    q = jnp.stack([reach - chain.length, phi, psi])
    rate = jnp.stack([v @ u, v @ e_phi / (reach * jnp.cos(psi) ** 2), v @ e_psi / reach])
    return rod, {"q": q, "rate": rate}

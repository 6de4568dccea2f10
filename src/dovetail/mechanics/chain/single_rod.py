"""Straight rope under high tension: one rod with the axial element, and the condition for its use.

A rope of weight W across its tension T sags by :math:`W/(8T)` of its length. If that is negligible, the motion reduces
to that of the tip: three coordinates instead of 2n + 1, and no joint that limits the step. An example is the tow of a
stage. Named as future work in [Mastrogiuseppe 2023, sec. 5.2].
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from dovetail.mechanics.chain.angles import angles, tangents
from dovetail.mechanics.chain.rods import RodChain


def sag(weight: Any, pull: Any) -> Any:
    """Return sag divided by length of a rope of `weight` [N] across its tension `pull` [N]."""
    return weight / (8 * pull)


def to_single_rod(chain: RodChain, x: Any) -> tuple[RodChain, dict[str, jax.Array]]:
    """Return the rope as one rod, and the state with the same position and velocity of the tip.

    Bending and joint friction, which a straight rope does not have, are omitted.
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

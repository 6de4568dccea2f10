r"""Effect of mass that moves between lumps while a chain is reeled: four models.

- `none`: no effect, as in the published tests; exact if links shrink in sequence (nodes are material points);
- `published`: :math:`[(n-k-1)\dot p_{k+1} + (n-k)\dot p_k]\,\dot m` on lump k, which counts each packet of mass on
  both lumps that exchange it and so generates momentum;
- `consistent`: the capture term :math:`(n-k-1)\dot p_{k+1}\dot m` only, which conserves momentum;
- `sliding`: exact (arbitrary Lagrangian-Eulerian): nodes are not material points, rope slides past node k at
  :math:`w_k = \dot L - \dot\sigma_k`, with the arc length :math:`\sigma_k`, and its mass there has the acceleration
  :math:`\ddot p + 2 w\dot\tau + w^2\tau' + \dot w\tau`, with the tangent :math:`\tau` down the chain.

`published` and `consistent` require links that shrink together, with their mass at the far end. Source: [Bolien 2018,
sec. 3.5, eqs 3.32 to 3.60, corrected].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from dovetail.mechanics.chain.base import link_differences, next_column

WAYS = ("none", "published", "consistent", "sliding")


def tangents(n: Float[Array, "3 n"]) -> Float[Array, "3 n"]:
    """Return the mean (3, n) of the directions on both sides of the nodes 1 to n; at the tip, that of the last link."""
    return 0.5 * (n + _with_last(n))


def sliding(
    n: Float[Array, "3 n"],
    turn: Float[Array, "3 n"],
    l: Float[Array, " n"],
    slip: tuple[Float[Array, " n"], Float[Array, " n"]],
    mass: Float[Array, " n"],
) -> Float[Array, "3 n"]:
    """Return forces (3, n) [N] on nodes of `mass` (n,) from rope that slides past them.

    n are link directions, turn their rates, l (n,) are the link lengths, `slip` the slip speed (n,) and its rate.
    """
    speed, rate = slip
    curvature = (_with_last(n) - n) / (0.5 * (l + _with_last(l)))
    return -mass * (2 * speed * tangents(turn) + speed**2 * curvature + rate * tangents(n))


def exchange_forces(
    velocity: Float[Array, "3 n"],
    loss: jax.Array,
    leaving: Float[Array, "3"],
    rope_links: int,
    *,
    twice: bool,
) -> Float[Array, "3 n"]:
    """Return forces (3, n) [N] of mass that moves between lumps towards the support; each lump loses `loss` [kg/s].

    `velocity` (3, n) are the node velocities, `leaving` (3,) the velocity of the rope at the support. `twice` also
    counts the expelled mass.
    """
    count = velocity.shape[1]
    # loss of lump k and of all lumps below it
    passed = jnp.asarray(np.maximum(rope_links - np.arange(count), 0.0))
    rate = link_differences(jnp.concatenate([jnp.zeros((3, 1)), velocity], axis=1))
    expelled = passed * rate if twice else jnp.zeros_like(rate)
    expelled = expelled.at[:, 0].set(-rope_links * (leaving - velocity[:, 0]))
    return loss * (next_column(passed * rate) + expelled)


def _with_last(a: jax.Array) -> jax.Array:
    """Return `a` shifted by one column, with the last column repeated."""
    return jnp.concatenate([a[..., 1:], a[..., -1:]], axis=-1)

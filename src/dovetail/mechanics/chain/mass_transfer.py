r"""What a chain feels of its own mass that changes lumps while it is reeled: four ways to account for it.

- `none`: nothing, the form of the published tests; exact where links shrink in sequence, as nodes are material then;
- `printed`: :math:`[(n-k-1)\dot p_{k+1} + (n-k)\dot p_k]\,\dot m` on lump k, which counts each packet of mass on
  both lumps that exchange it and so makes momentum;
- `consistent`: the capture term :math:`(n-k-1)\dot p_{k+1}\dot m` alone, which keeps momentum;
- `sliding`: the rigorous answer, arbitrary Lagrangian-Eulerian: nodes are not material, rope slides past node k at
  :math:`w_k = \dot L - \dot\sigma_k`, :math:`\sigma_k` the arc length to it, and its mass there has the acceleration
  :math:`\ddot p + 2 w\dot\tau + w^2\tau' + \dot w\tau`, with the tangent :math:`\tau` down the chain.

Printed and consistent hold for links that shrink together with their mass at the far end. Source: [Bolien 2018,
sec. 3.5, eqs 3.32 to 3.60, corrected].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from dovetail.mechanics.chain.base import after, apart

WAYS = ("none", "printed", "consistent", "sliding")


def tangents(n: Float[Array, "3 n"]) -> Float[Array, "3 n"]:
    """Mean (3, n) of the directions on both sides of the nodes 1 to n; the last link's own at the tip."""
    return 0.5 * (n + _with_last(n))


def sliding(
    n: Float[Array, "3 n"],
    turn: Float[Array, "3 n"],
    l: Float[Array, " n"],
    slip: tuple[Float[Array, " n"], Float[Array, " n"]],
    mass: Float[Array, " n"],
) -> Float[Array, "3 n"]:
    """Forces (3, n) [N] on nodes of `mass` (n,) by rope that slides past them; n are directions, turn their rates.

    l (n,) are the links' lengths, `slip` the speed (n,) and its rate at which it slides.
    """
    speed, rate = slip
    curvature = (_with_last(n) - n) / (0.5 * (l + _with_last(l)))
    return -mass * (2 * speed * tangents(turn) + speed**2 * curvature + rate * tangents(n))


def handed_on(
    velocity: Float[Array, "3 n"],
    loss: jax.Array,
    leaving: Float[Array, "3"],
    rope_links: int,
    *,
    twice: bool,
) -> Float[Array, "3 n"]:
    """Forces (3, n) [N] of mass that lumps hand on towards the support, each of them losing `loss` [kg/s].

    `velocity` (3, n) is the nodes', `leaving` (3,) that of rope at the support. `twice` counts what is expelled too.
    """
    count = velocity.shape[1]
    handed = jnp.asarray(
        np.maximum(rope_links - np.arange(count), 0.0)
    )  # by lump k: its own loss and all below it
    rate = apart(jnp.concatenate([jnp.zeros((3, 1)), velocity], axis=1))
    expelled = handed * rate if twice else jnp.zeros_like(rate)
    expelled = expelled.at[:, 0].set(-rope_links * (leaving - velocity[:, 0]))
    return loss * (after(handed * rate) + expelled)


def _with_last(a: jax.Array) -> jax.Array:
    """Entry k is a[k + 1]; the last is repeated."""
    return jnp.concatenate([a[..., 1:], a[..., -1:]], axis=-1)

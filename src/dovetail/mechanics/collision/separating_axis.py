r"""Do two convex bodies overlap, how deep, and along which direction: the separating-axis theorem.

Two convex bodies are apart if and only if some axis separates their shadows. In the plane the candidates are the
normals of the edges of both; in space also the cross products of their edges. The axis with the smallest overlap
gives the direction and depth by which they can be moved apart. Vectorised: map it over batches with `jax.vmap`.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


def separation(corners_1: jax.Array, corners_2: jax.Array, axes: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Signed separation [m] (negative: depth of overlap) and the unit direction from body 1 to body 2.

    `corners` are vertices (n, d) in one frame, `axes` (m, d) the candidates; axes of no length are passed over.
    Differentiable where the deciding axis and corners do not change.
    """
    size = jnp.sqrt(jnp.sum(axes**2, -1))
    usable = size > 1e-9
    unit = axes / jnp.where(usable, size, 1.0)[:, None]
    a, b = corners_1 @ unit.T, corners_2 @ unit.T
    ahead = jnp.min(b, 0) - jnp.max(a, 0)  # body 2 beyond body 1 along the axis
    behind = jnp.min(a, 0) - jnp.max(b, 0)
    gap = jnp.where(usable, jnp.maximum(ahead, behind), -jnp.inf)
    best = jnp.argmax(gap)
    sign = jnp.where(ahead[best] >= behind[best], 1.0, -1.0)
    return gap[best], sign * unit[best]


def edge_axes(edges_1: jax.Array, edges_2: jax.Array) -> jax.Array:
    """Cross products of all edges of two bodies in space, (n1 * n2, 3)."""
    return jnp.cross(edges_1[:, None, :], edges_2[None, :, :]).reshape(-1, 3)

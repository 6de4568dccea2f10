r"""Touched surface of a body: the last plane that the node crossed, independent of its depth below other planes.

For each pair of node and body, with :math:`A_m = 1` where :math:`\Delta_m \le 0` and :math:`B = A(t) - A(t_{sol})`:

.. math:: D_m = \begin{cases} 1 & \text{all } A = 1,\ B_m = 1 \\ D_m(t_{sol}) & \text{all } A = 1,\ B_m = 0 \\ 0 &
          \text{otherwise} \end{cases}

[Schock 2020, eqs 5.19 to 5.23]. :math:`A` and :math:`D` change only after an accepted step, so rejected steps have no
effect. Two cases are not specified in the source: if two planes are crossed in one step, the shallower one is used; a
node that starts inside touches the nearest plane.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

FAR = 1e6  # [m] distance inside a padding plane


def initial_surfaces(distance: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return A and D (..., m) of the initial state for distances (..., m) [m]."""
    inside = (distance <= 0).astype(float)
    return inside, _nearest(distance) * jnp.all(inside > 0, -1, keepdims=True)


def update_surfaces(distance: jax.Array, inside: jax.Array, touch: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return A and D after an accepted step for the current distances and the previous A and D."""
    touching = (distance <= 0).astype(float)
    all_inside = jnp.all(touching > 0, -1, keepdims=True)
    entered = (touching - inside) > 0.5
    any_entered = jnp.any(entered, -1, keepdims=True)
    crossed = _nearest(jnp.where(entered, distance, -FAR))
    had = jnp.any(touch > 0.5, -1, keepdims=True)
    surfaces = jnp.where(had, touch, _nearest(distance))
    return touching, jnp.where(any_entered & ~had, crossed, surfaces) * all_inside


def nearest(distance: jax.Array) -> jax.Array:
    """Return D without memory: the nearest plane if the node is inside all; for batches and gradients."""
    return _nearest(distance) * jnp.all(distance <= 0, -1, keepdims=True)


def gap(distance: jax.Array) -> jax.Array:
    """Return the gap of a node [m]; negative in contact, zero only at the boundary of the body."""
    return jnp.max(distance, -1)


def _nearest(distance: jax.Array) -> jax.Array:
    """Return one at the largest distance (nearest to zero for a node inside), else zero."""
    return jax.nn.one_hot(jnp.argmax(distance, -1), distance.shape[-1])

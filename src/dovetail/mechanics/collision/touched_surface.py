r"""Which surface of a body a node touches: the last one it crossed, whatever its depth below the others.

For each pair of node and body, with :math:`A_m = 1` where :math:`\Delta_m \le 0` and :math:`B = A(t) - A(t_{sol})`:

.. math:: D_m = \begin{cases} 1 & \text{all } A = 1,\ B_m = 1 \\ D_m(t_{sol}) & \text{all } A = 1,\ B_m = 0 \\ 0 &
          \text{otherwise} \end{cases}

[Schock 2020, eqs 5.19 to 5.23]. :math:`A` and :math:`D` change only when a step has been accepted, so that what an
integrator rejects leaves no trace. Where the source is silent: of two planes crossed in one step the shallower one
is taken, and a node that starts inside touches the nearest plane.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

FAR = 1e6  # [m] distance inside a plane that only fills up an array


def started(distance: jax.Array) -> tuple[jax.Array, jax.Array]:
    """A and D (..., m) at the start, from the distances (..., m) [m]."""
    inside = (distance <= 0).astype(float)
    return inside, _nearest(distance) * jnp.all(inside > 0, -1, keepdims=True)


def updated(distance: jax.Array, inside: jax.Array, touch: jax.Array) -> tuple[jax.Array, jax.Array]:
    """A and D after an accepted step, from the distances now and A and D before."""
    touching = (distance <= 0).astype(float)
    all_inside = jnp.all(touching > 0, -1, keepdims=True)
    entered = (touching - inside) > 0.5
    any_entered = jnp.any(entered, -1, keepdims=True)
    crossed = _nearest(jnp.where(entered, distance, -FAR))
    had = jnp.any(touch > 0.5, -1, keepdims=True)
    kept = jnp.where(had, touch, _nearest(distance))
    return touching, jnp.where(any_entered & ~had, crossed, kept) * all_inside


def nearest(distance: jax.Array) -> jax.Array:
    """D without memory: the nearest plane where the node is inside all; for batches and gradients."""
    return _nearest(distance) * jnp.all(distance <= 0, -1, keepdims=True)


def gap(distance: jax.Array) -> jax.Array:
    """How far a node is from contact [m]; negative in contact, zero only at the true boundary."""
    return jnp.max(distance, -1)


def _nearest(distance):
    """One where the distance is the largest (nearest to zero for a node inside)."""
    return jax.nn.one_hot(jnp.argmax(distance, -1), distance.shape[-1])

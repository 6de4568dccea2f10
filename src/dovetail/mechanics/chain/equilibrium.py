r"""Chains at rest: each link is parallel to the force it carries.

.. math:: u_k \parallel F_{tip} + \sum_{j>k}(F_j + m_j g) + \tfrac12(F_k + m_k g) + m_p g

For loads that depend on the shape (drag), the shape is computed by fixed-point iteration. Bending is neglected, which
is valid for a loaded rope. For use as an initial state and as a test reference. Source: [Mastrogiuseppe 2023, sec.
4.2].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain.base import dot


def hanging_directions(
    n: int,
    mass: jax.Array,
    tip_mass: jax.Array | float,
    field: Float[Array, "3"],
    tip_force: jax.Array | Callable[[jax.Array], jax.Array],
    link_force: Callable[[jax.Array], jax.Array] | None = None,
    iterations: int = 200,
) -> Float[Array, "3 n"]:
    """Return the directions (3, n) of the links of a chain at rest.

    Parameters
    ----------
    mass, tip_mass : mass of the chain and at its tip [kg].
    field : (3,) uniform acceleration [m/s^2].
    tip_force : (3,) [N], or a function of the directions.
    link_force : function of the directions (3, n) that returns forces (3, n) [N] at the middle of the links.
    """
    field = jnp.asarray(field)[:, None]
    weight = mass / n * field

    def below(u: jax.Array) -> jax.Array:
        load = weight + (jnp.zeros((3, n)) if link_force is None else link_force(u))
        tip = tip_force(u) if callable(tip_force) else jnp.asarray(tip_force)
        end = tip[:, None] + tip_mass * field
        beyond = jnp.cumsum(load[:, ::-1], axis=1)[:, ::-1] - 0.5 * load
        carried = beyond + end
        return carried / jnp.sqrt(dot(carried, carried))

    start = below(jnp.broadcast_to(field / jnp.sqrt(dot(field, field)), (3, n)))
    if link_force is None and not callable(tip_force):
        return start

    def improve(_: Any, u: jax.Array) -> jax.Array:
        mixed = u + 0.5 * (below(u) - u)  # relaxation, because drag increases as the rope rises
        return mixed / jnp.sqrt(dot(mixed, mixed))

    directions: jax.Array = jax.lax.fori_loop(0, iterations, improve, start)
    return directions


def straight_to(tip: Float[np.ndarray, "3"], length: float) -> Float[np.ndarray, "3"]:
    """Return the unit vector from the support to a tip position (3,) [m] of a straight rope.

    Raises
    ------
    ParameterError
        If the rope would be slack, or cannot reach the position.
    """
    distance = float(np.linalg.norm(tip))
    if distance > length * (1 + 1e-9):
        raise ParameterError(
            f"tip at {distance:.6g} m from the support; a rope of {length:g} m cannot reach it"
        )
    if distance < length * (1 - 1e-9):
        raise ParameterError(
            f"tip at {distance:.6g} m from the support; a rope of {length:g} m would be slack at the start. Do: move "
            'the tip out to the rope\'s length, shorten the rope, or start from an equilibrium (start = "static")'
        )
    return np.asarray(tip, dtype=float) / distance

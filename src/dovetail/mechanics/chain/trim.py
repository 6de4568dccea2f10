r"""A chain at rest under loads that depend on its shape: every link lies along the force that it carries.

.. math:: n_k \parallel \sum_{i\ge k} F_i(n)

by Newton's method on the sines between the two, from all links along one direction; links that stretch get the length
of their tension on the way. Bending counts. What does not converge, or would have to push, is refused; under a JAX
transformation NaN says so. Modes are those of the equations about it. Without bending and for any chain, see `static`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core.errors import ConvergenceError
from dovetail.core.linear import Modes, modes
from dovetail.mechanics.chain.angles import angles, direction, tangents
from dovetail.mechanics.chain.base import Loads, dot, running
from dovetail.mechanics.chain.lumped import LumpedChain

ROUNDS = 30
FARTHEST = 0.4  # [rad] that a link may turn in a round
BALANCED = 1e-9  # sine of the angle between link and force that counts as none; four rounds reach 1e-15


class AtRest(eqx.Module):
    """A chain at rest: its state, tensions (n,) [N], and how far it is from it."""

    state: Any
    tension: jax.Array
    aside: jax.Array  # largest sine between a link and the force that it carries
    along: jax.Array  # least cosine: below zero a link would push


def at_rest(
    chain: LumpedChain,
    loads: Callable[[Any], Loads],
    start: jax.Array,
    length: Any = None,
    what: str = "chain",
) -> AtRest:
    """A chain at rest under `loads`, a function of its state (a `jax.tree_util.Partial`, so that it compiles once).

    Parameters
    ----------
    start : (3,) direction along which the search begins.
    length : (3,) paid out, where it is not all.

    Raises
    ------
    ConvergenceError
        If there is none, or none was found.
    """
    trimmed = _balanced(chain, loads, start, length)
    steady = (trimmed.aside <= BALANCED) & (trimmed.along > 0)  # False for NaN
    if isinstance(steady, jax.core.Tracer):
        return jax.tree.map(lambda a: jnp.where(steady, a, jnp.nan), trimmed)
    if not steady:
        aside = f"a link lies {float(trimmed.aside):.3g} rad beside its force"
        raise ConvergenceError(
            f"{what}: no steady flight found in {ROUNDS} rounds, "
            f"{aside if trimmed.along > 0 else 'a link would push'}; "
            f"each must lie within {BALANCED:g} rad of a pull. Do: check airspeed, drag and masses, or take a chain "
            "that bends less or is longer."
        )
    return trimmed


@eqx.filter_jit
def _balanced(chain, loads, start, length) -> AtRest:
    def carried(a, tension):
        """State with the links at angles a (2 n,), and the forces (3, n) that they carry."""
        u = direction(*a.reshape(2, -1))
        x = chain.placed(u, chain.stretched(tension, length))
        acts, s = loads(x), chain.shape(x, length)
        return x, u, running(chain.acting(s, acts) + s.mass * jnp.asarray(acts.field)[:, None], reverse=True)

    def unbalanced(a, tension):
        """Sines (2 n,) between links and what they carry; cosines (n,), 1 where they pull, and tensions."""
        _, u, force = carried(a, tension)
        size = jnp.sqrt(dot(force, force))
        e_phi, e_psi = tangents(*a.reshape(2, -1))
        sines = jnp.concatenate([dot(e_phi, force / size), dot(e_psi, force / size)])
        return sines, (dot(u, force / size), dot(u, force))

    def improve(_, carry):
        a, tension = carry
        sines, push, (_, tension) = jax.linearize(lambda a: unbalanced(a, tension), a, has_aux=True)
        slope = jax.lax.map(push, jnp.eye(a.size)).T  # column by column: compiles in less time
        turn = jnp.linalg.solve(slope, sines)
        return a - turn * jnp.minimum(1.0, FARTHEST / jnp.max(jnp.abs(turn))), tension

    first = jnp.repeat(jnp.stack(angles(start)), chain.n)
    a, tension = jax.lax.fori_loop(0, ROUNDS, improve, (first, jnp.zeros(chain.n)))
    sines, (cosines, pull) = unbalanced(a, tension)
    return AtRest(carried(a, tension)[0], pull, jnp.max(jnp.abs(sines)), jnp.min(cosines))


@eqx.filter_jit
def _matrix(chain, loads, x, rows) -> jax.Array:
    (place, at), (speed, _) = x.items()
    shape, rows = (len(rows), chain.n), jnp.asarray(rows)

    def rate(z):
        near = {
            name: x[name].at[rows].set(part.reshape(shape))
            for name, part in zip((place, speed), jnp.split(z, 2), strict=True)
        }
        change = chain.solve(0.0, near, loads(near)).rate
        return jnp.concatenate([change[place][rows].ravel(), change[speed][rows].ravel()])

    start = at[rows].ravel()
    return jax.jacfwd(rate)(jnp.concatenate([start, jnp.zeros_like(start)]))


def modes_about(
    chain: LumpedChain, loads: Callable[[Any], Loads], x: Any, rows: tuple[int, ...] | None = None
) -> Modes:
    """Modes about a state at rest, slowest first: of all coordinates, or of some rows of them, as of one plane."""
    every = tuple(range(next(iter(x.values())).shape[0]))
    return modes(_matrix(chain, loads, x, every if rows is None else rows))

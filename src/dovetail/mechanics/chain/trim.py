r"""Chain at rest under loads that depend on its shape: each link is parallel to the force it carries.

.. math:: n_k \parallel \sum_{i\ge k} F_i(n)

Newton's method on the sines between link and force, starting with all links in one direction; elastic links get the
length of their tension. Bending is included. An error is raised without convergence, or if a link is in compression;
under a JAX transformation the result is NaN. Modes are those of the equations about this state. For any chain without
bending, see `equilibrium`.
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
from dovetail.mechanics.chain.base import ChainLoads, dot, running_sum
from dovetail.mechanics.chain.lumped import LumpedChain

MAX_ITERATIONS = 30
MAX_ROTATION = 0.4  # [rad] rotation of a link in one iteration
TOLERANCE = 1e-9  # sine of the angle between link and force


class AtRest(eqx.Module):
    """Chain at rest: state, tensions (n,) [N], and residuals."""

    state: Any
    tension: jax.Array
    aside: jax.Array  # largest sine of the angle between a link and its force
    along: jax.Array  # smallest cosine; below zero a link is in compression


def at_rest(
    chain: LumpedChain,
    loads: Callable[[Any], ChainLoads],
    start: jax.Array,
    length: Any = None,
    what: str = "chain",
) -> AtRest:
    """Return the chain at rest under `loads`, a function of its state (a `jax.tree_util.Partial`, compiled once).

    Parameters
    ----------
    start : (3,) initial direction of all links.
    length : (3,) paid-out length and its rates, if not the full length.

    Raises
    ------
    ConvergenceError
        If no solution exists or none was reached.
    """
    trimmed: AtRest = _balanced(chain, loads, start, length)
    steady = (trimmed.aside <= TOLERANCE) & (trimmed.along > 0)  # False for NaN
    if isinstance(steady, jax.core.Tracer):
        trimmed = jax.tree.map(lambda a: jnp.where(steady, a, jnp.nan), trimmed)
        return trimmed
    if not steady:
        aside = f"the angle between a link and its force is {float(trimmed.aside):.3g} rad"
        raise ConvergenceError(
            f"{what}: no steady flight after {MAX_ITERATIONS} iterations: "
            f"{aside if trimmed.along > 0 else 'a link would be in compression'}; "
            f"expected at most {TOLERANCE:g} rad, and tension in each link. Check airspeed, drag and masses, or use a "
            "chain with less bending stiffness or more length."
        )
    return trimmed


@eqx.filter_jit
def _balanced(chain: LumpedChain, loads: Any, start: jax.Array, length: jax.Array) -> AtRest:
    def carried(a: jax.Array, tension: jax.Array) -> tuple[dict[str, jax.Array], jax.Array, jax.Array]:
        """Return the state with the links at angles a (2 n,), and the forces (3, n) they carry."""
        u = direction(*a.reshape(2, -1))
        x = chain.state_from_directions(u, chain.stretched_lengths(tension, length))
        acts, s = loads(x), chain.shape(x, length)
        return (
            x,
            u,
            running_sum(chain.acting(s, acts) + s.mass * jnp.asarray(acts.field)[:, None], reverse=True),
        )

    def unbalanced(a: jax.Array, tension: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
        """Return sines (2 n,) between links and forces; cosines (n,), 1 for pure tension, and tensions."""
        _, u, force = carried(a, tension)
        size = jnp.sqrt(dot(force, force))
        e_phi, e_psi = tangents(*a.reshape(2, -1))
        sines = jnp.concatenate([dot(e_phi, force / size), dot(e_psi, force / size)])
        return sines, (dot(u, force / size), dot(u, force))

    def improve(_: Any, carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        a, tension = carry
        sines, push, (_, tension) = jax.linearize(lambda a: unbalanced(a, tension), a, has_aux=True)
        slope = jax.lax.map(push, jnp.eye(a.size)).T  # column by column: compiles in less time
        turn = jnp.linalg.solve(slope, sines)
        return a - turn * jnp.minimum(1.0, MAX_ROTATION / jnp.max(jnp.abs(turn))), tension

    first = jnp.repeat(jnp.stack(angles(start)), chain.n)
    a, tension = jax.lax.fori_loop(0, MAX_ITERATIONS, improve, (first, jnp.zeros(chain.n)))
    sines, (cosines, pull) = unbalanced(a, tension)
    return AtRest(carried(a, tension)[0], pull, jnp.max(jnp.abs(sines)), jnp.min(cosines))


@eqx.filter_jit
def _matrix(chain: LumpedChain, loads: Any, x: dict[str, jax.Array], rows: tuple[int, ...]) -> jax.Array:
    (place, at), (speed, _) = x.items()
    shape, chosen = (len(rows), chain.n), jnp.asarray(rows)

    def rate(z: jax.Array) -> jax.Array:
        near = {
            name: x[name].at[chosen].set(part.reshape(shape))
            for name, part in zip((place, speed), jnp.split(z, 2), strict=True)
        }
        change = chain.solve(0.0, near, loads(near)).rate
        return jnp.concatenate([change[place][chosen].ravel(), change[speed][chosen].ravel()])

    start = at[chosen].ravel()
    A: jax.Array = jax.jacfwd(rate)(jnp.concatenate([start, jnp.zeros_like(start)]))
    return A


def modes_about(
    chain: LumpedChain, loads: Callable[[Any], ChainLoads], x: Any, rows: tuple[int, ...] | None = None
) -> Modes:
    """Return the modes about a state at rest, slowest first; `rows` selects coordinates, for example of one plane."""
    every = tuple(range(next(iter(x.values())).shape[0]))
    return modes(_matrix(chain, loads, x, every if rows is None else rows))

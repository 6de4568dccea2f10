"""Solution for the forces along a chain in one sweep down and one up; the cost is proportional to the links.

Both solvers are Gaussian elimination without pivoting, which is safe for the matrices of chains: positive definite
matrices, and quasi-definite blocks (one positive, two negative directions each) whose elimination keeps their
signature. They are a `lax.scan`, which XLA compiles into the loop of the simulation. On one core this is faster than
cyclic reduction, an unrolled sweep and the tridiagonal routine of the library (`bench/bench_chain.py`). On a GPU every
round of a loop is a separate launch, so the sweep is unrolled there: three to four times faster for a batch of hoses
(`bench/gpu_campaign.py`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from dovetail.mechanics.chain.base import next_column

UNROLLED_ROUNDS = 64  # rounds of a sweep compiled as one piece, except on a CPU


def solve_tridiagonal(
    diagonal: Float[Array, " n"], coupling: Float[Array, " n"], rhs: Float[Array, " n"]
) -> Float[Array, " n"]:
    """Return the solution of a symmetric tridiagonal system.

    Parameters
    ----------
    diagonal : (n,)
    coupling : (n,)
        Entry k couples unknowns k - 1 and k; entry 0 must be zero.
    rhs : (n,)
    """
    solution: jax.Array = lax.platform_dependent(
        diagonal, coupling, rhs, cpu=_sweep, default=partial(_sweep, unroll=UNROLLED_ROUNDS)
    )
    return solution


Pair = tuple[jax.Array, jax.Array]


def _sweep(diagonal: jax.Array, coupling: jax.Array, rhs: jax.Array, unroll: int = 1) -> jax.Array:
    """Return the result of a sweep down and up the chain; `unroll` rounds are compiled as one piece."""

    def down(carry: Pair, row: tuple[jax.Array, jax.Array, jax.Array, jax.Array]) -> tuple[Pair, Pair]:
        c, y = carry
        d, e, e_next, b = row
        w = 1 / (d - e * c)
        carry = e_next * w, (b - e * y) * w
        return carry, carry

    def up(x: jax.Array, row: Pair) -> Pair:
        c, y = row
        x = y - c * x
        return x, x

    zero = jnp.zeros((), rhs.dtype)
    rows = (diagonal, coupling, next_column(coupling), rhs)
    _, (c, y) = lax.scan(down, (zero, zero), rows, unroll=unroll)
    return lax.scan(up, zero, (c, y), reverse=True, unroll=unroll)[1]


def solve_blocks(
    scalar: Float[Array, " n"],
    axial: Float[Array, " n"],
    direction: Float[Array, "3 n"],
    coupling: Float[Array, " n"],
    rhs: Float[Array, "3 n"],
) -> Float[Array, "3 n"]:
    """Return the solution of a block tridiagonal system with blocks of three.

    .. math:: (a_k I + b_k n_k n_k^T) s_k - c_k s_{k-1} - c_{k+1} s_{k+1} = r_k

    Parameters
    ----------
    scalar, axial : (n,)
        a and b.
    direction : (3, n)
        Unit vectors n.
    coupling : (n,)
        c; entry 0 is zero.
    rhs : (3, n)

    Returns
    -------
    (3, n)
    """

    def down(carry: Any, row: Any) -> tuple[Any, Any]:
        (i00, i01, i02, i11, i12, i22), (y0, y1, y2) = carry
        a, b, (n0, n1, n2), c, (r0, r1, r2) = row
        c2 = c * c
        a00, a01, a02 = a + b * n0 * n0 - c2 * i00, b * n0 * n1 - c2 * i01, b * n0 * n2 - c2 * i02
        a11, a12, a22 = a + b * n1 * n1 - c2 * i11, b * n1 * n2 - c2 * i12, a + b * n2 * n2 - c2 * i22
        c00, c01, c02 = a11 * a22 - a12 * a12, a02 * a12 - a01 * a22, a01 * a12 - a02 * a11
        c11, c12, c22 = a00 * a22 - a02 * a02, a01 * a02 - a00 * a12, a00 * a11 - a01 * a01
        w = 1 / (a00 * c00 + a01 * c01 + a02 * c02)
        inverse = (c00 * w, c01 * w, c02 * w, c11 * w, c12 * w, c22 * w)
        carry = inverse, _times(inverse, (r0 + c * y0, r1 + c * y1, r2 + c * y2))
        return carry, carry

    def up(s: Any, row: Any) -> tuple[Any, Any]:
        inverse, (y0, y1, y2), c = row
        p0, p1, p2 = _times(inverse, tuple(c * v for v in s))
        s = y0 + p0, y1 + p1, y2 + p2
        return s, s

    zero = jnp.zeros((), rhs.dtype)
    rows = scalar, axial, tuple(direction), coupling, tuple(rhs)
    _, (inverse, y) = lax.scan(down, ((zero,) * 6, (zero,) * 3), rows)
    return jnp.stack(lax.scan(up, (zero,) * 3, (inverse, y, next_column(coupling)), reverse=True)[1])


def _times(
    inverse: tuple[jax.Array, ...], r: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return a symmetric 3 x 3 matrix, six entries, times a vector."""
    i00, i01, i02, i11, i12, i22 = inverse
    return (
        i00 * r[0] + i01 * r[1] + i02 * r[2],
        i01 * r[0] + i11 * r[1] + i12 * r[2],
        i02 * r[0] + i12 * r[1] + i22 * r[2],
    )

r"""Batch of link chains: the variants of a sweep in the lanes of the vector units.

The equations are those of `LinkChain` with point masses. Arrays have the links first and the variants last, (n, 3, k),
so every operation runs over variants that are adjacent in memory, and only the two sweeps of the tension solution go
from link to link. A `vmap` of a single chain puts the variants first: its sweeps then read one cache line for each
variant, and the batch is slower than the chains in sequence (`bench/bench_chain.py`).

Only what cannot be recomputed is stored between the sweeps: with direction u, inverse masses and the coupling
:math:`e_k = -m_{k-1}^{-1} u_k\cdot u_{k-1}`,

.. math::

    w_k = (m_k^{-1} + m_{k-1}^{-1} - e_k^2 w_{k-1})^{-1}, \quad y_k = r_k - e_k w_{k-1} y_{k-1}, \quad
    t_k = w_k (y_k - e_{k+1} t_{k+1})

and the accelerations follow in the second sweep, :math:`\ddot p_k = f_k + m_k^{-1}(t_{k+1}u_{k+1} - t_k u_k)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from dovetail.core import Flow
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain.links import LinkChain

LANES = 128  # variants at once: rows of a kilobyte, so that the rows of a link stay in the first cache


class LinkChainBatch(Flow):
    """Variants of a chain of inextensible links; the input is a uniform field and a force on each tip.

    The state has `position` and `velocity` of the nodes 1 to n of each of k variants, (n, 3, k). Build it with
    `from_chains`.
    """

    n: int = eqx.field(static=True)
    link: jax.Array  # [m] length of a link, (k,)
    inverse: jax.Array  # [1/kg] of the nodes, (n, k)
    drift_rate: jax.Array  # [1/s] (k,)
    bending: jax.Array | None = None  # [N m^2] (k,)
    friction: jax.Array | None = None  # [N m s] of a joint, (k,)
    mass_damping: jax.Array | None = None  # [1/s] (k,)

    @classmethod
    def from_chains(cls, chains: Sequence[LinkChain] | LinkChain) -> LinkChainBatch:
        """Return a batch of similar chains, or of one chain with parameter arrays (k,); best in a compiled function.

        Raises
        ------
        ParameterError
            For distributed mass (`rod`), a prescribed tip, or a last link of another length.
        """
        if isinstance(chains, LinkChain):
            joined = chains
        else:
            joined = jax.tree.map(lambda *leaves: jnp.stack([jnp.asarray(a, float) for a in leaves]), *chains)
        if joined.distribution == "rod" or joined.tip == "prescribed" or joined.last_link is not None:
            raise ParameterError(
                "LinkChainBatch: requires chains of equal links with point masses and a free tip; got "
                f"distribution {joined.distribution}, tip {joined.tip}; use jax.vmap for other chains"
            )

        def one(chain: LinkChain) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array | None]:
            l = chain.lengths()[0]
            return l[0], 1 / chain.masses(l)[1], chain.drift_rate, chain._friction(l)

        leaves = jnp.broadcast_arrays(*(jnp.asarray(a, float) for a in jax.tree.leaves(joined)))
        joined = jax.tree.unflatten(jax.tree.structure(joined), leaves)
        link, inverse, drift, friction = jax.vmap(one, out_axes=-1)(joined)
        return cls(joined.n, link, inverse, drift, joined.bending, friction, joined.mass_damping)

    def straight(self, direction: Any) -> dict[str, jax.Array]:
        """Return all chains at rest along a unit vector (3,)."""
        reach = jnp.arange(1, self.n + 1)[:, None] * self.link
        position = jnp.asarray(direction)[:, None] * reach[:, None]
        return {"position": position, "velocity": jnp.zeros_like(position)}

    def init(self) -> dict[str, jax.Array]:
        return self.straight([0.0, 1.0, 0.0])

    def derivative(self, t: Any, x: Any, u: tuple[Any, Any]) -> dict[str, jax.Array]:
        """Return the rates; u is the field [m/s^2], (3,) or (3, k), and the force on the tips [N], (3, k) or zero."""
        return {"position": x["velocity"], "velocity": self.solve(x, *u)[0]}

    def output(self, t: Any, x: Any, u: tuple[Any, Any]) -> dict[str, jax.Array]:
        return {"displacement": x["position"][-1], "tension": self.solve(x, *u)[1]}

    def solve(
        self, x: Any, field: Any, tip_force: Any = 0.0
    ) -> tuple[Float[Array, "n 3 k"], Float[Array, "n k"]]:
        """Return accelerations of the nodes (n, 3, k) and tensions of the links (n, k)."""
        p, v = x["position"], x["velocity"]
        d, w = _columns(p - _above(p)), _columns(v - _above(v))
        square = _dot(d, d)
        scale = lax.rsqrt(square)
        n = jnp.stack([a * scale for a in d], axis=1)
        free = self._free(n, w, v, jnp.asarray(field, float), tip_force)
        a = self.drift_rate
        error = 0.5 * a**2 * (square - self.link**2)
        rhs = scale * (_dot(w, w) + 2 * a * _dot(d, w) + error) + _dot(
            _columns(free - _above(free)), _columns(n)
        )
        near = _above(self.inverse)
        diagonal = self.inverse + near

        def down(carry: Any, row: Any) -> tuple[Any, Any]:
            w, y = carry
            k, diagonal, near, rhs = row
            e = -near * _dot(_at(n, k), _at(n, k - 1))  # of the first link: its `near` is zero
            m = e * w
            w, y = 1 / (diagonal - m * e), rhs - m * y
            return (w, y), (w, y, e)

        def up(below: jax.Array, row: Any) -> tuple[jax.Array, Any]:
            k, w, y, free, inverse = row
            t = w * (y - _at(e, k + 1) * below)  # of the last link: nothing is below
            return t, (t, free + inverse * (below * _at(n, k + 1) - t * _at(n, k)))

        zero, index = jnp.zeros_like(self.link), jnp.arange(self.n)
        _, (w_, y, e) = lax.scan(down, (zero, zero), (index, diagonal, near, rhs))
        rows = (index, w_, y, free, self.inverse)
        _, (tension, acceleration) = lax.scan(up, zero, rows, reverse=True)
        return acceleration, tension

    def _free(
        self, n: jax.Array, w: tuple[jax.Array, ...], v: jax.Array, field: jax.Array, tip_force: Any
    ) -> jax.Array:
        """Return the accelerations without the tensions."""
        field = field[:, None] if field.ndim == 1 else field
        free = jnp.broadcast_to(field, v.shape)
        if self.mass_damping is not None:
            free = free - self.mass_damping * v
        h = None
        if self.bending is not None:
            c = _dot(_columns(n), _columns(_above(n)))
            r = lax.rsqrt(0.5 * (1 + c))
            first = (jnp.arange(self.n) == 0)[:, None]
            k = jnp.where(first, 0.0, self.bending / self.link * r * r * r)[:, None]
            h = k * _above(n) + _below(k * jnp.ones_like(n)) * _below(n)
        if self.friction is not None:
            along = _dot(_columns(n), w)[:, None]
            rate = (jnp.stack(w, axis=1) - n * along) / self.link
            first = (jnp.arange(self.n) == 0)[:, None, None]
            relative = jnp.where(first, 0.0, rate - _above(rate))
            drag = self.friction * (_below(relative) - relative)
            h = drag if h is None else h + drag
        if h is not None:
            f = (h - n * _dot(_columns(n), _columns(h))[:, None]) / self.link
            free = free + self.inverse[:, None] * (f - _below(f))
        if isinstance(tip_force, float) and tip_force == 0.0:
            return free
        last = (jnp.arange(self.n) == self.n - 1)[:, None, None]
        return free + jnp.where(last, self.inverse[-1] * tip_force, 0.0)


def _at(a: jax.Array, k: jax.Array) -> jax.Array:
    """Return row k, or the first or last row outside the range."""
    entry: jax.Array = lax.dynamic_index_in_dim(a, jnp.clip(k, 0, a.shape[0] - 1), 0, keepdims=False)
    return entry


def _above(a: Float[Array, "*k"]) -> Float[Array, "*k"]:
    """Return rows shifted by one: row k is a[k - 1], the first is zero."""
    return jnp.concatenate([jnp.zeros_like(a[:1]), a[:-1]])


def _below(a: Float[Array, "*k"]) -> Float[Array, "*k"]:
    """Return rows shifted by one: row k is a[k + 1], the last is zero."""
    return jnp.concatenate([a[1:], jnp.zeros_like(a[:1])])


def _columns(a: jax.Array) -> tuple[jax.Array, ...]:
    """Return the components of vectors (n, 3, k), each (n, k)."""
    return tuple(a[:, i] for i in range(3))


def _dot(a: Any, b: Any) -> jax.Array:
    product: jax.Array = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product

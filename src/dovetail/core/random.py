"""Random parts: every random number comes from an explicit key, and each part has its own key.

A stochastic part has a field `key`. A test assigns the keys of all parts from one seed:
`assign_keys(test, jax.random.key(7))`. The key of a part depends on the seed and on the path of the part in the
tree, so two parts never share noise, and adding a part does not change the noise of the others.
"""

from __future__ import annotations

import zlib
from typing import Any, TypeVar

import equinox as eqx
import jax

from dovetail.core.errors import ParameterError

T = TypeVar("T")


class Random(eqx.Module):
    """Base of parts that draw random numbers; `key` is None until `assign_keys`."""

    key: jax.Array | None = eqx.field(default=None, kw_only=True)

    def draw_key(self, number: int | jax.Array) -> jax.Array:
        """Return the key for draw `number` (an integer, may be traced)."""
        if self.key is None:
            name = type(self).__name__
            raise ParameterError(
                f"{name}.key: is empty; call assign_keys(part, jax.random.key(seed)) from dovetail.core.random, "
                "or run the part in a test"
            )
        return jax.random.fold_in(self.key, number)


def has_random(tree: Any) -> bool:
    """Return whether a tree contains a `Random` part."""
    return any(isinstance(n, Random) for n in jax.tree.leaves(tree, is_leaf=lambda n: isinstance(n, Random)))


def assign_keys(tree: T, key: jax.Array) -> T:
    """Return `tree` with a key in every `Random` part, derived from `key` and the path of the part."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(tree, is_leaf=lambda n: isinstance(n, Random))
    numbers: dict[int, str] = {}
    new = []
    for path, leaf in leaves:
        if isinstance(leaf, Random):
            name = jax.tree_util.keystr(path)
            number = zlib.crc32(name.encode())
            assert numbers.setdefault(number, name) == name, "two paths with the same checksum"
            leaf = _with_keys(leaf, jax.random.fold_in(key, number))
        new.append(leaf)
    drawn: T = jax.tree_util.tree_unflatten(structure, new)
    return drawn


def _with_keys(part: Random, key: jax.Array) -> Random:
    """Return `part` with `key`, and with derived keys in the random parts inside."""

    def is_key(node: Any) -> bool:
        return node is None or node is part.key

    part = eqx.tree_at(lambda p: p.key, part, key, is_leaf=is_key)
    children, structure = jax.tree_util.tree_flatten(
        part, is_leaf=lambda n: isinstance(n, Random) and n is not part
    )
    if not any(isinstance(c, Random) for c in children):
        return part
    inner = [
        _with_keys(c, jax.random.fold_in(key, i + 1)) if isinstance(c, Random) else c
        for i, c in enumerate(children)
    ]
    drawn: Random = jax.tree_util.tree_unflatten(structure, inner)
    return drawn

"""Random parts: every number comes from an explicit key, and each part has a key of its own.

A stochastic part has a field `key`. A test sets the keys of all its parts from one seed:
`seeded(test, jax.random.key(7))`. The key of a part is made from the seed and from the part's place in the
tree, so two parts never share their noise, and adding a part does not change the noise of the others.
"""

from __future__ import annotations

import zlib
from typing import Any, TypeVar

import equinox as eqx
import jax

from dovetail.core.errors import ParameterError

T = TypeVar("T")


class Random(eqx.Module):
    """Marks a part that draws random numbers; `key` is empty until `seeded`."""

    key: jax.Array | None = eqx.field(default=None, kw_only=True)

    def drawn(self, number) -> jax.Array:
        """The part's key for draw `number` (an integer, may be traced)."""
        if self.key is None:
            name = type(self).__name__
            raise ParameterError(
                f"{name}.key: is empty, so {name} has no random numbers; "
                f"use seeded(part, jax.random.key(seed)) from dovetail.core.random, or run it in a test"
            )
        return jax.random.fold_in(self.key, number)


def has_random(tree: Any) -> bool:
    """Whether a `Random` part is in it, at any depth."""
    return any(isinstance(n, Random) for n in jax.tree.leaves(tree, is_leaf=lambda n: isinstance(n, Random)))


def seeded(tree: T, key: jax.Array) -> T:
    """`tree` with a key of its own in every `Random` part, at any depth, made from `key` and its place."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(tree, is_leaf=lambda n: isinstance(n, Random))
    numbers: dict[int, str] = {}
    new = []
    for path, leaf in leaves:
        if isinstance(leaf, Random):
            place = jax.tree_util.keystr(path)
            number = zlib.crc32(place.encode())
            assert numbers.setdefault(number, place) == place, "two places with one checksum"
            leaf = _keyed(leaf, jax.random.fold_in(key, number))
        new.append(leaf)
    return jax.tree_util.tree_unflatten(structure, new)


def _keyed(part: Random, key: jax.Array) -> Random:
    """`part` with `key`, and with keys made from it in the random parts it contains."""

    def is_key(node) -> bool:
        return node is None or node is part.key

    part = eqx.tree_at(lambda p: p.key, part, key, is_leaf=is_key)
    children, structure = jax.tree_util.tree_flatten(
        part, is_leaf=lambda n: isinstance(n, Random) and n is not part
    )
    if not any(isinstance(c, Random) for c in children):
        return part
    inner = [
        _keyed(c, jax.random.fold_in(key, i + 1)) if isinstance(c, Random) else c
        for i, c in enumerate(children)
    ]
    return jax.tree_util.tree_unflatten(structure, inner)

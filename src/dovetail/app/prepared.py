"""What a computation makes of a test before it starts, made again for other values by the shortest way.

Checking, sizing and seeding a test takes longer than to run it. Most values pass through that as they are: another
stiffness is another number at one place of what was made. Which values those are is found by trying: each is changed a
little, alone and with all the others, and the two results are compared. A value that anything else follows from is not
one of them, and for it everything is made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.testing.paths import declared_at, get

STEP = 1e-3  # share by which a value is changed for a try


class Prepared:
    """What `make` makes of a test, for other values at some paths."""

    def __init__(self, test: Any, paths: Sequence[str], make: Callable[[Any], Any]):
        self.test, self.make = test, make
        self.leaves, self.form = jax.tree.flatten(make(test))
        moved = {path: _moved(test, path) for path in paths}
        self.places = {path: self._straight({path: value}) for path, value in moved.items()}
        if None not in self.places.values() and not self._same(moved):
            self.places = dict.fromkeys(paths)

    def of(self, values: Mapping[str, float]) -> Any:
        """What is made of the test with these values."""
        if any(self.places.get(path) is None for path in values):
            return self.make(self.test.with_values(**values))
        leaves = list(self.leaves)
        for path, value in values.items():
            for i in self.places[path] or ():
                leaves[i] = jnp.asarray(np.broadcast_to(np.asarray(value, float), np.shape(leaves[i])))
        return jax.tree.unflatten(self.form, leaves)

    def _straight(self, moved: dict[str, float]) -> list[int] | None:
        """Places at which a value stands as it is, and nothing else changes with it; None where more does."""
        ((path, value),) = moved.items()
        leaves = self._made(moved)
        if leaves is None:
            return None
        before = np.ravel(get(self.test, path))[0]
        changed = [
            i for i, (old, new) in enumerate(zip(self.leaves, leaves, strict=True)) if _differ(old, new)
        ]
        plain = all(np.all(self.leaves[i] == before) and np.all(leaves[i] == value) for i in changed)
        return changed if plain else None

    def _same(self, moved: dict[str, float]) -> bool:
        """Whether all values together make what they make one by one."""
        leaves = self._made(moved)
        ours = jax.tree.leaves(self.of(moved))
        return leaves is not None and not any(_differ(a, b) for a, b in zip(ours, leaves, strict=True))

    def _made(self, moved: dict[str, float]) -> list[Any] | None:
        """What is made of other values, number by number; None where it has another form."""
        try:
            leaves, form = jax.tree.flatten(self.make(self.test.with_values(**moved)))
            same: Any = self.form
            return leaves if same == form else None
        except Exception:  # values that do not go together, or parts that cannot be compared
            return None


def _moved(test: Any, path: str) -> float:
    """Another value near that of a test, in its range."""
    value = float(np.ravel(get(test, path))[0])
    about = declared_at(test, path)
    for other in (value * (1 + STEP), value * (1 - STEP), value + STEP, value - STEP):
        if other != value and (about is None or about.fault(other) is None):
            return other
    return value


def _differ(old: Any, new: Any) -> bool:
    if hasattr(old, "dtype") and jax.dtypes.issubdtype(old.dtype, jax.dtypes.prng_key):
        old, new = jax.random.key_data(old), jax.random.key_data(new)
    return not np.array_equal(np.asarray(old), np.asarray(new), equal_nan=np.asarray(old).dtype.kind == "f")

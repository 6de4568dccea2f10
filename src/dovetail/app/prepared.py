"""Prepared form of a test for a computation, updated quickly for other values.

Validating, sizing and seeding a test takes longer than running it. Most values enter the prepared form unchanged:
another stiffness is another number in one array. These values are found by trial: each one is changed slightly, alone
and together with all others, and the results are compared. If anything else depends on a value, the form is prepared
again from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.testing.paths import declared_at, get

STEP = 1e-3  # relative change of a value for the trial


class Prepared:
    """Result of `make(test)`, for other values at some paths."""

    def __init__(self, test: Any, paths: Sequence[str], make: Callable[[Any], Any]):
        self.test, self.make = test, make
        self.leaves, self.form = jax.tree.flatten(make(test))
        nearby = {path: _nearby_value(test, path) for path in paths}
        self.indices = {path: self._array_indices({path: value}) for path, value in nearby.items()}
        if None not in self.indices.values() and not self._independent(nearby):
            self.indices = dict.fromkeys(paths)

    def with_values(self, values: Mapping[str, float]) -> Any:
        """Return the prepared form of the test with these values."""
        if any(self.indices.get(path) is None for path in values):
            return self.make(self.test.with_values(**values))
        leaves = list(self.leaves)
        for path, value in values.items():
            for i in self.indices[path] or ():
                leaves[i] = jnp.asarray(np.broadcast_to(np.asarray(value, float), np.shape(leaves[i])))
        return jax.tree.unflatten(self.form, leaves)

    def _array_indices(self, nearby: dict[str, float]) -> list[int] | None:
        """Return the indices of arrays that contain the value unchanged; None if anything else depends on it."""
        ((path, value),) = nearby.items()
        leaves = self._prepared_arrays(nearby)
        if leaves is None:
            return None
        before = np.ravel(get(self.test, path))[0]
        changed = [
            i for i, (old, new) in enumerate(zip(self.leaves, leaves, strict=True)) if _differ(old, new)
        ]
        plain = all(np.all(self.leaves[i] == before) and np.all(leaves[i] == value) for i in changed)
        return changed if plain else None

    def _independent(self, nearby: dict[str, float]) -> bool:
        """Return whether changing all values together equals changing them one by one."""
        leaves = self._prepared_arrays(nearby)
        ours = jax.tree.leaves(self.with_values(nearby))
        return leaves is not None and not any(_differ(a, b) for a, b in zip(ours, leaves, strict=True))

    def _prepared_arrays(self, nearby: dict[str, float]) -> list[Any] | None:
        """Return the arrays of the prepared form for other values; None if its structure differs."""
        try:
            leaves, form = jax.tree.flatten(self.make(self.test.with_values(**nearby)))
            same: Any = self.form
            return leaves if same == form else None
        except Exception:  # inconsistent values, or parts that cannot be compared
            return None


def _nearby_value(test: Any, path: str) -> float:
    """Return a value near the present one, within its declared range."""
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

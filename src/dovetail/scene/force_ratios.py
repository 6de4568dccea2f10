"""How large a force is beside what people compare it with: the weight that it carries, or the limit of the test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.testing.runnable import Runnable

Share = Callable[[int], str] | None  # from the number of a sample to words


def of_weight(force: np.ndarray, weight: float, whose: str = "weight") -> Share:
    """Of forces (time, ...) [N], in weights [N]; None where nothing weighs anything."""
    if not weight > 0:
        return None
    sizes = np.linalg.norm(force.reshape(len(force), -1), axis=1) / weight
    return lambda k: f"{sizes[k]:.2g} × {whose}"


def of_limit(test: Any, force: np.ndarray, first: int = 0) -> Share:
    """Of forces (time, axes) [N], from axis `first` on: the largest share of an axis' own limit; None without one."""
    if not isinstance(test, Runnable):
        return None
    force = force.reshape(len(force), -1)
    bound = np.asarray(test.limits.bound("force", test.turning), float)
    bound = bound[first : first + force.shape[1]] if bound.ndim else bound
    if not np.any(np.isfinite(bound)):
        return None
    used = np.max(np.abs(force) / bound, axis=1)
    return lambda k: f"{100 * used[k]:.2g} % of its limit"

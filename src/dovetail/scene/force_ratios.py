"""Force ratios for labels: multiples of a weight, or % of the force limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.core.si_prefix import FRACTION, value_text
from dovetail.testing.test import Test

Ratio = Callable[[int], str] | None  # sample index to text


def weight_ratio(force: np.ndarray, weight: float, name: str = "weight") -> Ratio:
    """Return forces (time, ...) [N] as multiples of a weight [N]; None for zero weight."""
    if not weight > 0:
        return None
    sizes = np.linalg.norm(force.reshape(len(force), -1), axis=1) / weight
    return lambda k: f"{value_text(sizes[k], '1')} × {name}"


def limit_ratio(test: Any, force: np.ndarray, first: int = 0) -> Ratio:
    """Return forces (time, axes) [N], from axis `first` on, in % of the limit (largest axis); None without limit."""
    if not isinstance(test, Test):
        return None
    force = force.reshape(len(force), -1)
    bound = np.asarray(test.limits.limit_of("force", test.rotary_axes), float)
    bound = bound[first : first + force.shape[1]] if bound.ndim else bound
    if not np.any(np.isfinite(bound)):
        return None
    used = np.max(np.abs(force) / bound, axis=1)
    return lambda k: f"{value_text(used[k], FRACTION)} of the limit"

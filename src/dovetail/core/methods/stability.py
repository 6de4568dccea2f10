"""Stability limit of the step of a method for given eigenvalues.

In a step a method multiplies the motion of an eigenvalue lambda by `method.amplification(h * lambda)`. The limit is
the smallest step above which this factor exceeds one for an eigenvalue.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dovetail.core.block import Method
from dovetail.core.errors import StepSizeError

GROWTH = 1e-9  # growth per step that still counts as stable: 1 % in 1e7 steps
_FARTHEST = 50.0  # |h lambda| above which every explicit method here is unstable in every direction
_GRID = np.linspace(0.0, _FARTHEST, 5001)[1:]


def stability_limit(method: Method, eigenvalues: Any) -> float:
    """Return the largest step [s] at which a method is stable for eigenvalues [rad/s].

    Eigenvalues in the right half plane are ignored, because their motion grows at any step. The result is infinite
    if no step is too large (implicit methods).

    >>> from dovetail.core.methods import RK4
    >>> round(stability_limit(RK4(), [-100.0]), 5)
    0.02785
    """
    return min((_limit(method, value) for value in _decaying(eigenvalues)), default=math.inf)


def check_step(method: Method, eigenvalues: Any, dt: float) -> None:
    """Raise `StepSizeError` if a step `dt` [s] exceeds the stability limit for eigenvalues [rad/s]."""
    values = _decaying(eigenvalues)
    if not values or not any(_grows_within(method, value, dt) for value in values):
        return
    limits = {value: _limit(method, value) for value in values}
    value, limit = min(limits.items(), key=lambda item: item[1])
    if dt <= limit:
        return
    if limit > 0:
        substeps = math.ceil(dt / limit)
        cure = f"take a step below that, {substeps} substeps or more"
    else:
        cure = "take RK4"
    raise StepSizeError(
        f"{type(method).__name__}: a step of {dt:.4g} s is unstable for the eigenvalue {_show(value)} rad/s; "
        f"it must be at most {limit:.4g} s. Do: {cure}, or an implicit method such as BDF2."
    )


def _decaying(eigenvalues: Any) -> list[complex]:
    """Return the nonzero eigenvalues of the left half plane and the imaginary axis, corrected for rounding."""
    values = np.atleast_1d(np.asarray(eigenvalues, dtype=complex)).ravel()
    size = np.abs(values)
    kept = values[(size > 0) & (values.real <= 1e-9 * size)]
    return [complex(min(v.real, 0.0), v.imag) for v in kept]


def _grows(method: Method, direction: complex, s: Any) -> Any:
    """Return whether the motion grows in a step of |h lambda| = s in the direction of an eigenvalue."""
    return method.amplification(np.asarray(s * direction)) > 1 + GROWTH


def _grows_within(method: Method, eigenvalue: complex, dt: float) -> bool:
    """Return whether the motion grows at any step up to `dt` [s]; faster than computing the limit."""
    size = abs(eigenvalue)
    upto = np.append(_GRID[size * dt > _GRID], size * dt)
    return bool(np.any(_grows(method, eigenvalue / size, upto)))


def _limit(method: Method, eigenvalue: complex) -> float:
    """Return the largest stable step [s]: the first stability boundary in the direction of one eigenvalue."""
    size = abs(eigenvalue)
    direction = eigenvalue / size

    def grows(s: np.ndarray) -> np.ndarray:
        return np.asarray(_grows(method, direction, s))

    beyond = np.flatnonzero(grows(_GRID))
    if beyond.size == 0:
        return math.inf
    high = _GRID[beyond[0]]
    low = _GRID[beyond[0] - 1] if beyond[0] else 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if grows(middle) else (middle, high)
    return low / size


def _show(value: complex) -> str:
    return f"{value.real:.4g}" if value.imag == 0 else f"{value.real:.4g}{value.imag:+.4g}j"

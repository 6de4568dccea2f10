"""Stability maps: limit of one delay for each value of another, and critical delay over a plane.

A limit is infinite if no delay searched destabilises the test, and zero if the test is unstable without that delay.
Values are not interpolated between points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dovetail.stability.crossing import first_crossing
from dovetail.stability.delay_equation import DelayEquation
from dovetail.stability.margin import rational_delay_margin
from dovetail.stability.switching import critical_delay


@dataclass(frozen=True)
class DelayLimit:
    """Largest stable first delay for each second delay."""

    second: np.ndarray  # [s] values of the second delay
    first: np.ndarray  # [s] limit; inf: none up to `searched`, 0: unstable without first delay
    omega: np.ndarray  # [rad/s] at the limit, NaN without limit
    searched: float  # [s] largest first delay searched

    def __str__(self) -> str:
        lines = ["second delay [ms]   limit of the first [ms]"]
        for second, first in zip(self.second, self.first, strict=True):
            text = f"{first * 1e3:.3f}"
            if np.isinf(first):
                text = f"none up to {self.searched * 1e3:g}"
            elif first == 0:
                text = "unstable"
            lines.append(f"{second * 1e3:17.3f}   {text}")
        return "\n".join(lines)


def unequal_delays(
    equation: Callable[[float, float], DelayEquation], second: ArrayLike, *, up_to: float
) -> DelayLimit:
    """Return the limit of the first of two delays for each value of the second.

    Parameters
    ----------
    equation
        Delay equation as a function of the two delays [s].
    second
        Values of the second delay [s].
    up_to
        Largest first delay searched [s].
    """
    second = np.atleast_1d(np.asarray(second, dtype=float))
    first, omega = np.full(second.shape, np.inf), np.full(second.shape, np.nan)
    for i, tau2 in enumerate(second):
        if not equation(0.0, float(tau2)).stable():
            first[i] = 0.0
            continue
        crossing = first_crossing(lambda tau1: equation(tau1, float(tau2)), 0.0, up_to)  # noqa: B023
        if crossing is not None:
            first[i], omega[i] = crossing.parameter, crossing.omega
    return DelayLimit(second, first, omega, up_to)


def stability_grid(
    equation: Callable[[float, float], DelayEquation], first: ArrayLike, second: ArrayLike
) -> np.ndarray:
    """Return the largest real part [1/s] of all non-neutral roots on a grid of parameters, shape (first, second)."""
    first, second = np.atleast_1d(first), np.atleast_1d(second)
    return np.array([[equation(float(p), float(q)).growth() for q in second] for p in first])


def critical_delay_map(
    equation: Callable[[float, float], DelayEquation], first: ArrayLike, second: ArrayLike
) -> np.ndarray:
    """Return the critical common delay [s] on a grid of two parameters, for any linear system.

    For one interface and one delay `loop_delay_map` is about a thousand times faster.
    """
    first, second = np.atleast_1d(first), np.atleast_1d(second)
    return np.array([[critical_delay(equation(float(p), float(q))) for q in second] for p in first])


def loop_delay_map(
    numerator: Callable[..., Sequence],
    denominator: Callable[..., Sequence],
    *parameters: ArrayLike,
) -> np.ndarray:
    """Return the critical delay [s] of a loop L0(s) = b(s)/a(s), for all points at once.

    Parameters
    ----------
    numerator, denominator
        Functions of the parameters that return the list of coefficients, highest power first; entries are numbers or
        arrays of the shape of the parameters.
    *parameters
        Arrays that broadcast against each other.

    Examples
    --------
    >>> tau = loop_delay_map(lambda c, k_s: [k_s], lambda c, k_s: [2.2, c, 2250.0], 15.0, 2250.0)
    >>> round(float(tau), 7)
    0.0067695
    """
    grids = np.broadcast_arrays(*(np.asarray(p, dtype=float) for p in parameters))
    b, a = (_stack_coefficients(f(*grids), grids[0].shape) for f in (numerator, denominator))
    return rational_delay_margin(b, a).delay


def _stack_coefficients(coefficients: Sequence, shape: tuple[int, ...]) -> np.ndarray:
    columns = [np.broadcast_to(np.asarray(c, dtype=float), shape) for c in coefficients]
    return np.stack(columns, axis=-1)

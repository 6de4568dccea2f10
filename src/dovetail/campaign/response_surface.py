r"""A response surface: a measure as a polynomial of the axes, with an error that was not fitted.

Axes are scaled to [-1, 1] over the points. The error is that of leaving one point out, from the hat matrix:
:math:`e_i / (1 - h_{ii})`, so it costs nothing beyond the fit.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dovetail.core.errors import AnalysisError, UnknownNameError


@dataclass(frozen=True)
class Surface:
    """A polynomial in some axes. `r2` is the share of the variance that predictions of left-out points explain."""

    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    powers: np.ndarray  # (terms, axes)
    coefficients: np.ndarray  # (terms,)
    error: float  # rms of leaving one out, in the unit of the measure
    r2: float

    def __call__(self, **values: float | np.ndarray) -> np.ndarray:
        """The measure at given values of all axes."""
        for name in values:
            if name not in self.names:
                raise UnknownNameError("axis of the surface", name, self.names)
        x = np.stack(np.broadcast_arrays(*(np.asarray(values[name], float) for name in self.names)), axis=-1)
        return _terms(self._scaled(x), self.powers) @ self.coefficients

    def _scaled(self, x: np.ndarray) -> np.ndarray:
        return 2 * (x - self.low) / (self.high - self.low) - 1

    def __str__(self) -> str:
        strong = np.argsort(-np.abs(self.coefficients))[:5]
        told = ", ".join(f"{self._term(i)} {self.coefficients[i]:+.3g}" for i in strong)
        return f"{told}; left-out points within {self.error:.3g} rms, r2 {self.r2:.4f}"

    def _term(self, i: int) -> str:
        parts = [f"{n}^{p}" if p > 1 else n for n, p in zip(self.names, self.powers[i], strict=True) if p]
        return " ".join(parts) or "constant"


def fit_surface(
    table: Mapping[str, np.ndarray], measure: str, axes: Sequence[str], degree: int = 2
) -> Surface:
    """The polynomial of all terms up to `degree` through the points that have a value."""
    y = np.asarray(table[measure], float)
    x = np.stack([np.asarray(table[name], float) for name in axes], axis=1)
    good = np.isfinite(y)
    x, y = x[good], y[good]
    powers = np.array([p for p in itertools.product(range(degree + 1), repeat=len(axes)) if sum(p) <= degree])
    if len(y) <= len(powers):
        raise AnalysisError(f"{len(y)} points for {len(powers)} terms; compute more, or lower the degree")
    low, high = x.min(axis=0), x.max(axis=0)
    flat = [name for name, a, b in zip(axes, low, high, strict=True) if not b > a]
    if flat:
        raise AnalysisError(f"{', '.join(flat)}: does not vary, so it has no part in a surface")
    terms = _terms(2 * (x - low) / (high - low) - 1, powers)
    q, r = np.linalg.qr(terms)
    if np.abs(np.diag(r)).min() < 1e-10 * np.abs(np.diag(r)).max():
        raise AnalysisError(
            "the points do not tell the terms apart; vary the axes by more values, or lower the degree"
        )
    coefficients = np.linalg.solve(r, q.T @ y)
    left_out = (y - terms @ coefficients) / (1 - np.sum(q**2, axis=1))
    error = float(np.sqrt(np.mean(left_out**2)))
    spread = float(np.mean((y - y.mean()) ** 2))
    r2 = 1 - error**2 / spread if spread > 0 else 1.0
    return Surface(tuple(axes), low, high, powers, coefficients, error, r2)


def _terms(x: np.ndarray, powers: np.ndarray) -> np.ndarray:
    return np.prod(x[..., None, :] ** powers, axis=-1)

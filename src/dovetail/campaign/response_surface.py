r"""Response surface: a measure as a polynomial of the parameters, with a leave-one-out error.

Parameters are scaled to [-1, 1] over the points. The leave-one-out error follows from the hat matrix,
:math:`e_i / (1 - h_{ii})`, without further fits.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dovetail.core.errors import AnalysisError, UnknownNameError


@dataclass(frozen=True)
class Surface:
    """Polynomial in several parameters; `r2` is the fraction of the variance explained at left-out points."""

    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    powers: np.ndarray  # (terms, parameters)
    coefficients: np.ndarray  # (terms,)
    error: float  # leave-one-out rms error, in the unit of the measure
    r2: float

    def __call__(self, **values: float | np.ndarray) -> np.ndarray:
        """Return the measure at values of all parameters."""
        for name in values:
            if name not in self.names:
                raise UnknownNameError("parameter of the surface", name, self.names)
        x = np.stack(np.broadcast_arrays(*(np.asarray(values[name], float) for name in self.names)), axis=-1)
        return _terms(self._scale(x), self.powers) @ self.coefficients

    def _scale(self, x: np.ndarray) -> np.ndarray:
        return 2 * (x - self.low) / (self.high - self.low) - 1

    def __str__(self) -> str:
        strongest = np.argsort(-np.abs(self.coefficients))[:5]
        text = ", ".join(f"{self._term(i)} {self.coefficients[i]:+.3g}" for i in strongest)
        return f"{text}; leave-one-out error {self.error:.3g} rms, r2 {self.r2:.4f}"

    def _term(self, i: int) -> str:
        parts = [f"{n}^{p}" if p > 1 else n for n, p in zip(self.names, self.powers[i], strict=True) if p]
        return " ".join(parts) or "constant"


def fit_surface(
    table: Mapping[str, np.ndarray], measure: str, names: Sequence[str], degree: int = 2
) -> Surface:
    """Fit the polynomial with all terms up to `degree` to the points that have a value."""
    y = np.asarray(table[measure], float)
    x = np.stack([np.asarray(table[name], float) for name in names], axis=1)
    good = np.isfinite(y)
    x, y = x[good], y[good]
    powers = np.array(
        [p for p in itertools.product(range(degree + 1), repeat=len(names)) if sum(p) <= degree]
    )
    if len(y) <= len(powers):
        raise AnalysisError(f"{len(y)} points for {len(powers)} terms; compute more, or lower the degree")
    low, high = x.min(axis=0), x.max(axis=0)
    constant = [name for name, a, b in zip(names, low, high, strict=True) if not b > a]
    if constant:
        raise AnalysisError(f"{', '.join(constant)}: is constant; a surface needs varied parameters")
    terms = _terms(2 * (x - low) / (high - low) - 1, powers)
    q, r = np.linalg.qr(terms)
    if np.abs(np.diag(r)).min() < 1e-10 * np.abs(np.diag(r)).max():
        raise AnalysisError(
            "the points do not determine all terms; vary the parameters over more values, or lower the degree"
        )
    coefficients = np.linalg.solve(r, q.T @ y)
    left_out = (y - terms @ coefficients) / (1 - np.sum(q**2, axis=1))
    error = float(np.sqrt(np.mean(left_out**2)))
    spread = float(np.mean((y - y.mean()) ** 2))
    r2 = 1 - error**2 / spread if spread > 0 else 1.0
    return Surface(tuple(names), low, high, powers, coefficients, error, r2)


def _terms(x: np.ndarray, powers: np.ndarray) -> np.ndarray:
    return np.prod(x[..., None, :] ** powers, axis=-1)

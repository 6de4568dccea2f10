r"""Step response without a model order: frequency-sampling filter of Wang and Cluett.

A response that has settled after N samples is a sum of N filters,

.. math:: G(z) = \sum_l G(e^{i\omega_l}) H_l(z), \quad
          H_l(z) = \frac{1}{N}\frac{1 - z^{-N}}{1 - e^{i\omega_l} z^{-1}}, \quad \omega_l = 2\pi l/N,

weighted with the frequency response at their centre frequencies. The response of a smooth system is negligible at high
frequencies, so a few low pairs are sufficient: a linear regression with few unknowns instead of the N unknowns of the
impulse response. The number of pairs is chosen by the prediction sum of squares (each sample is predicted by a fit
without it) [Wang & Cluett 2000].
"""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError


@dataclasses.dataclass(frozen=True)
class StepEstimate:
    """Step response identified from a record, with its uncertainty."""

    time: np.ndarray  # [s] after the step
    response: np.ndarray
    error: np.ndarray  # standard error at each time, for independent noise
    frequency: np.ndarray  # [Hz] centre frequencies of the filters, from 0
    centres: np.ndarray  # complex response at the centre frequencies
    residual: np.ndarray  # residual of the regression


def sampled_step_response(
    demand: np.ndarray,
    measured: np.ndarray,
    dt: float,
    *,
    settling: float,
    pairs: int | None = None,
    max_pairs: int = 40,
) -> StepEstimate:
    """Return the step response over the settling time `settling` [s], from a record with sufficient excitation.

    Parameters
    ----------
    demand, measured
        Samples every `dt` [s] of one axis. They need not start from rest: the first `settling` is used as history
        only.
    pairs : int, optional
        Number of pairs of filters in addition to the filter at zero frequency (default: the number up to `max_pairs`
        that predicts best).
    """
    u, y = np.asarray(demand, float), np.asarray(measured, float)
    n = round(settling / dt)
    max_pairs = max_pairs if pairs is None else pairs
    if u.ndim != 1 or u.shape != y.shape or n < 4 or len(u) < n + 5 * (2 * max_pairs + 1):
        raise ParameterError(
            f"got demand {u.shape}, measured {y.shape}, settling {settling:g} s; expected one axis of equal length, "
            f"longer than the settling time by five samples for each of the {2 * max_pairs + 1} unknowns"
        )
    max_pairs = min(max_pairs, (n - 1) // 2)
    basis = _basis(n, max_pairs)  # impulse response of each unknown, (n, 1 + 2 max_pairs)
    regressors = np.stack([scipy.signal.oaconvolve(u, h)[n : len(u)] for h in basis.T], axis=1)
    target = y[n:]
    q, r = np.linalg.qr(regressors)
    weak = np.abs(np.diag(r)) < 1e-9 * np.abs(np.diag(r)).max()
    first = int(np.argmax(weak)) if weak.any() else len(weak)  # first unknown that cannot be determined
    usable = (first - 1) // 2  # pairs
    if usable < (pairs or 0):
        advice = (
            f"use at most {usable} pairs, or a demand with more frequencies"
            if usable >= 0
            else "use a demand with more frequencies"
        )
        raise AnalysisError(
            f"the demand does not excite {(usable + 1) / settling:g} Hz, the centre frequency of a filter; {advice}"
        )
    if pairs is None:
        pairs = (_best_size(q[:, : 1 + 2 * usable], target) - 1) // 2
    size = 1 + 2 * pairs
    q, r = q[:, :size], r[:size, :size]
    theta = np.linalg.solve(r, q.T @ target)
    residual = target - q @ (q.T @ target)
    spread = np.std(residual) * np.sqrt(len(target) / max(len(target) - size, 1))

    steps = np.cumsum(basis[:, :size], axis=0)
    error = spread * np.linalg.norm(np.linalg.solve(r.T, steps.T), axis=0)
    centres = np.r_[theta[0], theta[1::2] + 1j * theta[2::2]]
    frequency = np.arange(pairs + 1) / (n * dt)
    return StepEstimate(dt * np.arange(n), steps @ theta, error, frequency, centres, residual)


def _basis(n: int, pairs: int) -> np.ndarray:
    """Return the impulse responses over n samples of the real and imaginary unknowns, zero frequency first."""
    i = np.arange(n)
    columns = [np.full(n, 1 / n)]
    for pair in range(1, pairs + 1):
        angle = 2 * np.pi * pair * i / n
        columns += [2 / n * np.cos(angle), -2 / n * np.sin(angle)]  # 2 Re(G e^{i angle}) / n
    return np.stack(columns, axis=1)


def _best_size(q: np.ndarray, y: np.ndarray) -> int:
    """Return the number of unknowns with the smallest prediction sum of squares; complete pairs only."""
    residual, leverage = y - q[:, 0] * (q[:, 0] @ y), q[:, 0] ** 2
    best = (np.sum((residual / (1 - leverage)) ** 2), 1)
    for size in range(3, q.shape[1] + 1, 2):
        new = q[:, size - 2 : size]
        residual = residual - new @ (new.T @ y)
        leverage = leverage + np.sum(new**2, axis=1)
        press = np.sum((residual / (1 - leverage)) ** 2)
        best = min(best, (press, size))
    return best[1]

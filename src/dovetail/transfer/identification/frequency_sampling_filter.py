r"""Step response without a model order: the frequency-sampling filter of Wang and Cluett.

A response that is over after N samples is a sum of N filters,

.. math:: G(z) = \sum_l G(e^{i\omega_l}) H_l(z), \quad
          H_l(z) = \frac{1}{N}\frac{1 - z^{-N}}{1 - e^{i\omega_l} z^{-1}}, \quad \omega_l = 2\pi l/N,

weighted with the frequency response at their centres. A smooth system has nothing at the high ones, so a
few low pairs are enough: a linear regression of few unknowns, where the impulse response itself would have N.
How many is decided by the prediction sum of squares (each sample predicted by a fit without it)
[Wang & Cluett 2000].
"""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError


@dataclasses.dataclass(frozen=True)
class StepEstimate:
    """A step response found from a record, with its uncertainty."""

    time: np.ndarray  # [s] after the step
    response: np.ndarray
    error: np.ndarray  # standard error at each time, for independent noise
    frequency: np.ndarray  # [Hz] centres of the filters, from 0
    centres: np.ndarray  # complex response there
    residual: np.ndarray  # of the regression


def sampled_step_response(
    demand: np.ndarray,
    measured: np.ndarray,
    dt: float,
    *,
    settling: float,
    pairs: int | None = None,
    most: int = 40,
) -> StepEstimate:
    """Step response over `settling` [s], the time after which a step is over, from any rich record.

    Parameters
    ----------
    demand, measured
        Samples every `dt` [s] of one axis; they need not start from rest: the first `settling` only serves
        as the past.
    pairs : int, optional
        Number of pairs of filters beside that at zero; by default the one up to `most` that predicts best.
    """
    u, y = np.asarray(demand, float), np.asarray(measured, float)
    n = round(settling / dt)
    most = most if pairs is None else pairs
    if u.ndim != 1 or u.shape != y.shape or n < 4 or len(u) < n + 5 * (2 * most + 1):
        raise ParameterError(
            f"demand {u.shape}, measured {y.shape}, settling {settling:g} s: give one axis of equal length, "
            f"longer than the settling time by five samples for each of {2 * most + 1} unknowns"
        )
    most = min(most, (n - 1) // 2)
    basis = _basis(n, most)  # impulse response of each unknown, (n, 1 + 2 most)
    regressors = np.stack([scipy.signal.oaconvolve(u, h)[n : len(u)] for h in basis.T], axis=1)
    target = y[n:]
    q, r = np.linalg.qr(regressors)
    weak = np.abs(np.diag(r)) < 1e-9 * np.abs(np.diag(r)).max()
    first = int(np.argmax(weak)) if weak.any() else len(weak)  # the first unknown that cannot be told apart
    usable = (first - 1) // 2  # pairs
    if usable < (pairs or 0):
        advice = (
            f"take {usable} pairs or fewer, or a richer demand" if usable >= 0 else "take a richer demand"
        )
        raise AnalysisError(
            f"the demand does not excite {(usable + 1) / settling:g} Hz, the centre of a filter; {advice}"
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
    """Impulse responses over n samples of the real and imaginary unknowns, zero frequency first."""
    i = np.arange(n)
    columns = [np.full(n, 1 / n)]
    for pair in range(1, pairs + 1):
        angle = 2 * np.pi * pair * i / n
        columns += [2 / n * np.cos(angle), -2 / n * np.sin(angle)]  # 2 Re(G e^{i angle}) / n
    return np.stack(columns, axis=1)


def _best_size(q: np.ndarray, y: np.ndarray) -> int:
    """Number of unknowns with the smallest prediction sum of squares; whole pairs only."""
    residual, leverage = y - q[:, 0] * (q[:, 0] @ y), q[:, 0] ** 2
    best = (np.sum((residual / (1 - leverage)) ** 2), 1)
    for size in range(3, q.shape[1] + 1, 2):
        new = q[:, size - 2 : size]
        residual = residual - new @ (new.T @ y)
        leverage = leverage + np.sum(new**2, axis=1)
        press = np.sum((residual / (1 - leverage)) ** 2)
        best = min(best, (press, size))
    return best[1]

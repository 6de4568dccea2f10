r"""Factors of a transfer function from a measured frequency response.

.. math::

    \min_{K, d, w} \sum_k c_k\,
    \Big|\ln \hat G(i\omega_k) - \ln K\frac{\prod\{d_z,w_z\}}{\prod\{d_p,w_p\}}\Big|^2

The logarithm gives resonances and antiresonances equal weight, independent of their magnitude; the coherence c weights
reliable frequencies. Frequencies read from the extremes of the gain are inaccurate for close or damped resonances.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import scipy

from dovetail.core.errors import ConvergenceError
from dovetail.transfer.factors import pair, ratio
from dovetail.transfer.identification.frequency_response import FrequencyResponse
from dovetail.transfer.linear import LinearTransfer


@dataclasses.dataclass(frozen=True)
class FactorFit:
    """Transfer function of pairs of zeros and poles, identified from a response."""

    gain: float
    zeros: np.ndarray  # (n, 2): damping ratio, natural frequency [rad/s]
    poles: np.ndarray  # (m, 2)
    residual: float  # rms difference of the logarithms: 0.1 is 10 % in gain or 0.1 rad in phase

    @property
    def transfer(self) -> LinearTransfer:
        """Transfer function of the fit."""
        return ratio([pair(d, w) for d, w in self.zeros], [pair(d, w) for d, w in self.poles], self.gain)


def fit_factors(
    response: FrequencyResponse,
    *,
    poles: Sequence[tuple[float, float]],
    zeros: Sequence[tuple[float, float]] = (),
    gain: float | None = None,
) -> FactorFit:
    """Fit pairs of poles and zeros; the start is (damping ratio, natural frequency [rad/s]) for each pair.

    One pair of poles without zeros is the second-order model of a controlled actuator.
    """
    s = 2j * np.pi * response.frequency
    weight = np.sqrt(response.coherence)
    start = np.array([*zeros, *poles], float)
    first = gain or float(response.gain[np.argmin(response.frequency)])
    count = len(zeros)

    def model(theta: np.ndarray) -> np.ndarray:
        values = np.exp(theta[1:]).reshape(-1, 2)
        factors = [np.polyval(pair(d, w), s) for d, w in values]
        top, low = (np.prod(f, axis=0) if f else np.ones_like(s) for f in (factors[:count], factors[count:]))
        return np.asarray(np.exp(theta[0]) * top / low)

    def error(theta: np.ndarray) -> np.ndarray:
        difference = np.log(response.response / model(theta))
        phase = (difference.imag + np.pi) % (2 * np.pi) - np.pi
        return np.concatenate([weight * difference.real, weight * phase])

    theta = np.concatenate([[np.log(first)], np.log(start).ravel()])
    fit = scipy.optimize.least_squares(error, theta, xtol=1e-12, ftol=1e-12)
    if not fit.success:
        raise ConvergenceError(
            f"the fit did not converge: {fit.message} Choose start values closer to the resonances"
        )
    values = np.exp(fit.x[1:]).reshape(-1, 2)
    residual = float(np.sqrt(np.mean(fit.fun**2) * 2))
    return FactorFit(float(np.exp(fit.x[0])), values[:count], values[count:], residual)

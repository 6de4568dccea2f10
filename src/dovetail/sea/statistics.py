r"""Statistics of a wave or deck record: heights and periods between zero crossings, distribution of heights.

In a narrow-banded Gaussian sea the heights between upward crossings have a Rayleigh distribution,
:math:`P(H > h) = e^{-h^2/8m_0}`, and the mean of the highest third is :math:`4.004\sqrt{m_0}`
[Longuet-Higgins 1952].
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dovetail.core.errors import AnalysisError


@dataclass(frozen=True)
class Waves:
    """Individual waves of a record, each from one upward zero crossing to the next."""

    heights: np.ndarray  # [unit of the record] from trough to crest
    periods: np.ndarray  # [s]
    deviation: float  # standard deviation of the record

    @property
    def significant(self) -> float:
        """Mean of the highest third."""
        highest = np.sort(self.heights)[-max(len(self.heights) // 3, 1) :]
        return float(np.mean(highest))

    @property
    def mean_period(self) -> float:
        """Mean time between upward crossings [s]."""
        return float(np.mean(self.periods))

    def rayleigh_distance(self) -> float:
        """Largest distance between the distribution of heights and the Rayleigh distribution (Kolmogorov statistic)."""
        h = np.sort(self.heights)
        rayleigh = 1 - np.exp(-(h**2) / (8 * self.deviation**2))
        steps = np.arange(len(h) + 1) / len(h)
        return float(max(np.max(np.abs(rayleigh - steps[1:])), np.max(np.abs(rayleigh - steps[:-1]))))


def find_waves(t: np.ndarray, x: np.ndarray) -> Waves:
    """Return the individual waves of a record x at times t [s].

    Raises
    ------
    AnalysisError
        If there are fewer than two upward crossings.
    """
    t, x = np.asarray(t, float), np.asarray(x, float) - np.mean(x)
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    if len(up) < 2:
        raise AnalysisError(
            f"got {len(up)} upward crossings in {t[-1] - t[0]:g} s; expected at least 2, use a longer record"
        )
    crossing = t[up] + (t[up + 1] - t[up]) * (-x[up]) / (x[up + 1] - x[up])
    heights = np.array([np.ptp(x[a + 1 : b + 1]) for a, b in pairwise(up)])
    return Waves(heights, np.diff(crossing), float(np.std(x)))


def estimate_spectrum(t: np.ndarray, x: np.ndarray, parts: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [rad/s] and one-sided density of a uniformly sampled record, averaged over overlapping segments."""
    import scipy.signal

    dt = float(t[1] - t[0])
    f, density = scipy.signal.welch(x, 1 / dt, nperseg=max(2 * len(x) // (parts + 1), 8))
    return 2 * np.pi * f, density / (2 * np.pi)

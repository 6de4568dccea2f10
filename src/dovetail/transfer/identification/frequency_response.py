r"""Frequency response from records, by averaged spectra, with the coherence that says what it is worth.

.. math:: \hat H = \frac{S_{uy}}{S_{uu}}, \qquad \gamma^2 = \frac{|S_{uy}|^2}{S_{uu} S_{yy}}

(Welch's method; the estimate that noise on the response does not bias) [Bendat & Piersol 2010, ch. 6, 9].
"""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError


@dataclasses.dataclass(frozen=True)
class FrequencyResponse:
    """Measured response of a transfer system at a row of frequencies."""

    frequency: np.ndarray  # [Hz]
    response: np.ndarray  # complex ratio of measured to demand
    coherence: np.ndarray  # 1 where the response follows the demand linearly and without noise
    averages: int  # number of independent segments

    @property
    def gain(self) -> np.ndarray:
        """Amplitude ratio."""
        return np.abs(self.response)

    @property
    def phase_delay(self) -> np.ndarray:
        """Delay [s] of a sine of each frequency; the phase is unwrapped from the lowest frequency on."""
        phase = np.unwrap(np.angle(self.response))
        with np.errstate(divide="ignore", invalid="ignore"):
            return -phase / (2 * np.pi * self.frequency)

    @property
    def gain_error(self) -> np.ndarray:
        r"""Standard error, :math:`|H|\sqrt{(1-\gamma^2)/(2 n \gamma^2)}` [Bendat & Piersol 2010, ch. 9]."""
        return self.gain * self._relative_error

    @property
    def delay_error(self) -> np.ndarray:
        """Standard error of the phase delay [s]: that of the phase is the relative one of the gain."""
        with np.errstate(divide="ignore"):
            return self._relative_error / (2 * np.pi * self.frequency)

    @property
    def _relative_error(self) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.sqrt(np.maximum(1 - self.coherence, 0.0) / (2 * self.averages * self.coherence))

    def within(self, low: float, high: float) -> FrequencyResponse:
        """The part of it between two frequencies [Hz]."""
        return self._where((self.frequency >= low) & (self.frequency <= high))

    def reliable(self, coherence: float = 0.9) -> FrequencyResponse:
        """The part of it with at least this coherence."""
        return self._where(self.coherence >= coherence)

    def _where(self, keep: np.ndarray) -> FrequencyResponse:
        if not keep.any():
            raise AnalysisError(
                f"no frequency of {self.frequency[0]:g} to {self.frequency[-1]:g} Hz is left; the highest "
                f"coherence is {self.coherence.max():.3g}"
            )
        return FrequencyResponse(
            self.frequency[keep], self.response[keep], self.coherence[keep], self.averages
        )


def frequency_response(
    demand: np.ndarray, measured: np.ndarray, dt: float, *, segment: float | None = None
) -> FrequencyResponse:
    """Response of measured to demand over records sampled every `dt` [s], by averaged cross-spectra.

    Parameters
    ----------
    segment : float, optional
        Length [s] of the segments that are averaged (half overlapping, Hann window); an eighth of the record
        if not given. It sets the resolution, 1/segment, and must be long against the delay: a delay of a
        share s of the segment lowers the gain by about that share.
    """
    u, y = np.asarray(demand, float), np.asarray(measured, float)
    if u.ndim != 1 or u.shape != y.shape:
        raise ParameterError(f"demand {u.shape} and measured {y.shape}: give one axis of equal length")
    count = len(u) // 8 if segment is None else round(segment / dt)
    if not 8 <= count <= len(u) // 2:
        raise ParameterError(
            f"segment: {count * dt:g} s; must hold 8 samples and fit twice into {len(u) * dt:g} s recorded"
        )
    options = {
        "fs": 1 / dt,
        "window": "hann",
        "nperseg": count,
        "noverlap": count // 2,
        "detrend": "constant",
    }
    frequency, s_uy = scipy.signal.csd(u, y, **options)
    _, s_uu = scipy.signal.welch(u, **options)
    _, s_yy = scipy.signal.welch(y, **options)
    keep = (frequency > 0) & (s_uu > 0)
    s_uy, s_uu, s_yy = s_uy[keep], s_uu[keep], s_yy[keep]
    coherence = np.abs(s_uy) ** 2 / np.maximum(s_uu * s_yy, np.finfo(float).tiny)
    segments = (len(u) - count) // (count - count // 2) + 1
    # half-overlapping Hann segments are correlated by 1/6, so K of them are worth 36 K^2/(38 K - 2)
    independent = max(round(36 * segments**2 / (38 * segments - 2)), 1)
    return FrequencyResponse(frequency[keep], s_uy / s_uu, np.minimum(coherence, 1.0), independent)

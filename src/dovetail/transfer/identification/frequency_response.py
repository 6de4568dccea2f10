r"""Frequency response from records by averaged spectra, with coherence.

.. math:: \hat H = \frac{S_{uy}}{S_{uu}}, \qquad \gamma^2 = \frac{|S_{uy}|^2}{S_{uu} S_{yy}}

(Welch's method; noise on the response causes no bias) [Bendat & Piersol 2010, ch. 6, 9].
"""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError


@dataclasses.dataclass(frozen=True)
class FrequencyResponse:
    """Measured frequency response of a transfer system."""

    frequency: np.ndarray  # [Hz]
    response: np.ndarray  # complex ratio of measured to demand
    coherence: np.ndarray  # 1 for a linear response without noise
    averages: int  # number of independent segments

    @property
    def gain(self) -> np.ndarray:
        """Amplitude ratio."""
        return np.asarray(np.abs(self.response))

    @property
    def phase_delay(self) -> np.ndarray:
        """Delay [s] of a sine of each frequency; the phase is unwrapped from the lowest frequency on."""
        phase = np.unwrap(np.angle(self.response))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(-phase / (2 * np.pi * self.frequency))

    @property
    def gain_error(self) -> np.ndarray:
        r"""Standard error, :math:`|H|\sqrt{(1-\gamma^2)/(2 n \gamma^2)}` [Bendat & Piersol 2010, ch. 9]."""
        return np.asarray(self.gain * self._relative_error)

    @property
    def delay_error(self) -> np.ndarray:
        """Standard error of the phase delay [s]; the phase error [rad] equals the relative error of the gain."""
        with np.errstate(divide="ignore"):
            return self._relative_error / (2 * np.pi * self.frequency)

    @property
    def _relative_error(self) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.asarray(
                np.sqrt(np.maximum(1 - self.coherence, 0.0) / (2 * self.averages * self.coherence))
            )

    def in_band(self, low: float, high: float) -> FrequencyResponse:
        """Return the response between two frequencies [Hz]."""
        return self._where((self.frequency >= low) & (self.frequency <= high))

    def with_coherence(self, coherence: float = 0.9) -> FrequencyResponse:
        """Return the response at frequencies with at least this coherence."""
        return self._where(self.coherence >= coherence)

    def _where(self, keep: np.ndarray) -> FrequencyResponse:
        if not keep.any():
            raise AnalysisError(
                f"no frequency from {self.frequency[0]:g} to {self.frequency[-1]:g} Hz remains; the highest "
                f"coherence is {self.coherence.max():.3g}"
            )
        return FrequencyResponse(
            self.frequency[keep], self.response[keep], self.coherence[keep], self.averages
        )


def frequency_response(
    demand: np.ndarray, measured: np.ndarray, dt: float, *, segment: float | None = None
) -> FrequencyResponse:
    """Return the frequency response from demand to measured signal, sampled every `dt` [s], by averaged cross-spectra.

    Parameters
    ----------
    segment : float, optional
        Length [s] of the averaged segments (half overlapping, Hann window; default: an eighth of the record). The
        resolution is 1/segment. A segment must be long compared with the delay: a delay of a fraction s of the segment
        reduces the gain by about this fraction.
    """
    u, y = np.asarray(demand, float), np.asarray(measured, float)
    if u.ndim != 1 or u.shape != y.shape:
        raise ParameterError(
            f"got demand {u.shape} and measured {y.shape}; expected one axis of equal length"
        )
    count = len(u) // 8 if segment is None else round(segment / dt)
    if not 8 <= count <= len(u) // 2:
        raise ParameterError(
            f"segment: got {count * dt:g} s; expected at least 8 samples and at most half of the record of "
            f"{len(u) * dt:g} s"
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
    # half-overlapping Hann segments are correlated by 1/6, so K of them count as 36 K^2/(38 K - 2)
    independent = max(round(36 * segments**2 / (38 * segments - 2)), 1)
    return FrequencyResponse(frequency[keep], s_uy / s_uu, np.minimum(coherence, 1.0), independent)

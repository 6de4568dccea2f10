"""Spectrum and peak of the motion of a test or of a rig recording."""

from __future__ import annotations

import dataclasses

import numpy as np

from dovetail.core.errors import AnalysisError


@dataclasses.dataclass(frozen=True)
class Spectrum:
    """Power spectrum of a displacement, one column for each actuator."""

    frequency: np.ndarray  # [Hz]
    power: np.ndarray  # (frequency, axis), normalised to a sum of one for each axis
    highest: float  # [Hz] 99.9 % of the power is below this frequency
    peak: float  # [m] largest displacement


def spectrum(displacement: np.ndarray, dt: float) -> Spectrum:
    """Return the spectrum of a displacement (time,) or (time, axis), sampled every `dt` [s]."""
    z = np.reshape(displacement, (len(displacement), -1))
    z = z - z.mean(axis=0)
    power = np.abs(np.fft.rfft(z * np.hanning(len(z))[:, None], axis=0)) ** 2
    frequency = np.fft.rfftfreq(len(z), dt)
    total = power.sum(axis=0)
    if not (total > 0).all():
        raise AnalysisError(
            "the reference motion of an axis is zero; a design needs motion on every axis, so excite the test"
        )
    power = power / total
    highest = max(float(frequency[np.searchsorted(np.cumsum(p), 0.999)]) for p in power.T)
    return Spectrum(frequency, power, highest, float(np.abs(displacement).max()))

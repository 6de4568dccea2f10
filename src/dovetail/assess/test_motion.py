"""The motion that a test, or the recording of a rig, has: where its power lies, and how large it is."""

from __future__ import annotations

import dataclasses

import numpy as np

from dovetail.core.errors import AnalysisError


@dataclasses.dataclass(frozen=True)
class Spectrum:
    """Where the ideal motion is: power of the displacement by frequency, one column for each actuator."""

    frequency: np.ndarray  # [Hz]
    power: np.ndarray  # (frequency, axis), adding up to one for each axis
    highest: float  # [Hz] below which all but a thousandth of the power lies
    peak: float  # [m] largest displacement


def spectrum(displacement: np.ndarray, dt: float) -> Spectrum:
    """Spectrum of an ideal displacement (time,) or (time, axis), sampled every `dt` [s]."""
    z = np.reshape(displacement, (len(displacement), -1))
    z = z - z.mean(axis=0)
    power = np.abs(np.fft.rfft(z * np.hanning(len(z))[:, None], axis=0)) ** 2
    frequency = np.fft.rfftfreq(len(z), dt)
    total = power.sum(axis=0)
    if not (total > 0).all():
        raise AnalysisError(
            "an axis of the ideal motion is at rest, so there is nothing to design for; excite the test"
        )
    power = power / total
    highest = max(float(frequency[np.searchsorted(np.cumsum(p), 0.999)]) for p in power.T)
    return Spectrum(frequency, power, highest, float(np.abs(displacement).max()))

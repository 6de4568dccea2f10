"""Nine criteria of the real-time hybrid simulation benchmark: tracking of the rig and accuracy of the test.

With z the demand of the numerical substructure at the interface storey, x the measured displacement, and
:math:`x_i`, :math:`x_i^*` the displacement of storey i in the test and in the reference structure [1]_:

=======  ====================================================================================
J1       delay of x after z [ms], from the shift of highest correlation
J2, J3   rms and peak of x - z, over those of z [%]
J4, J5   rms and peak of x - x1* at the interface storey, over those of x1* [%]
J6, J7   rms of x_i - x_i* of the two other storeys, over that of x_i* [%]
J8, J9   peak of the same differences [%]
J2o ...  J2, J4, J6 and J7 with their offset [%]
=======  ====================================================================================

The published rms is taken about the mean, so it does not include an offset of a sensor or of the whole test.
Each of these criteria therefore has a second value with the rms about zero. J1 is in whole samples, as published,
but a lead counts too, as negative. J2 to J5 use the *measured* displacement and include the noise of its sensor.

References
----------
.. [1] Silva, Gomez, Maghareh, Dyke and Spencer, Mech. Syst. Signal Process. 135, 106381, 2020.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError
from dovetail.fidelity.traces import Recorded, on_common_times, period, values

NAMES = ("J1", "J2", "J3", "J4", "J5", "J6", "J7", "J8", "J9", "J2o", "J4o", "J6o", "J7o")
UNITS = ("ms", *("%",) * 12)
MEANING = (
    "delay, measured after demand",
    "rms tracking error",
    "peak tracking error",
    "rms error of storey 1",
    "peak error of storey 1",
    "rms error of storey 2",
    "rms error of storey 3",
    "peak error of storey 2",
    "peak error of storey 3",
    "rms tracking error, offset included",
    "rms error of storey 1, offset included",
    "rms error of storey 2, offset included",
    "rms error of storey 3, offset included",
)
MAX_DELAY = 0.05  # [s] largest delay or lead searched


@dataclasses.dataclass(frozen=True)
class RthsCriteria:
    """Criteria of one run: J1 [ms], J2 to J9 [%], and J2, J4, J6 and J7 with their offset [%]."""

    values: tuple[float, ...]

    def __getitem__(self, name: str) -> float:
        return self.values[NAMES.index(name)]

    def __str__(self) -> str:
        rows = zip(NAMES, self.values, UNITS, MEANING, strict=True)
        return "\n".join(f"{name:<3} {value:8.3f} {unit:<2}  {text}" for name, value, unit, text in rows)


def rths_criteria(run: Recorded, reference: Recorded) -> RthsCriteria:
    """Return the criteria of a run against the reference solution, at their common times.

    Both recordings have `displacement`, `measured_displacement` and `storey_displacement` of three storeys; the
    first storey is the interface.
    """
    hybrid, complete = on_common_times(run, reference)
    _, demand, measured, storeys = values(
        hybrid, "displacement", "measured_displacement", "storey_displacement"
    )
    _, true_storeys = values(complete, "storey_displacement")
    if true_storeys.shape != storeys.shape or storeys.shape[1:] != (3,):
        raise AnalysisError(
            f"storey_displacement: expected three storeys in both runs; the run has {storeys.shape[1:]}, "
            f"the reference solution {true_storeys.shape[1:]}"
        )
    return RthsCriteria(tuple(criteria_of(demand, measured, storeys, true_storeys, period(hybrid)).tolist()))


def criteria_of(
    demand: np.ndarray, measured: np.ndarray, storeys: np.ndarray, reference: np.ndarray, dt: float
) -> np.ndarray:
    """Return all criteria `NAMES` from samples every `dt` [s]: signals (time,), storeys (time, 3). NaN if not finite.

    Raises
    ------
    AnalysisError
        If the demand or the reference does not move.
    """
    demand, measured, storeys, reference = map(np.asarray, (demand, measured, storeys, reference))
    if not all(np.isfinite(a).all() for a in (demand, measured, storeys, reference)):
        return np.full(len(NAMES), np.nan)
    if np.std(demand) == 0 or (np.std(reference, axis=0) == 0).any():
        raise AnalysisError("a storey of the reference solution does not move; relative errors are undefined")
    pairs = [
        (measured - demand, demand),
        (measured - reference[:, 0], reference[:, 0]),
        (storeys[:, 1] - reference[:, 1], reference[:, 1]),
        (storeys[:, 2] - reference[:, 2], reference[:, 2]),
    ]
    rms = [100 * np.std(error) / np.std(signal) for error, signal in pairs]
    peak = [100 * np.abs(error).max() / np.abs(signal).max() for error, signal in pairs]
    rms_with_offset = [100 * np.sqrt(np.mean(error**2) / np.mean(signal**2)) for error, signal in pairs]
    return np.array(
        [
            1e3 * dt * _shift(demand, measured, int(MAX_DELAY / dt)),
            *(rms[0], peak[0], rms[1], peak[1]),
            *(rms[2], rms[3], peak[2], peak[3]),
            *rms_with_offset,
        ]
    )


def _shift(z: np.ndarray, x: np.ndarray, reach: int) -> int:
    """Return the samples by which x follows z, from the highest correlation coefficient of the overlapping parts."""
    n = len(z)
    reach = min(reach, n // 2)
    size = scipy.fft.next_fast_len(n + reach)
    z, x = z - z.mean(), x - x.mean()
    product = scipy.fft.irfft(scipy.fft.rfft(x, size) * np.conj(scipy.fft.rfft(z, size)), size)
    shifts = np.arange(-reach, reach + 1)
    inner = product[shifts]  # sum of x[i + shift] z[i] over the overlap
    squares = [np.concatenate([[0.0], np.cumsum(a**2)]) for a in (x, z)]
    sums = [np.concatenate([[0.0], np.cumsum(a)]) for a in (x, z)]
    late, early = np.maximum(shifts, 0), np.maximum(-shifts, 0)
    count = n - late - early
    parts = [(squares[0], sums[0], late, n - early), (squares[1], sums[1], early, n - late)]
    means = [(total[last] - total[first]) / count for _, total, first, last in parts]
    variance = [
        (square[last] - square[first]) / count - mean**2
        for (square, _, first, last), mean in zip(parts, means, strict=True)
    ]
    correlation = (inner / count - means[0] * means[1]) / np.sqrt(
        np.maximum(variance[0] * variance[1], 1e-300)
    )
    best = np.flatnonzero(correlation >= correlation.max() - 1e-12)
    return int(shifts[best[np.argmin(np.abs(shifts[best]))]])

r"""The nine criteria of the real-time hybrid simulation benchmark: tracking of the rig, truth of the test.

With z the demand of the numerical substructure at the interface storey, x the measured displacement, and
:math:`x_i`, :math:`x_i^*` the displacement of storey i in the test and in the undivided structure [1]_:

=======  ====================================================================================
J1       delay of x behind z [ms], from the shift of highest correlation
J2, J3   rms and peak of x - z, over those of z [%]
J4, J5   rms and peak of x - x1* at the interface storey, over those of x1* [%]
J6, J7   rms of x_i - x_i* of the two other storeys, over that of x_i* [%]
J8, J9   peak of the same [%]
J2o ...  J2, J4, J6 and J7 with their offset [%]
=======  ====================================================================================

An rms is taken about the mean, as published; that hides an offset of a sensor or of the whole test, so each such
criterion has a second value, of the same error and size about zero. J1 is in whole samples, as published, but counts a
lead too, as negative. J2 to J5 are of the *measured* displacement, so the noise of its sensor is part of them.

References
----------
.. [1] Silva, Gomez, Maghareh, Dyke and Spencer, Mech. Syst. Signal Process. 135, 106381, 2020.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError
from dovetail.fidelity.traces import Recording, on_common_times, period, values

NAMES = ("J1", "J2", "J3", "J4", "J5", "J6", "J7", "J8", "J9", "J2o", "J4o", "J6o", "J7o")
UNITS = ("ms", *("%",) * 12)
MEANING = (
    "delay of measured behind demand",
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
LONGEST = 0.05  # [s] delay or lead looked for


@dataclasses.dataclass(frozen=True)
class RthsCriteria:
    """J1 [ms], J2 to J9 and what J2, J4, J6 and J7 are with their offset [%], of one run."""

    values: tuple[float, ...]

    def __getitem__(self, name: str) -> float:
        return self.values[NAMES.index(name)]

    def __str__(self) -> str:
        rows = zip(NAMES, self.values, UNITS, MEANING, strict=True)
        return "\n".join(f"{name:<3} {value:8.3f} {unit:<2}  {text}" for name, value, unit, text in rows)


def rths_criteria(run: Recording, ideal: Recording) -> RthsCriteria:
    """The criteria of a run against the ideal one, on the times they share.

    Both recordings hold `displacement`, `measured_displacement` and `storey_displacement` of three storeys,
    the first of which is the interface.
    """
    hybrid, complete = on_common_times(run, ideal)
    _, demand, measured, storeys = values(
        hybrid, "displacement", "measured_displacement", "storey_displacement"
    )
    _, reference = values(complete, "storey_displacement")
    if reference.shape != storeys.shape or storeys.shape[1:] != (3,):
        raise AnalysisError(
            f"the criteria are of three storeys; the run has {storeys.shape[1:]}, "
            f"the ideal {reference.shape[1:]}"
        )
    return RthsCriteria(tuple(criteria_of(demand, measured, storeys, reference, period(hybrid)).tolist()))


def criteria_of(
    demand: np.ndarray, measured: np.ndarray, storeys: np.ndarray, reference: np.ndarray, dt: float
) -> np.ndarray:
    """All of `NAMES` from samples every `dt` [s]: traces (time,), storeys (time, 3). NaN where one is not finite.

    Raises
    ------
    AnalysisError
        If the demand or the reference does not move.
    """
    demand, measured, storeys, reference = map(np.asarray, (demand, measured, storeys, reference))
    if not all(np.isfinite(a).all() for a in (demand, measured, storeys, reference)):
        return np.full(len(NAMES), np.nan)
    if np.std(demand) == 0 or (np.std(reference, axis=0) == 0).any():
        raise AnalysisError("a storey does not move, so errors relative to it have no meaning")
    pairs = [
        (measured - demand, demand),
        (measured - reference[:, 0], reference[:, 0]),
        (storeys[:, 1] - reference[:, 1], reference[:, 1]),
        (storeys[:, 2] - reference[:, 2], reference[:, 2]),
    ]
    rms = [100 * np.std(error) / np.std(of) for error, of in pairs]
    peak = [100 * np.abs(error).max() / np.abs(of).max() for error, of in pairs]
    whole = [100 * np.sqrt(np.mean(error**2) / np.mean(of**2)) for error, of in pairs]
    return np.array(
        [
            1e3 * dt * _shift(demand, measured, int(LONGEST / dt)),
            *(rms[0], peak[0], rms[1], peak[1]),
            *(rms[2], rms[3], peak[2], peak[3]),
            *whole,
        ]
    )


def _shift(z: np.ndarray, x: np.ndarray, reach: int) -> int:
    """Samples by which x follows z, from the highest correlation coefficient of the overlapping parts."""
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
    alike = (inner / count - means[0] * means[1]) / np.sqrt(np.maximum(variance[0] * variance[1], 1e-300))
    best = np.flatnonzero(alike >= alike.max() - 1e-12)
    return int(shifts[best[np.argmin(np.abs(shifts[best]))]])

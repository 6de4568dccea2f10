r"""One delay for a whole record: the shift at which the measured signal is most like the demand.

.. math:: \hat\tau = \arg\max_\tau \int y(t)\, u(t-\tau)\, dt

found on samples by correlation and refined between them on the band-limited signals, so it resolves far
less than a sample.
"""

from __future__ import annotations

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError


def correlation_delay(demand: np.ndarray, measured: np.ndarray, dt: float, *, longest: float) -> float:
    """Delay [s] of measured behind demand, between -longest and longest; negative for a lead.

    `longest` [s] must be below half a period of what dominates the demand, else a shift by a period looks as
    good.
    """
    u, y = (np.asarray(a, float) - np.mean(a) for a in (demand, measured))
    if u.ndim != 1 or u.shape != y.shape or not dt < longest < len(u) * dt / 2:
        raise ParameterError(
            f"demand {u.shape}, measured {y.shape}, longest {longest:g} s: give one axis of equal length, "
            f"and a longest delay between one sample and half of the record"
        )
    window = np.hanning(len(u))  # ends fade, so that what enters and leaves the record does not count
    size = 2 ** int(np.ceil(np.log2(2 * len(u))))
    cross = np.conj(np.fft.rfft(u * window, size)) * np.fft.rfft(y * window, size)
    correlation = np.fft.irfft(cross, size)
    reach = int(longest / dt)
    shifts = np.arange(-reach, reach + 1)
    values = correlation[shifts]
    best = int(np.argmax(values))
    if values[best] <= 0 or best in (0, len(values) - 1):
        raise AnalysisError(
            f"the correlation has no peak within {longest:g} s; look further with `longest`, or check that "
            f"the measured signal follows the demand at all"
        )
    omega = 2 * np.pi * np.fft.rfftfreq(size, dt)

    def unlike(shift: float) -> float:
        return -float(np.sum(np.real(cross * np.exp(1j * omega * shift))))

    low, high = (shifts[best] - 1) * dt, (shifts[best] + 1) * dt
    found = scipy.optimize.minimize_scalar(
        unlike, bounds=(low, high), method="bounded", options={"xatol": dt * 1e-6}
    )
    return float(found.x)

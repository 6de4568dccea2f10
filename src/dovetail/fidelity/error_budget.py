r"""Parts of the tracking error e2: delay, amplitude and residual.

With the delay :math:`\hat\tau` by correlation and the best-fit gain :math:`a` at this delay,

.. math:: e_2 = \underbrace{z - z_\tau}_{\text{delay}} + \underbrace{(1 - a)\,z_\tau}_{\text{amplitude}}
          + \underbrace{a\,z_\tau - x}_{\text{residual}}, \qquad z_\tau(t) = z(t - \hat\tau).

The residual contains noise, quantisation, dead zone and variation of the delay. The parts add up sample by
sample; their rms values do not, because the parts may cancel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from dovetail.fidelity.delay import delay_by_correlation
from dovetail.fidelity.errors import DEMAND, MEASURED
from dovetail.fidelity.traces import Recorded, Value, by_axis, values


@dataclass(frozen=True)
class ErrorBudget:
    """Parts of e2 as rms over the rms of the demand, with best-fit delay and gain."""

    delay: Value  # [s]
    gain: Value  # amplitude ratio x / z
    by_delay: Value
    by_amplitude: Value
    residual: Value


def error_budget(
    run: Recorded, *, max_delay: float | None = None, demand: str = DEMAND, measured: str = MEASURED
) -> ErrorBudget:
    """Split e2 into the parts of a constant delay, of a constant gain, and the residual.

    `max_delay` [s] limits the delay searched, as in `delay_by_correlation`.
    """
    delay = delay_by_correlation(run, max_delay=max_delay, demand=demand, measured=measured)
    t, z, x = values(run, demand, measured)
    each = np.broadcast_to(delay, z.shape[1:]) * np.ones_like(z)  # delay of the axis, for each sample

    def part(name: str):
        def measure(z: np.ndarray, x: np.ndarray, tau: np.ndarray) -> float:
            valid = (t - tau >= t[0]) & (t - tau <= t[-1])  # samples at which z(t - tau) was recorded
            delayed = scipy.interpolate.CubicSpline(t, z)((t - tau)[valid])
            delayed, z, x = delayed - delayed.mean(), z[valid] - delayed.mean(), x[valid] - x[valid].mean()
            gain = float(delayed @ x / (delayed @ delayed))
            if name == "gain":
                return gain
            error = {"delay": z - delayed, "amplitude": (1 - gain) * delayed, "residual": gain * delayed - x}[
                name
            ]
            return float(np.sqrt(np.mean(error**2) / np.mean(z**2)))

        return by_axis(measure, z, x, each)

    return ErrorBudget(
        delay=delay,
        gain=part("gain"),
        by_delay=part("delay"),
        by_amplitude=part("amplitude"),
        residual=part("residual"),
    )

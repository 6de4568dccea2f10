r"""What the local error e2 is made of: delay, amplitude, and the rest.

With the delay :math:`\hat\tau` by correlation and the gain :math:`a` that then fits best,

.. math:: e_2 = \underbrace{z - z_\tau}_{\text{delay}} + \underbrace{(1 - a)\,z_\tau}_{\text{amplitude}}
          + \underbrace{a\,z_\tau - x}_{\text{rest}}, \qquad z_\tau(t) = z(t - \hat\tau).

The rest is what no delay and gain explain: noise, quantisation, dead zone, delay that varies. The parts add
up sample by sample; their rms values do not, as they may cancel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from dovetail.fidelity.delay import delay_by_correlation
from dovetail.fidelity.errors import DEMAND, MEASURED
from dovetail.fidelity.traces import Recording, Value, by_axis, values


@dataclass(frozen=True)
class ErrorBudget:
    """Parts of e2, each as rms over the rms of the demand, and what was fitted."""

    delay: Value  # [s]
    gain: Value  # amplitude ratio x / z
    by_delay: Value
    by_amplitude: Value
    rest: Value


def error_budget(
    run: Recording, *, longest: float | None = None, demand: str = DEMAND, measured: str = MEASURED
) -> ErrorBudget:
    """Split e2 into the parts of a constant delay, a constant gain, and what is left.

    `longest` [s] bounds the delay looked for, as in `delay_by_correlation`.
    """
    delay = delay_by_correlation(run, longest=longest, demand=demand, measured=measured)
    t, z, x = values(run, demand, measured)
    each = np.broadcast_to(delay, z.shape[1:]) * np.ones_like(z)  # the axis' delay, beside each sample

    def part(which: str):
        def measure(z: np.ndarray, x: np.ndarray, tau: np.ndarray) -> float:
            kept = (t - tau >= t[0]) & (t - tau <= t[-1])  # where z(t - tau) was recorded
            late = scipy.interpolate.CubicSpline(t, z)((t - tau)[kept])
            late, z, x = late - late.mean(), z[kept] - late.mean(), x[kept] - x[kept].mean()
            gain = float(late @ x / (late @ late))
            if which == "gain":
                return gain
            error = {"delay": z - late, "amplitude": (1 - gain) * late, "rest": gain * late - x}[which]
            return float(np.sqrt(np.mean(error**2) / np.mean(z**2)))

        return by_axis(measure, z, x, each)

    return ErrorBudget(
        delay=delay,
        gain=part("gain"),
        by_delay=part("delay"),
        by_amplitude=part("amplitude"),
        rest=part("rest"),
    )

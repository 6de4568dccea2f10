r"""Gain and delay along a sweep, from the analytic signals of demand and response.

With :math:`U` and :math:`Y` the analytic signals (signal plus i times its Hilbert transform), the response at the
frequency of the sweep at time t is the local least-squares ratio
:math:`H(t) = \langle Y \bar U \rangle / \langle |U|^2 \rangle` over a short window.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy

from dovetail.core.errors import ParameterError


@dataclasses.dataclass(frozen=True)
class SweepResponse:
    """Gain and delay along a sweep."""

    time: np.ndarray  # [s]
    frequency: np.ndarray  # [Hz] of the demand
    gain: np.ndarray
    delay: np.ndarray  # [s]


def sweep_response(
    demand: np.ndarray, measured: np.ndarray, dt: float, *, window: float | None = None
) -> SweepResponse:
    """Return gain and delay at points half a window apart; `window` [s] (default: 1/50 of the record).

    The first and last window are omitted, because the analytic signal is inaccurate at the ends. The frequency of the
    sweep changes within the window; this causes no bias if the delay is constant there, or for a linear sweep.
    """
    u, y = np.asarray(demand, float), np.asarray(measured, float)
    count = round((len(u) * dt / 50 if window is None else window) / dt)
    if u.ndim != 1 or u.shape != y.shape or not 8 <= count <= len(u) // 4:
        raise ParameterError(
            f"got demand {u.shape}, measured {y.shape} and a window of {count} samples; expected one axis of equal "
            f"length, and a window of 8 samples to a quarter of the record"
        )
    analytic_u, analytic_y = scipy.signal.hilbert(u - u.mean()), scipy.signal.hilbert(y - y.mean())
    frequency_of_demand = np.gradient(np.unwrap(np.angle(analytic_u))) / (2 * np.pi * dt)
    weight = np.hanning(count + 2)[1:-1]
    starts = np.arange(count, len(u) - 2 * count, count // 2)
    ratios, frequencies = [], []
    for start in starts:
        a, b = analytic_u[start : start + count], analytic_y[start : start + count]
        power = weight * np.abs(a) ** 2
        ratios.append(np.sum(weight * b * np.conj(a)) / power.sum())
        frequencies.append(np.sum(power * frequency_of_demand[start : start + count]) / power.sum())
    frequency, ratio = np.array(frequencies), np.array(ratios)
    delay = -np.unwrap(np.angle(ratio)) / (2 * np.pi * frequency)
    return SweepResponse(dt * (starts + (count - 1) / 2), frequency, np.abs(ratio), delay)

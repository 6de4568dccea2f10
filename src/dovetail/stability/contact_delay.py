r"""Mass against a delayed contact: work of the delay, and damping range for stability.

A numerical mass m touches a physical spring k and damper c through a transfer system with delay :math:`\tau`.
Over a cycle of :math:`x = A\sin\omega t` their work on the mass is

.. math:: W_k = \pi k A^2\sin\omega\tau, \qquad W_c = -\pi c\,\omega A^2\cos\omega\tau ,

so a short delay acts as a damper of :math:`-k\tau`. The exact stability boundary of the loop
:math:`m s^2 + (c s + k)e^{-s\tau} = 0` is at :math:`m\omega^2\cos\omega\tau = k` and
:math:`c = k\tan(\omega\tau)/\omega`. There are two such :math:`\omega`, hence a minimum and a maximum damping. They
coincide at :math:`\omega_0\tau = 0.7415`, with :math:`\omega_0 = \sqrt{k/m}`; above, no damping stabilises the loop.
Sources: work [Bolien 2018, app. A, table A.1]; the exact boundary is Dovetail's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from dovetail.core.errors import ParameterError

_PEAK = 1.0768739863118038  # solution of x tan x = 2: maximum of x^2 cos x
LIMIT = float(np.sqrt(_PEAK**2 * np.cos(_PEAK)))  # 0.7415, largest omega_0 tau that damping can stabilise


class DampingBounds(NamedTuple):
    """Range of damping [N s/m] in which the loop is stable; NaN if it is never stable."""

    lower: float
    upper: float


def spring_work(*, k, amplitude, omega, delay):
    """Return the work [J] per cycle of a delayed spring k [N/m]."""
    return np.pi * k * amplitude**2 * np.sin(omega * delay)


def damper_work(*, c, amplitude, omega, delay):
    """Return the work [J] per cycle of a delayed damper c [N s/m]."""
    return -np.pi * c * omega * amplitude**2 * np.cos(omega * delay)


def work_by_quadrature(*, k, c, amplitude, omega, delay, points: int = 4096) -> float:
    """Return the work [J] per cycle of both, by summation of force times velocity."""
    t = 2 * np.pi / omega * np.arange(points) / points
    late = omega * (t - delay)
    force = -k * amplitude * np.sin(late) - c * amplitude * omega * np.cos(late)
    return float(np.mean(force * amplitude * omega * np.cos(omega * t)) * 2 * np.pi / omega)


def damping_bounds(*, m: float, k: float, delay: float) -> DampingBounds:
    """Return minimum and maximum damping with which the loop is stable.

    >>> bounds = damping_bounds(m=1.0, k=1000.0, delay=0.01)
    >>> round(bounds.lower, 3), round(bounds.upper, 1)
    (10.367, 152.7)
    """
    if min(m, k) <= 0 or delay < 0:
        raise ParameterError(
            f"got m {m:g} kg, k {k:g} N/m, delay {delay:g} s; mass and stiffness must be positive, the delay at least 0"
        )
    if delay == 0:
        return DampingBounds(0.0, np.inf)
    x = np.sqrt(k / m) * delay
    if x >= LIMIT:
        return DampingBounds(np.nan, np.nan)

    def miss(phase):
        return phase**2 * np.cos(phase) - x**2

    low = scipy.optimize.brentq(miss, 0.0, _PEAK, xtol=1e-15)
    high = scipy.optimize.brentq(miss, _PEAK, np.pi / 2, xtol=1e-15)
    return DampingBounds(*(float(k * delay * np.tan(p) / p) for p in (low, high)))


def max_stable_delay(*, m: float, k: float, c: float | None = None) -> float:
    """Return the largest delay [s] with which the loop can be stable, with damping c or (default) with any damping."""
    top = LIMIT * np.sqrt(m / k)
    if c is None:
        return float(top)
    if c <= 0:
        return 0.0

    def stable(delay):
        bounds = damping_bounds(m=m, k=k, delay=delay)
        return bounds.lower < c < bounds.upper

    # stable for short delays: find the first unstable delay on a grid and refine it
    grid = np.linspace(0.0, top, 400)[1:-1]
    bad = [delay for delay in grid if not stable(delay)]
    if not bad:
        return float(top)
    low, high = max(bad[0] - (grid[1] - grid[0]), 0.0), bad[0]
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if stable(middle) else (low, middle)
    return float(low)


def penetration(*, speed: float, cycle: float, latency: float) -> tuple[float, float]:
    """Return the distances [m] that a probe moves in one controller cycle and in the latency of the robot."""
    return speed * cycle, speed * latency

"""Published values of Wallace's thesis, recomputed: one function for each target of `targets.toml`.

CS1 is a mass, damper and spring between a moving wall and the specimen, a spring. The thesis counts its
damping ratio and natural frequency with the numerical spring alone (k, not k + k_s).
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from scipy.optimize import bisect

from dovetail.fidelity import synchronisation
from dovetail.stability import margin
from dovetail.stability import single_interface as closed_form
from dovetail.stability.delay_equation import DelayEquation
from dovetail.transfer.linear import LinearTransfer

M, C, K, K_S = 2.2, 15.0, 2250.0, 2250.0  # [kg, N s/m, N/m, N/m] CS1, fig. 2.19
C_LIGHT = 3.0  # [N s/m] CS1 with light damping, sec. 3.4.1


def damping_ratio() -> float:
    """R01."""
    return float(closed_form.groups(m=M, c=C, k=K, k_s=K_S).zeta)


def critical_delay() -> list[float]:
    """R02: in seconds, and dimensionless."""
    delay = float(closed_form.critical_delay(m=M, c=C, k=K, k_s=K_S))
    return [delay, delay * float(closed_form.groups(m=M, c=C, k=K, k_s=K_S).omega_n)]


def first_order_critical_delay() -> list[float | bool]:
    """R03: the estimate, and whether it errs on the safe side."""
    estimate = float(closed_form.approximate_critical_delay(c=C, k_s=K_S))
    return [estimate, estimate < critical_delay()[0]]


def light_damping_critical_delay() -> float:
    """R04."""
    return float(closed_form.critical_delay(m=M, c=C_LIGHT, k=K, k_s=K_S))


def instability_frequencies() -> list[float]:
    """R05: first-order and exact, in hertz."""
    first_order = closed_form.approximate_instability_omega(m=M, k=K, k_s=K_S)
    exact = closed_form.instability_omega(m=M, c=C, k=K, k_s=K_S)
    return [float(w) / (2 * np.pi) for w in (first_order, exact)]


def harmless_stiffness() -> list[float]:
    """R06: the stiffness ratio, and the specimen's stiffness at which the critical delay becomes infinite."""
    ratio = float(closed_form.rho_min(closed_form.groups(m=M, c=C, k=K, k_s=K_S).zeta))
    edge = _edge(lambda k_s: bool(closed_form.delay_independent(m=M, c=C, k=K, k_s=k_s)), 1.0, K)
    return [ratio, edge]


def harmless_damping() -> float:
    """R07: the damping at which the critical delay becomes infinite."""
    return _edge(lambda c: bool(closed_form.delay_independent(m=M, c=c, k=K, k_s=K_S)), C, 1000.0)


def growth_at_seven_milliseconds() -> float:
    """R08."""
    return cs1(tau=7e-3).growth()


def phase_margin() -> list[float]:
    """R09: crossover frequency over omega_n, margin in degrees and radians, dimensionless critical delay."""
    omega_n = float(closed_form.groups(m=M, c=C, k=K, k_s=K_S).omega_n)
    nearest = min(margin.unit_gains(LinearTransfer([K_S], [M, C, K])), key=lambda gain: gain.delay)
    angle = nearest.phase_margin
    return [nearest.omega / omega_n, float(np.degrees(angle)), angle, nearest.delay * omega_n]


def small_gain() -> list[bool]:
    """R10: whether 0.21 is accepted as a delay and as a lag."""
    numerical, specimen, omega, omega_n = _loop()
    tau = 0.21 / omega_n
    late = (LinearTransfer([1.0], [1.0], tau), LinearTransfer([1.0], [tau, 1.0]))
    return [
        bool(np.all(margin.small_gain(margin.LinearHybridLoop(numerical, specimen, one), omega) <= 1))
        for one in late
    ]


def small_gain_limits() -> list[float]:
    """R10: limits of small gain for a delay and for a lag, in units of 1/omega_n."""
    numerical, specimen, omega, omega_n = _loop()
    ideal = margin.LinearHybridLoop(numerical, specimen).reference_response
    limits = (margin.small_gain_delay(ideal, omega), margin.small_gain_lag(ideal, omega))
    return [omega_n * limit for limit in limits]


def _loop() -> tuple[LinearTransfer, LinearTransfer, np.ndarray, float]:
    """Both sides of CS1, frequencies to look at [rad/s], and its omega_n."""
    omega_n = float(closed_form.groups(m=M, c=C, k=K, k_s=K_S).omega_n)
    omega = omega_n * np.geomspace(0.01, 100.0, 4001)
    return LinearTransfer([1.0], [M, C, K]), LinearTransfer([K_S], [1.0]), omega, omega_n


def delay_independent_damping() -> list[float]:
    """R11: by small gain, and where the exact critical delay becomes infinite."""
    return [float(margin.delay_independent_damping(K_S / K)), harmless_damping() / (2 * np.sqrt(M * K))]


def subspace_orientation() -> list[str]:
    """R40: for a delay and for a lead of 2 ms at 3 Hz."""
    t = np.arange(1000) * 1e-3  # [s] three periods
    omega = 2 * np.pi * 3.0  # [rad/s]

    def sense(tau: float) -> str:
        signals = {"displacement": np.sin(omega * t), "measured_displacement": np.sin(omega * (t - tau))}
        data = xr.Dataset({name: ("time", values) for name, values in signals.items()}, {"time": t})
        direction = synchronisation.synchronisation_loop(data).direction
        return {"late": "anticlockwise", "early": "clockwise"}[str(direction)]

    return [sense(2e-3), sense(-2e-3)]


def cs1(*, tau: float, c: float = C) -> DelayEquation:
    """CS1 as a delay equation in [z, z'] with the specimen's force late by tau [s]."""
    return DelayEquation([[0.0, 1.0], [-K / M, -c / M]], [([[0.0, 0.0], [-K_S / M, 0.0]], tau)])


def _edge(holds, low: float, high: float) -> float:
    """Return the value between two others at which a condition changes."""
    return float(bisect(lambda value: 1.0 if holds(value) else -1.0, low, high, xtol=1e-9 * high))

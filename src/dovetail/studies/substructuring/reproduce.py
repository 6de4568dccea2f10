"""What Wallace's thesis prints, computed again: one function for each target of `targets.toml`.

CS1 is a mass, damper and spring between a moving wall and the specimen, a spring. The thesis counts its
damping ratio and natural frequency with the numerical spring alone (k, not k + k_s).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import bisect

from dovetail.stability import single_interface as closed_form
from dovetail.stability.delay_equation import DelayEquation

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
    first_order = closed_form.approximate_instability_frequency(m=M, k=K, k_s=K_S)
    exact = closed_form.instability_frequency(m=M, c=C, k=K, k_s=K_S)
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


def cs1(*, tau: float, c: float = C) -> DelayEquation:
    """CS1 as a delay equation in [z, z'] with the specimen's force late by tau [s]."""
    return DelayEquation([[0.0, 1.0], [-K / M, -c / M]], [([[0.0, 0.0], [-K_S / M, 0.0]], tau)])


def _edge(holds, low: float, high: float) -> float:
    """Where a condition changes between two values."""
    return float(bisect(lambda value: 1.0 if holds(value) else -1.0, low, high, xtol=1e-9 * high))

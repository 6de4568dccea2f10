"""Energy residual of a run: :math:`U(t) - U(0) - W(t)`.

The published audit sums power times step (rectangle rule, first order), which is then the dominating error. Here the
trapezoidal rule (second order) is used. If the work is integrated with the motion, as in `TowedRope`, the residual is
the integration error. Source: [Mastrogiuseppe 2023, sec. 3.4].
"""

from __future__ import annotations

import numpy as np


def energy_residual(
    energy: np.ndarray, power: np.ndarray, step: float, rule: str = "trapezoid"
) -> np.ndarray:
    """Return the residual [J] at each sample for energies [J] and powers [W] of samples `step` [s] apart."""
    energy, power = np.asarray(energy), np.asarray(power)
    each = power[:-1] if rule == "rectangle" else 0.5 * (power[1:] + power[:-1])
    work = np.concatenate([[0.0], np.cumsum(each) * step])
    return np.asarray(energy - energy[0] - work)

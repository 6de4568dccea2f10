r"""Energy ledgers after a run: what is left of :math:`U(t) - U(0) - W(t)`.

The published audit sums power times the step, a rectangle rule of first order, which then is the larger error by
far; the trapezoidal rule is of second order. Where the work is integrated beside the motion, as `TowedRope` does,
the residual is the error of the integration itself. Source: [Mastrogiuseppe 2023, sec. 3.4].
"""

from __future__ import annotations

import numpy as np


def energy_residual(
    energy: np.ndarray, power: np.ndarray, step: float, rule: str = "trapezoid"
) -> np.ndarray:
    """Residual [J] at every sample, from energies [J] and powers [W] of samples `step` [s] apart."""
    energy, power = np.asarray(energy), np.asarray(power)
    each = power[:-1] if rule == "rectangle" else 0.5 * (power[1:] + power[:-1])
    work = np.concatenate([[0.0], np.cumsum(each) * step])
    return energy - energy[0] - work

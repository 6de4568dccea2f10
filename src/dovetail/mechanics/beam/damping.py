r"""Rayleigh damping :math:`C = \alpha_0 M + \alpha_1 K` from two pairs of frequency and ratio.

.. math:: \xi_i = \frac{\alpha_0}{2\omega_i} + \frac{\alpha_1\omega_i}{2}

A lower frequency of zero means :math:`\alpha_0 = 0`; its damping ratio then has no effect [Schock 2020, sec. 2.3].
"""

from __future__ import annotations

import numpy as np

from dovetail.core.errors import ParameterError


def rayleigh(w1: float, xi1: float, w2: float, xi2: float) -> tuple[float, float]:
    r"""Return :math:`\alpha_0` [1/s] and :math:`\alpha_1` [s].

    >>> rayleigh(0.0, 0.15, 6.5e5, 0.15)[0]
    0.0
    """
    if w2 <= w1 or w1 < 0:
        raise ParameterError(
            f"rayleigh: w1 = {w1:g} and w2 = {w2:g} rad/s; w1 must be at least 0 and w2 above w1"
        )
    if w1 == 0:
        return 0.0, 2 * xi2 / w2
    a = np.array([[1 / (2 * w1), w1 / 2], [1 / (2 * w2), w2 / 2]])
    alpha0, alpha1 = np.linalg.solve(a, [xi1, xi2])
    return float(alpha0), float(alpha1)

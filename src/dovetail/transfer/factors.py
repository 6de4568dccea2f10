r"""Transfer functions in factored form.

:math:`\{d, w\} = 1 + 2 d s/w + s^2/w^2`, :math:`[w] = 1 + s/w` [Bondoky 2020, eqs A.2 and A.3]. A factor is a
polynomial in s, highest power first; a system is the ratio of products of factors.

>>> notch = ratio([pair(0.1, 11660.0)], [pair(1.0, 11660.0)])
>>> float(abs(notch(1j * 11660.0)))  # gain at the notch
0.1
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail.transfer.linear import LinearTransfer


def pair(d: float, w: float) -> np.ndarray:
    """Factor {d, w}: two roots with natural frequency w [rad/s] and damping ratio d."""
    return np.array([1 / w**2, 2 * d / w, 1.0])


def single(w: float) -> np.ndarray:
    """Factor [w]: one real root at -w [rad/s]."""
    return np.array([1 / w, 1.0])


S = np.array([1.0, 0.0])  # s itself


def ratio(
    numerator: Sequence[np.ndarray], denominator: Sequence[np.ndarray], gain: float = 1.0
) -> LinearTransfer:
    """Return gain times the product of numerator factors divided by the product of denominator factors."""
    b, a = np.ones(1), np.ones(1)
    for factor in numerator:
        b = np.polymul(b, factor)
    for factor in denominator:
        a = np.polymul(a, factor)
    return LinearTransfer(gain * b, a)

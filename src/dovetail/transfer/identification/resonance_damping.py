r"""Damping of resonances and antiresonances from their heights in a measured Bode plot.

For a system :math:`G = K \prod_z\{d_z,w_z\} / \prod_p\{d_p,w_p\}` the frequencies are read off, and each
height gives one equation: with :math:`a_j = (w/w_j)^2`,

.. math:: |G|^2 = K^2 \frac{\prod_z (1-a_z)^2 + 4 a_z d_z^2}{\prod_p (1-a_p)^2 + 4 a_p d_p^2}.

Products of two squares of dampings dropped, they are linear in the squares [Bondoky 2020, app. B]; kept, they
are solved from there by Newton's method.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ConvergenceError, ParameterError


def damping_squares(
    zeros: Sequence[float],
    poles: Sequence[float],
    zero_heights: Sequence[float],
    pole_heights: Sequence[float],
    gain: float,
    *,
    exact: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Squares of the damping ratios of zeros and of poles.

    Parameters
    ----------
    zeros, poles
        Frequencies of antiresonances and resonances [rad/s].
    zero_heights, pole_heights
        Magnitude of G there [dB].
    gain
        Magnitude at rest [dB].
    exact
        Keep all products of dampings.
    """
    w = np.array([*zeros, *poles], float)
    heights = np.array([*zero_heights, *pole_heights], float)
    if len(w) != len(heights) or np.any(w <= 0):
        raise ParameterError(
            f"{len(w)} frequencies and {len(heights)} heights: give one height for each, frequencies above 0"
        )
    count = len(zeros)
    size = 10 ** ((heights - gain) / 10)  # |G/K|^2 at each frequency
    a = (w[:, None] / w[None, :]) ** 2  # [at, of]
    square = (1 - a) ** 2

    def product(row, of, squares):
        return np.prod(square[row, of] + 4 * a[row, of] * squares[of])

    def miss(squares):
        top = np.array([product(i, slice(0, count), squares) for i in range(len(w))])
        low = np.array([product(i, slice(count, None), squares) for i in range(len(w))])
        return (top - size * low) / (np.abs(top) + size * np.abs(low) + 1e-300)

    matrix, right = np.zeros((len(w), len(w))), np.zeros(len(w))
    for i in range(len(w)):
        for sign, block, factor in ((1.0, range(count), 1.0), (-1.0, range(count, len(w)), size[i])):
            others = np.array(list(block))
            right[i] -= sign * factor * np.prod(square[i, others])
            for j in others:
                rest = others[others != j]
                matrix[i, j] += sign * factor * 4 * a[i, j] * np.prod(square[i, rest])
    squares = np.linalg.solve(matrix, right)
    if np.any(squares <= 0):
        raise AnalysisError(
            f"the heights give squares of dampings {np.round(squares, 6)}: not all positive; "
            "check the frequencies"
        )
    if exact:
        solution = scipy.optimize.root(lambda logs: miss(np.exp(logs)), np.log(squares), tol=1e-13)
        if not solution.success and np.abs(solution.fun).max() > 1e-9:
            raise ConvergenceError(f"the exact heights were not met: {solution.message}")
        squares = np.exp(solution.x)
    return squares[:count], squares[count:]

r"""Damping of resonances and antiresonances from their magnitudes in a measured Bode plot.

For a system :math:`G = K \prod_z\{d_z,w_z\} / \prod_p\{d_p,w_p\}` the frequencies are read from the plot, and each
magnitude gives one equation: with :math:`a_j = (w/w_j)^2`,

.. math:: |G|^2 = K^2 \frac{\prod_z (1-a_z)^2 + 4 a_z d_z^2}{\prod_p (1-a_p)^2 + 4 a_p d_p^2}.

Without the products of squared dampings the equations are linear in the squares [Bondoky 2020, app. B]. With the
products they are solved by Newton's method from the linear solution.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ConvergenceError, ParameterError


def resonance_damping(
    zeros: Sequence[float],
    poles: Sequence[float],
    zero_heights: Sequence[float],
    pole_heights: Sequence[float],
    gain: float,
    *,
    exact: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the squares of the damping ratios of zeros and poles.

    Parameters
    ----------
    zeros, poles
        Frequencies of antiresonances and resonances [rad/s].
    zero_heights, pole_heights
        Magnitude of G at these frequencies [dB].
    gain
        Magnitude at zero frequency [dB].
    exact
        Include all products of dampings.
    """
    w = np.array([*zeros, *poles], float)
    heights = np.array([*zero_heights, *pole_heights], float)
    if len(w) != len(heights) or np.any(w <= 0):
        raise ParameterError(
            f"got {len(w)} frequencies and {len(heights)} heights; expected one height for each frequency, and "
            f"frequencies above 0"
        )
    count = len(zeros)
    size = 10 ** ((heights - gain) / 10)  # |G/K|^2 at each frequency
    a = (w[:, None] / w[None, :]) ** 2  # [frequency, factor]
    square = (1 - a) ** 2

    def product(row: int, factors: slice, squares: np.ndarray) -> float:
        return float(np.prod(square[row, factors] + 4 * a[row, factors] * squares[factors]))

    def error(squares: np.ndarray) -> np.ndarray:
        top = np.array([product(i, slice(0, count), squares) for i in range(len(w))])
        low = np.array([product(i, slice(count, None), squares) for i in range(len(w))])
        return np.asarray((top - size * low) / (np.abs(top) + size * np.abs(low) + 1e-300))

    matrix, right = np.zeros((len(w), len(w))), np.zeros(len(w))
    for i in range(len(w)):
        for sign, block, factor in ((1.0, range(count), 1.0), (-1.0, range(count, len(w)), size[i])):
            others = np.array(list(block))
            right[i] -= sign * factor * np.prod(square[i, others])
            for j in others:
                remaining = others[others != j]
                matrix[i, j] += sign * factor * 4 * a[i, j] * np.prod(square[i, remaining])
    squares = np.linalg.solve(matrix, right)
    if np.any(squares <= 0):
        raise AnalysisError(
            f"the heights give the squared dampings {np.round(squares, 6)}, which are not all positive; "
            "check the frequencies"
        )
    if exact:
        solution = scipy.optimize.root(lambda logs: error(np.exp(logs)), np.log(squares), tol=1e-13)
        if not solution.success and np.abs(solution.fun).max() > 1e-9:
            raise ConvergenceError(f"the solution with all products did not converge: {solution.message}")
        squares = np.exp(solution.x)
    return squares[:count], squares[count:]

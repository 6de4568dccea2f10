r"""Eigenvalues with error bounds: number of growing motions, and motions that cannot be distinguished from neutral.

A computed eigenvalue is exact for a matrix that differs from the given matrix by rounding, of size
:math:`n\,\epsilon\,\|M\|`. With left and right vectors :math:`w, v` of length one, this moves the eigenvalue by

.. math:: \delta = \frac{n\,\epsilon\,\|M\|}{|w^H v|}

The state of a hysteretic specimen at rest and the position of a free body neither grow nor decay; their eigenvalues
are zero within :math:`\delta`. A motion *grows* if its eigenvalue is further to the right than :math:`\delta`. Two
coinciding eigenvalues (position and velocity of a free body) are known only to the square root of rounding, hence the
upper bound.
"""

from __future__ import annotations

import numpy as np
import scipy

_EPS = float(np.finfo(float).eps)
COINCIDING = 1e-7  # of the matrix norm; above the rounding error of two coinciding eigenvalues (1.5e-8)


def eigenvalues(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues of a square matrix and the error of each, in balanced coordinates."""
    matrix = np.asarray(matrix, dtype=float)
    n = len(matrix)
    if n == 0:
        return np.zeros(0, complex), np.zeros(0)
    balanced = balance(matrix)
    values, left, right = scipy.linalg.eig(balanced, left=True, right=True)
    size = float(np.linalg.norm(balanced, 2))
    overlap = np.abs(np.sum(left.conj() * right, axis=0))
    return values, np.minimum(n * _EPS / np.maximum(overlap, _EPS), COINCIDING) * size


def balance(matrix: np.ndarray) -> np.ndarray:
    """Return the matrix in coordinates of comparable size, with the same eigenvalues."""
    with np.errstate(invalid="ignore"):  # from the permutation that is not requested
        return scipy.linalg.matrix_balance(matrix, permute=False)[0]


def growing(matrix: np.ndarray) -> int:
    """Return the number of growing motions of x' = M x."""
    values, errors = eigenvalues(matrix)
    return int(np.sum(values.real > errors))


def growing_steps(matrix: np.ndarray) -> int:
    """Return the number of growing motions of x_next = M x."""
    values, errors = eigenvalues(matrix)
    return int(np.sum(np.abs(values) - 1.0 > errors))

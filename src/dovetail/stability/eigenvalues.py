r"""Eigenvalues with what rounding may have done to each: which motions grow, and which cannot be told from neutral.

A computed eigenvalue is exact for a matrix that differs from the given one by rounding, of size
:math:`n\,\epsilon\,\|M\|`; with left and right vectors :math:`w, v` of length one that moves it by

.. math:: \delta = \frac{n\,\epsilon\,\|M\|}{|w^H v|}

A hysteretic specimen remembers where it came to rest, a free body where it is: such motions neither grow nor decay,
and their eigenvalues are zero but for :math:`\delta`. A motion *grows* if its eigenvalue is further to the right than
that. Two that coincide (a free body's place and speed) are known to the root of rounding only, hence the bound.
"""

from __future__ import annotations

import numpy as np
import scipy

_EPS = float(np.finfo(float).eps)
COINCIDING = 1e-7  # of the matrix's size: beyond what rounding does to two eigenvalues that coincide (1.5e-8)


def eigenvalues(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of a square matrix and the error of each, in balanced coordinates."""
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
    """The matrix in coordinates of comparable size, with the same eigenvalues."""
    with np.errstate(invalid="ignore"):  # of a permutation that is not made
        return scipy.linalg.matrix_balance(matrix, permute=False)[0]


def growing(matrix: np.ndarray) -> int:
    """Number of motions of x' = M x that grow."""
    values, errors = eigenvalues(matrix)
    return int(np.sum(values.real > errors))


def growing_steps(matrix: np.ndarray) -> int:
    """Number of motions of x_next = M x that grow."""
    values, errors = eigenvalues(matrix)
    return int(np.sum(np.abs(values) - 1.0 > errors))

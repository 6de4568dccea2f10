r"""Modes of a frame of beams, and a basis that keeps the slow ones.

.. math:: K\phi = \omega^2 M\phi

The reduced frame keeps the modes below a frequency, and adds for every loaded freedom the static shape that the cut
modes would have given (residual flexibility), so that the reduced frame is as soft at its loaded nodes as the whole.
"""

from __future__ import annotations

import numpy as np
import scipy


def modes(M: np.ndarray, K: np.ndarray, held: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Angular frequencies [rad/s], slowest first, and mass-normalised shapes (all freedoms, number).

    `held` lists the freedoms that are fixed.
    """
    free = np.setdiff1d(np.arange(len(M)), [] if held is None else held)
    squares, vectors = scipy.linalg.eigh(K[np.ix_(free, free)], M[np.ix_(free, free)])
    shapes = np.zeros((len(M), len(free)))
    shapes[free] = vectors
    return np.sqrt(np.maximum(squares, 0.0)), shapes


def slow_basis(
    M: np.ndarray, K: np.ndarray, held: np.ndarray, loaded: np.ndarray, number: int, least: float = 0.0
) -> tuple[np.ndarray, float]:
    """Basis (freedoms, number + static shapes) of a reduced frame and the first frequency that it cuts [rad/s].

    The static shapes of the `loaded` freedoms are made orthogonal to the kept modes with respect to mass and
    stiffness; shapes that carry nothing new are left out, and so are those that make no loaded freedom softer by more
    than `least` [m/N].
    """
    omega, shapes = modes(M, K, held)
    number = min(number, len(omega))
    kept = shapes[:, :number]
    cut = shapes[:, number:]
    first_cut = float(omega[number]) if number < len(omega) else np.inf
    if not cut.shape[1] or not len(loaded):
        return kept, first_cut
    residual = (cut / omega[number:] ** 2) @ cut[loaded].T  # (freedoms, loaded)
    size = np.sqrt(np.maximum(np.einsum("ij,ij->j", residual, K @ residual), 0.0))
    residual = residual[:, size > 1e-12 * max(size.max(), 1e-300)]
    gram = residual.T @ M @ residual
    scale = 1 / np.sqrt(np.diag(gram))
    residual = residual * scale
    squares, vectors = scipy.linalg.eigh(residual.T @ K @ residual, residual.T @ M @ residual)
    shapes = residual @ vectors
    gives = np.max(shapes[loaded] ** 2, 0) / squares  # [m/N] of each shape, at the freedom it is largest at
    return np.hstack([kept, shapes[:, np.isfinite(squares) & (gives > least)]]), first_cut

r"""Modes of a beam frame and modal reduction.

.. math:: K\phi = \omega^2 M\phi

The reduced basis has the modes below a frequency. For every loaded degree of freedom it adds the static shape of the
truncated modes (residual flexibility), so the compliance at the loaded nodes equals that of the full frame.
"""

from __future__ import annotations

import numpy as np
import scipy


def modes(M: np.ndarray, K: np.ndarray, held: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return angular frequencies [rad/s], lowest first, and mass-normalised shapes (degrees of freedom, number).

    `held` lists the fixed degrees of freedom.
    """
    free = np.setdiff1d(np.arange(len(M)), [] if held is None else held)
    squares, vectors = scipy.linalg.eigh(K[np.ix_(free, free)], M[np.ix_(free, free)])
    shapes = np.zeros((len(M), len(free)))
    shapes[free] = vectors
    return np.sqrt(np.maximum(squares, 0.0)), shapes


def slow_basis(
    M: np.ndarray, K: np.ndarray, held: np.ndarray, loaded: np.ndarray, number: int, least: float = 0.0
) -> tuple[np.ndarray, float]:
    """Return the basis (degrees of freedom, modes + static shapes) and the first truncated frequency [rad/s].

    The static shapes of the `loaded` degrees of freedom are orthogonal to the retained modes with respect to mass and
    stiffness. Linearly dependent shapes are omitted, and shapes that increase the compliance of every loaded degree of
    freedom by less than `min_compliance` [m/N].
    """
    omega, shapes = modes(M, K, held)
    number = min(number, len(omega))
    slow_shapes = shapes[:, :number]
    cut = shapes[:, number:]
    first_cut = float(omega[number]) if number < len(omega) else np.inf
    if not cut.shape[1] or not len(loaded):
        return slow_shapes, first_cut
    residual = (cut / omega[number:] ** 2) @ cut[loaded].T  # (degrees of freedom, loaded)
    size = np.sqrt(np.maximum(np.einsum("ij,ij->j", residual, K @ residual), 0.0))
    residual = residual[:, size > 1e-12 * max(size.max(), 1e-300)]
    gram = residual.T @ M @ residual
    scale = 1 / np.sqrt(np.diag(gram))
    residual = residual * scale
    squares, vectors = scipy.linalg.eigh(residual.T @ K @ residual, residual.T @ M @ residual)
    shapes = residual @ vectors
    gives = (
        np.max(shapes[loaded] ** 2, 0) / squares
    )  # [m/N] compliance of each shape, at the degree of freedom where it is largest
    return np.hstack([slow_shapes, shapes[:, np.isfinite(squares) & (gives > least)]]), first_cut

"""Linear systems as state-space matrices, and their construction from transfer functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dovetail.core.errors import ParameterError
from dovetail.transfer.linear import LinearTransfer


@dataclass(frozen=True)
class StateSpace:
    """Linear system x' = A x + B u, y = C x + D u. Omitted matrices are zero or empty.

    A numerical substructure has the interface force (n,) as input and the interface displacement (n,) as output. A
    specimen has the imposed displacement, velocity and acceleration, stacked (3 n,), as input and the force on the
    numerical substructure (n,) as output; a memoryless specimen has only D.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray

    def __init__(self, A: ArrayLike, B: ArrayLike, C: ArrayLike, D: ArrayLike):
        A, B, C, D = (np.atleast_2d(np.asarray(x, dtype=float)) for x in (A, B, C, D))
        n, (outputs, inputs) = (0 if A.size == 0 else A.shape[0]), D.shape
        shapes = {"A": (A, (n, n)), "B": (B, (n, inputs)), "C": (C, (outputs, n))}
        for name, (matrix, shape) in shapes.items():
            if matrix.size == 0 and 0 in shape:
                matrix = np.zeros(shape)
            if matrix.shape != shape:
                raise ParameterError(f"StateSpace.{name}: got shape {matrix.shape}; must be {shape}")
            object.__setattr__(self, name, matrix)
        object.__setattr__(self, "D", D)

    @property
    def order(self) -> int:
        """Number of states."""
        return self.A.shape[0]

    @classmethod
    def memoryless(cls, D: ArrayLike) -> StateSpace:
        """Return a system without states: y = D u."""
        return cls([], [], [], D)

    @classmethod
    def from_transfer_function(cls, transfer: LinearTransfer) -> StateSpace:
        """Return the balanced controllable form of one axis of a transfer function, without its delay."""
        b, a = (
            np.trim_zeros(np.asarray(c, dtype=float), "f") for c in (transfer.numerator, transfer.denominator)
        )
        if b.size > a.size:
            raise ParameterError(
                f"from_transfer_function: the order of the numerator, {b.size - 1}, is above that of the denominator, "
                f"{a.size - 1}; expected a proper transfer function"
            )
        n = a.size - 1
        b = np.concatenate([np.zeros(n + 1 - b.size), b]) / a[0]
        a = a / a[0]
        if n == 0:
            return cls.memoryless([[b[0]]])
        A = np.eye(n, k=-1)
        A[0] = -a[1:]
        B, C = np.eye(n)[:, :1], (b[1:] - b[0] * a[1:])[None]
        A, (scale, _) = scipy.linalg.matrix_balance(A, permute=False, separate=True)
        return cls(A, B / scale[:, None], C * scale, [[b[0]]])

r"""Where a loop returns a signal as large as it was: every frequency at which an eigenvalue of L has modulus one.

1. *Where it may be*: :math:`|\mu_i(j\omega)| = 1` for an eigenvalue of :math:`L(s) = C(s - A)^{-1}B + D` makes
   :math:`I - L(s)\otimes L(-s)` singular, an eigenvalue problem of 2 n times the loop's states, n the number of signals
   (n = 1: the Hamiltonian matrix). It gives every such frequency and others besides.
2. *Whether it is*: between two of them no modulus passes one, so one response between each two tells all that happens.
   A crossing is a change of sign, found between two points of opposite sign, beyond rounding on both.

A sampled loop is mapped from the unit circle to the axis, :math:`z = (1+s)/(1-s)`, and treated alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ConvergenceError
from dovetail.stability.eigenvalues import balance
from dovetail.stability.state_space import StateSpace

LARGEST = 1200  # size of the eigenvalue problem that is solved in a few seconds
NOISE = 1e-11  # of |mu| about one: nearer than this rounding decides on which side it is
RESIDUAL = 1e-6  # of log |mu| at what is claimed to be a crossing; a jump past one leaves more
AT_ONCE = 1e-9  # [rad] less than a full turn by no more than this is none: a pair on the axis without delay


@dataclass(frozen=True)
class UnitGain:
    """A frequency at which the loop returns a signal as large as it was."""

    omega: float  # [rad/s]
    phase: float  # [rad], 0 to 2 pi, of what is returned: the angle that a delay must turn
    falling: bool  # the gain falls with frequency: a pair that reaches the axis here moves to the right
    residual: float  # of log |mu|, which is zero at the solution

    def delay(self, turn: int = 0) -> float:
        """Delay [s] that puts a pair of roots on the axis here."""
        return (self.phase + 2 * np.pi * turn) / self.omega

    @property
    def sense(self) -> int:
        """1 where the pair moves to the right as the delay grows, -1 where to the left."""
        return 1 if self.falling else -1

    def passed(self, delay: float) -> int:
        """How often the pair crosses between no delay and this one [s]; negative for a lead.

        A pair that is on the axis without delay and leaves it to the left was never to its right: not counted.
        """
        times = int(np.ceil((delay * self.omega - self.phase) / (2 * np.pi)))
        return times - 1 if self.phase == 0.0 and not self.falling and delay > 0 else times


def unit_gains(loop: StateSpace) -> list[UnitGain]:
    """Every frequency above zero at which an eigenvalue of the loop's response has modulus one, ascending."""
    response = _Response(loop)
    gains = []
    points = _points(response.candidates())
    levels = response.levels(points)
    for k in range(levels.shape[1]):  # the k-th largest modulus is continuous in frequency
        sure = np.abs(levels[:, k]) > NOISE
        place, level = points[sure], levels[sure, k]
        for i in np.flatnonzero(np.sign(level[:-1]) != np.sign(level[1:])):
            ends = {float(place[j]): float(level[j]) for j in (i, i + 1)}
            gains.append(_between(response, k, ends))
    return sorted(gains, key=lambda gain: gain.omega)


def _between(response: _Response, k: int, ends: dict[float, float]) -> UnitGain:
    """The crossing of one modulus between two frequencies, with its level there: on either side of one.

    The levels at the ends are those that told of the crossing: computed alone they may differ by rounding, and where
    that is much, by their sign.
    """
    low, high = ends

    def level(w: float) -> float:
        return ends[w] if w in ends else float(response.levels(np.array([w]))[0, k])

    falling = ends[low] > 0
    w = float(scipy.optimize.brentq(level, low, high, xtol=1e-15 * high, rtol=1e-14, maxiter=500))
    values = response.eigenvalues(np.array([w]))[0]
    residual = abs(float(np.log(np.abs(values[k]))))
    if not residual < RESIDUAL:
        raise ConvergenceError(
            f"crossings of the imaginary axis: near {w:.6g} rad/s the gain jumps past one and leaves {residual:.2g}; "
            "a mode there is undamped to rounding. Give it some damping"
        )
    phase = float(np.angle(values[k]) % (2 * np.pi))
    return UnitGain(w, 0.0 if 2 * np.pi - phase < AT_ONCE else phase, bool(falling), residual)


def _points(candidates: np.ndarray) -> np.ndarray:
    """The frequencies that may be, one between each two, one below and one above."""
    if not candidates.size:
        return np.array([])
    middle = 0.5 * (candidates[:-1] + candidates[1:])
    ends = [0.5 * candidates[0], 2 * candidates[-1]]
    return np.unique(np.concatenate([candidates, middle, ends]))


class _Response:
    """L(j omega) in triangular coordinates, so that many frequencies cost little."""

    def __init__(self, loop: StateSpace):
        N, self.n = loop.order, loop.D.shape[0]
        balanced = balance(np.block([[loop.A, loop.B], [loop.C, loop.D]]))
        self.A, self.B, self.C, self.D = (
            balanced[:N, :N],
            balanced[:N, N:],
            balanced[N:, :N],
            balanced[N:, N:],
        )
        self.T: np.ndarray
        self.T, Q = (
            scipy.linalg.schur(self.A, output="complex") if N else (np.zeros((0, 0)), np.zeros((0, 0)))
        )
        self.b, self.c = Q.conj().T @ self.B, self.C @ Q

    def candidates(self) -> np.ndarray:
        """Frequencies among which are all with |mu| = 1: the zeros of I - L(s) x L(-s), projected on the axis."""
        n, N = self.n, len(self.A)
        if 2 * n * N > LARGEST:
            raise AnalysisError(
                f"{n} delayed signals in {N} states need an eigenvalue problem of size {2 * n * N}; that is feasible "
                f"up to {LARGEST}. Use first_crossing over a range of delays, or reduce the model"
            )
        eye, one = np.eye(n), np.eye(n * n)
        A1, B1, C1, D1 = (np.kron(matrix, eye) for matrix in (self.A, self.B, self.C, self.D))
        A2, B2, C2, D2 = (np.kron(eye, matrix) for matrix in (-self.A, self.B, -self.C, self.D))
        # w = (C1 x1 + D1 C2 x2) + D1 D2 w closes the loop
        closed = np.linalg.solve(one - D1 @ D2, np.hstack([C1, D1 @ C2]))
        first = np.hstack([A1, B1 @ C2]) + B1 @ D2 @ closed
        second = np.hstack([np.zeros_like(A2), A2]) + B2 @ closed
        values = np.linalg.eigvals(np.vstack([first, second]))
        size = np.abs(values).max(initial=0.0)
        return np.unique(values.imag[values.imag > 1e-12 * size])

    def __call__(self, omega: np.ndarray) -> np.ndarray:
        """L at each frequency [rad/s], (frequencies, n, n); back substitution for all at once."""
        N = len(self.T)
        if len(omega) == 1 and N:
            inner = scipy.linalg.solve_triangular(
                1j * omega[0] * np.eye(N) - self.T, self.b, check_finite=False
            )
            return (self.c @ inner + self.D)[None]
        x = np.zeros((N, len(omega), self.n), dtype=complex)
        for i in reversed(range(N)):
            known = np.tensordot(self.T[i, i + 1 :], x[i + 1 :], 1)
            pivot = 1j * omega - self.T[i, i]
            x[i] = (self.b[i] + known) / np.where(pivot == 0, np.finfo(float).tiny, pivot)[:, None]
        return np.tensordot(self.c, x, 1).transpose(1, 0, 2) + self.D

    def eigenvalues(self, omega: np.ndarray) -> np.ndarray:
        """Of L at each frequency, largest modulus first, (frequencies, n)."""
        L = self(omega)
        values = L[:, :, 0] if self.n == 1 else np.linalg.eigvals(L)
        return np.take_along_axis(values, np.argsort(-np.abs(values), axis=1), axis=1)

    def levels(self, omega: np.ndarray) -> np.ndarray:
        """Logarithm of the moduli, largest first, (frequencies, n)."""
        if not len(omega):
            return np.zeros((0, self.n))
        with np.errstate(divide="ignore"):
            return np.log(np.abs(self.eigenvalues(omega)))


def on_the_axis(cut: StateSpace) -> StateSpace:
    """A sampled loop C (z - A)^-1 B as a function of s = (z - 1)/(z + 1)."""
    inverse = np.linalg.inv(cut.A + np.eye(cut.order))
    return StateSpace(
        inverse @ (cut.A - np.eye(cut.order)),
        np.sqrt(2) * inverse @ cut.B,
        np.sqrt(2) * cut.C @ inverse,
        cut.D - cut.C @ inverse @ cut.B,
    )

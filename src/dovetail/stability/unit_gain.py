r"""Frequencies at which an eigenvalue of the loop response L has modulus one.

1. *Candidates*: :math:`|\mu_i(j\omega)| = 1` for an eigenvalue of :math:`L(s) = C(s - A)^{-1}B + D` makes
   :math:`I - L(s)\otimes L(-s)` singular. This is an eigenvalue problem of 2 n times the number of states of the loop,
   with n the number of signals (n = 1: the Hamiltonian matrix). Its solutions include all these frequencies.
2. *Selection*: between two candidates no modulus passes one, so one evaluation between each two is sufficient. A
   crossing is a change of sign between two points of opposite sign, beyond rounding at both points.

A sampled loop is mapped from the unit circle to the imaginary axis, :math:`z = (1+s)/(1-s)`, and treated in the same
way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ConvergenceError
from dovetail.stability.eigenvalues import balance
from dovetail.stability.state_space import StateSpace

MAX_SIZE = 1200  # largest size of the eigenvalue problem, solved in a few seconds
NOISE = 1e-11  # distance of |mu| to one below which rounding decides its side
RESIDUAL = 1e-6  # largest log |mu| at a crossing; a jump past one has a larger residual
MAX_STEPS = 300  # of a search for a crossing
AT_ONCE = 1e-9  # [rad] a phase this close to a full turn counts as zero: a pair on the axis without delay


@dataclass(frozen=True)
class UnitGain:
    """Frequency at which the loop gain is one."""

    omega: float  # [rad/s]
    phase: float  # [rad], 0 to 2 pi, phase of the loop; a delay must turn it to zero
    falling: bool  # the gain decreases with frequency: a pair that reaches the axis here moves to the right
    residual: float  # log |mu|, zero at the exact solution

    def delay(self, turn: int = 0) -> float:
        """Return the delay [s] that puts a pair of roots on the axis here."""
        return (self.phase + 2 * np.pi * turn) / self.omega

    @property
    def sense(self) -> int:
        """1 if the pair moves to the right with increasing delay, -1 if to the left."""
        return 1 if self.falling else -1

    def passed(self, delay: float) -> int:
        """Return the number of crossings of the pair between zero delay and this delay [s]; negative for a lead.

        A pair that is on the axis without delay and moves to the left is not counted.
        """
        times = int(np.ceil((delay * self.omega - self.phase) / (2 * np.pi)))
        return times - 1 if self.phase == 0.0 and not self.falling and delay > 0 else times


def unit_gains(loop: StateSpace) -> list[UnitGain]:
    """Return all frequencies above zero at which an eigenvalue of the loop response has modulus one, ascending."""
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
    """Return the crossing of one modulus between two frequencies with levels of opposite sign.

    The levels at the ends are passed in: computed alone they may differ by rounding, even in sign.
    """
    w = _root(lambda w: float(response.levels(np.array([w]))[0, k]), ends)
    falling = next(iter(ends.values())) > 0
    values = response.eigenvalues(np.array([w]))[0]
    residual = abs(float(np.log(np.abs(values[k]))))
    if not residual < RESIDUAL:
        raise ConvergenceError(
            f"crossings of the imaginary axis: near {w:.6g} rad/s the gain jumps past one (residual {residual:.2g}); "
            "a mode is undamped there. Add some damping"
        )
    phase = float(np.angle(values[k]) % (2 * np.pi))
    return UnitGain(w, 0.0 if 2 * np.pi - phase < AT_ONCE else phase, bool(falling), residual)


def _root(function: Callable[[float], float], ends: dict[float, float]) -> float:
    """Return the root between two points with values of opposite sign, to rounding.

    Illinois method, with a bisection in every third step. `scipy.optimize.brentq` needs as many evaluations, but
    importing it takes longer than the assessment of a linear test.
    """
    (a, at_a), (b, at_b) = ends.items()
    replaced = None
    for number in range(MAX_STEPS):
        w = (a + b) / 2 if number % 3 == 2 else (a * at_b - b * at_a) / (at_b - at_a)
        if not a < w < b:
            break
        value = function(w)
        below = (value > 0) == (at_a > 0)
        halve = 0.5 if replaced == below else 1.0  # the value at the end that stays
        a, at_a, b, at_b = (w, value, b, halve * at_b) if below else (a, halve * at_a, w, value)
        replaced = below
        if value == 0.0:
            return w
    return a if abs(function(a)) < abs(function(b)) else b


def _points(candidates: np.ndarray) -> np.ndarray:
    """Return the candidate frequencies, one point between each two, one below and one above."""
    if not candidates.size:
        return np.array([])
    middle = 0.5 * (candidates[:-1] + candidates[1:])
    ends = [0.5 * candidates[0], 2 * candidates[-1]]
    return np.unique(np.concatenate([candidates, middle, ends]))


class _Response:
    """L(j omega) in triangular coordinates, for fast evaluation at many frequencies."""

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
        """Return frequencies that include all with |mu| = 1: zeros of I - L(s) x L(-s), projected on the axis."""
        n, N = self.n, len(self.A)
        if 2 * n * N > MAX_SIZE:
            raise AnalysisError(
                f"{n} delayed signals and {N} states need an eigenvalue problem of size {2 * n * N}; the largest is "
                f"{MAX_SIZE}. Use first_crossing over a range of delays, or reduce the model"
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
        """Return L at each frequency [rad/s], (frequencies, n, n); back substitution for all at once."""
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
        """Return the eigenvalues of L at each frequency, largest modulus first, (frequencies, n)."""
        L = self(omega)
        values = L[:, :, 0] if self.n == 1 else np.linalg.eigvals(L)
        return np.take_along_axis(values, np.argsort(-np.abs(values), axis=1), axis=1)

    def levels(self, omega: np.ndarray) -> np.ndarray:
        """Return the logarithms of the moduli, largest first, (frequencies, n)."""
        if not len(omega):
            return np.zeros((0, self.n))
        with np.errstate(divide="ignore"):
            return np.log(np.abs(self.eigenvalues(omega)))


def on_the_axis(cut: StateSpace) -> StateSpace:
    """Return a sampled loop C (z - A)^-1 B as a function of s = (z - 1)/(z + 1)."""
    inverse = np.linalg.inv(cut.A + np.eye(cut.order))
    return StateSpace(
        inverse @ (cut.A - np.eye(cut.order)),
        np.sqrt(2) * inverse @ cut.B,
        np.sqrt(2) * cut.C @ inverse,
        cut.D - cut.C @ inverse @ cut.B,
    )

r"""Where stability is lost: the first parameter value at which a root reaches the imaginary axis.

Two routes to the same answer, which check each other:

`first_crossing`
    any parameter of any delay equation. March along the parameter, bracket the first sign change of the
    largest real part (a grid also catches stability that is lost and regained between its points, by
    refining every local maximum that comes near zero), then Newton on :math:`(\omega, p)` of
    :math:`\Delta(j\omega; p)` singular.

`switching_delays`, `critical_delay`
    one delay common to all delayed terms. On the axis :math:`z=e^{-j\omega\tau}` has modulus one, and both
    :math:`A_0+A_1z` and :math:`A_0+A_1z^{-1}` have eigenvalues :math:`\pm j\omega`; so z is an eigenvalue
    of a quadratic matrix pencil built from Kronecker sums [Louisell 2001]. No search, and "never" is an
    answer; what comes out is checked against the spectrum on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.optimize

from dovetail.core.errors import AnalysisError, ConvergenceError
from dovetail.stability.delay_equation import DelayEquation

Family = Callable[[float], DelayEquation]
LARGEST = 24  # states for which all crossings of several delayed signals are found in a few seconds


@dataclass(frozen=True)
class Crossing:
    """A pair of roots on the imaginary axis."""

    parameter: float  # where, in the parameter's own unit
    frequency: float  # [rad/s]
    error: float  # last Newton correction of the parameter, in its unit
    destabilising: bool  # the pair moves to the right as the parameter grows


def critical_delay(equation: DelayEquation) -> float:
    """Smallest common delay [s] of all delayed terms at which stability is lost.

    Infinite if it never is; zero if the equation is unstable without delay. The delays that the equation
    has now do not matter, only its matrices.
    """
    if not equation.with_delays(0.0).stable():
        return 0.0
    found = switching_delays(equation)
    limit = found[0].parameter if found else np.inf
    _verify(equation, limit)
    return limit


def _verify(equation: DelayEquation, limit: float) -> None:
    """The spectrum must agree: stable up to the limit, unstable beyond it."""
    if np.isfinite(limit):
        inside = [0.999 * limit]
    else:  # a half period of each mode without delay is where a delay would act most
        modes = equation.with_delays(0.0).roots(equation.order).values
        inside = [np.pi / abs(mode) for mode in modes[modes.imag > 0]]
    noise = 1e-12 * float(equation.radius())  # a root this near the axis is on it
    wrong = [tau for tau in inside if equation.with_delays(tau).growth() > noise]
    if np.isfinite(limit) and equation.with_delays(1.001 * limit).growth() < -noise:
        wrong.append(1.001 * limit)
    if wrong:
        raise ConvergenceError(
            f"critical_delay: {equation!r}: the crossings found say {limit:.6g} s, the spectrum at "
            f"{wrong[0]:.6g} s says otherwise; use first_crossing over a range of delays"
        )


def critical_lead(equation: DelayEquation) -> float:
    """Smallest common lead [s], negative, of all delayed terms at which stability would be lost.

    Minus infinite if it never is; zero if the equation is unstable without delay. An exact lead is no delay
    equation, as it would need the future: read it as the phase margin of a loop with an exact predictor.
    """
    if not equation.with_delays(0.0).stable():
        return 0.0
    found = switching_delays(equation)
    return max((c.parameter - 2 * np.pi / c.frequency for c in found), default=-np.inf)


def switching_delays(equation: DelayEquation, *, turns: int = 1) -> list[Crossing]:
    """All common delays, in ascending order, at which a pair is on the axis, `turns` of each frequency."""
    if not equation.taus.size:
        return []
    balanced, _ = equation._scaled()
    found: list[Crossing] = []
    for angle, w in _candidates(balanced.A0, balanced.As.sum(axis=0)):
        one = refine(equation.with_delays, angle / w, w, low=0.0, reach=0.1)
        if one is not None and not any(_same(one, other) for other in found):
            found.append(one)
    periods = [
        Crossing(c.parameter + 2 * np.pi * turn / c.frequency, c.frequency, c.error, c.destabilising)
        for c in found
        for turn in range(turns)
    ]
    return sorted(periods, key=lambda c: c.parameter)


def _candidates(A0: np.ndarray, A1: np.ndarray) -> list[tuple[float, float]]:
    """Pairs (angle w tau in [0, 2 pi), frequency w) near every crossing; Newton decides which are real."""
    U, sizes, Vh = np.linalg.svd(A1)
    n, rank = A0.shape[0], int(np.sum(sizes > 1e-12 * sizes[0]))
    scale = float(np.linalg.norm(A0) + np.linalg.norm(A1))
    if rank == 1:
        # one signal is delayed, with gain G(s) around the loop: |G(jw)| = 1 at the imaginary eigenvalues of a
        # Hamiltonian matrix, which is smaller than the pencil and better conditioned
        B, R = U[:, :1] * np.sqrt(sizes[0]), Vh[:1] * np.sqrt(sizes[0])
        values = np.linalg.eigvals(np.block([[A0, B @ B.T], [-R.T @ R, -A0.T]]))
        ws = values.imag[(np.abs(values.real) < 1e-2 * np.abs(values)) & (values.imag > 1e-9 * scale)]
        gains = [(R @ np.linalg.solve(1j * w * np.eye(n) - A0, B))[0, 0] for w in ws]
        return [(float(np.angle(g) % (2 * np.pi)), float(w)) for g, w in zip(gains, ws, strict=True)]
    if n > LARGEST:
        raise AnalysisError(
            f"switching_delays: {rank} delayed signals in {n} states need a pencil of size {2 * n**2}; that is "
            f"feasible up to {LARGEST} states. Use first_crossing over a range of delays, or reduce the model"
        )
    eye = np.eye(n)
    P2, P1, P0 = np.kron(A1, eye), np.kron(A0, eye) + np.kron(eye, A0), np.kron(eye, A1)
    zero, one = np.zeros_like(P2), np.eye(n * n)
    z = scipy.linalg.eigvals(np.block([[-P1, -P0], [one, zero]]), np.block([[P2, zero], [zero, one]]))
    z = z[np.isfinite(z)]
    angles = -np.angle(z[np.abs(np.abs(z) - 1) < 1e-3])
    pairs = []
    for angle in angles:
        values = np.linalg.eigvals(A0 + A1 * np.exp(-1j * angle))
        near = (np.abs(values.real) < 0.05 * np.abs(values)) & (values.imag > 1e-9 * scale)
        pairs += [(float(angle % (2 * np.pi)), float(w)) for w in values.imag[near]]
    return pairs


def first_crossing(
    family: Family, low: float, high: float, *, points: int | None = None, tolerance: float = 1e-12
) -> Crossing | None:
    """The first value in [low, high] at which the largest real part changes sign; None if none does.

    Parameters
    ----------
    family
        The delay equation as a function of the parameter: a delay, a damping, a prediction length.
    low, high
        Where to begin and end; `high` may lie below `low`, then the search runs downwards.
    points
        Number of intervals to look at. Default: the parameter is taken for a delay in seconds, and a
        quarter of the shortest period of oscillation that the equation could have is not stepped over.
    tolerance
        Relative to the parameter, of the Newton refinement.
    """
    if points is None:
        fastest = float(max(family(low).radius(), family(high).radius()))
        points = int(np.clip(np.ceil(abs(high - low) * fastest / (np.pi / 2)), 4, 400))
    grid = np.linspace(low, high, points + 1)
    growth = lambda p: family(float(p)).growth()  # noqa: E731
    values = [growth(grid[0])]
    sign = 1.0 if values[0] < 0 else -1.0  # follow sign * growth from below zero
    for i in range(1, points + 1):
        values.append(growth(grid[i]))
        if i >= 2 and sign * values[i - 1] < 0:
            peak = _hidden_peak(growth, sign, grid[i - 2 : i + 1], values[-3:])
            if peak is not None and (grid[i - 1] - peak) * (high - low) > 0:
                return _bracketed(family, growth, grid[i - 2], peak, tolerance)
            if peak is not None:
                return _bracketed(family, growth, grid[i - 1], peak, tolerance)
        if sign * values[i] >= 0:
            return _bracketed(family, growth, grid[i - 1], grid[i], tolerance)
    return None


def refine(
    family: Family,
    parameter: float,
    frequency: float,
    *,
    low: float = -np.inf,
    reach: float = 1.0,
    tolerance: float = 1e-12,
    steps: int = 30,
) -> Crossing | None:
    """Newton on (omega, p) from a guess: where Delta(j omega; p) is singular. None if it does not arrive.

    `low` is a value that the family does not accept anything below; `reach` how far the frequency may move
    from its guess, relative to it.
    """
    p, w = float(parameter), float(frequency)
    border = Border(family(p), 1j * w)
    size, last = max(abs(p), 1e-300), np.inf
    for _ in range(steps):
        g, g_s = border.corner(family(p), 1j * w)
        before, after = max(p - parameter_step(p), low), p + parameter_step(p)
        g_p = border.change(family(after), family(before), 1j * w) / (after - before)
        J = np.array([[(1j * g_s).real, g_p.real], [(1j * g_s).imag, g_p.imag]])
        scale = np.array([max(abs(w), 1e-300), size])  # the two unknowns in comparable units
        step = scale * np.linalg.lstsq(J * scale, -np.array([g.real, g.imag]), rcond=1e-13)[0]
        if not np.all(np.isfinite(step)) or np.any(np.abs(step) > scale + 1e-300):
            return None
        w, p = w + step[0], p + step[1]
        if p < low or abs(w - frequency) > reach * max(abs(frequency), 1.0):
            return None
        change = max(abs(step[1]) / max(abs(p), 1e-300), abs(step[0]) / max(abs(w), 1.0))
        # rounding may forbid the tolerance (stiff actuators): then stop where steps no longer shrink
        stalled = change < 1e-7 and change > 0.5 * last
        last = change
        if change <= tolerance or stalled:
            velocity = -g_p / g_s  # d lambda / d p
            return Crossing(float(p), float(abs(w)), abs(float(step[1])), bool(velocity.real > 0))
    return None


class Border:
    """Characteristic matrix with fixed borders [[Delta, b], [c^H, 0]] and a corner that tells singularity.

    Solving for [v; g] with [0; 1] on the right, g vanishes exactly where Delta is singular, and its
    derivatives are those of Delta between the left and right solutions. Unlike the determinant it keeps
    the scale of Delta.
    """

    def __init__(self, equation: DelayEquation, s: complex):
        _, self.scaling = equation._scaled()
        U, _, Vh = np.linalg.svd(self._balanced(equation.characteristic_matrix(s)))
        n = equation.order
        self.bordered = np.zeros((n + 1, n + 1), dtype=complex)
        self.bordered[:n, n], self.bordered[n, :n] = U[:, -1], Vh[-1]
        self.unit = np.eye(n + 1)[n]

    def corner(self, equation: DelayEquation, s: complex) -> tuple[complex, complex]:
        """g and its derivative by s."""
        n = equation.order
        self.bordered[:n, :n] = self._balanced(equation.characteristic_matrix(s))
        right = np.linalg.solve(self.bordered, self.unit)
        self.right, self.left = right[:n], np.linalg.solve(self.bordered.T, self.unit)[:n]
        return right[n], -self.left @ self._balanced(equation.characteristic_slope(s)) @ self.right

    def change(self, after: DelayEquation, before: DelayEquation, s: complex) -> complex:
        """First-order change of g, at the last corner, from one equation to another."""
        difference = after.characteristic_matrix(s) - before.characteristic_matrix(s)
        return -self.left @ self._balanced(difference) @ self.right

    def _balanced(self, matrix: np.ndarray) -> np.ndarray:
        return matrix / self.scaling[:, None] * self.scaling


def parameter_step(p: float) -> float:
    """Difference over which a family is differentiated: small, yet far above rounding."""
    return 1e-6 * max(abs(p), 1e-9)


def _bracketed(
    family: Family, growth: Callable[[float], float], a: float, b: float, tolerance: float
) -> Crossing:
    """The crossing between two values of opposite stability."""
    width = abs(b - a)
    middle = float(scipy.optimize.brentq(growth, a, b, xtol=1e-5 * width + 1e-300, rtol=1e-8))
    guess = family(middle).roots(2)
    found = refine(family, middle, guess.frequency, low=min(a, b), tolerance=tolerance)
    if found is not None and abs(found.parameter - middle) <= 1e-2 * width:
        return found
    # Newton failed (a double root, say): bisection is slower, but does not fail
    middle = float(scipy.optimize.brentq(growth, a, b, xtol=1e-14 * width + 1e-300, rtol=1e-14))
    return Crossing(middle, family(middle).roots(2).frequency, 1e-14 * width, growth(max(a, b)) > 0)


def _hidden_peak(growth, sign: float, p: np.ndarray, values: list[float]) -> float | None:
    """A point of the other sign near a local maximum that approaches zero, if there is one."""
    left, middle, right = (sign * v for v in values)
    if right >= 0 or not (middle >= left and middle >= right):
        return None
    if -middle > 4 * max(middle - left, middle - right):
        return None  # too far below zero for a smooth peak between the points
    best = scipy.optimize.minimize_scalar(
        lambda x: -sign * growth(x), bounds=sorted((p[0], p[2])), method="bounded", options={"maxiter": 25}
    )
    return float(best.x) if best.fun < 0 else None


def _same(one: Crossing, other: Crossing) -> bool:
    return abs(one.frequency - other.frequency) <= 1e-8 * one.frequency and abs(
        one.parameter - other.parameter
    ) <= 1e-8 * max(one.parameter, 1e-300)


def require(crossing: Crossing | None, what: str) -> Crossing:
    """The crossing, or an error that says what was sought."""
    if crossing is None:
        raise AnalysisError(f"{what}: no crossing of the imaginary axis was found; widen the range searched")
    return crossing

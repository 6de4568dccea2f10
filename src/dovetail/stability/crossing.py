r"""Find the loss of stability along any parameter of any delay equation.

The parameter is increased in steps until the largest real part changes sign. Local maxima near zero are refined, so
that stability lost and regained between two grid points is found too. Then Newton's method solves for
:math:`(\omega, p)` with :math:`\Delta(j\omega; p)` singular. For one delay common to all delayed terms, `switching`
needs no search and can also prove that stability is never lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from dovetail.stability.delay_equation import DelayEquation

Family = Callable[[float], DelayEquation]
SINGULAR = 1e-9  # largest singular residual of Delta at a crossing, relative to its norm


@dataclass(frozen=True)
class RootCrossing:
    """Pair of roots on the imaginary axis."""

    parameter: float  # value at the crossing, in the unit of the parameter
    omega: float  # [rad/s]
    error: float  # last Newton correction of the parameter, in its unit
    destabilising: bool  # the pair moves to the right as the parameter grows


def first_crossing(
    family: Family, low: float, high: float, *, points: int | None = None, tolerance: float = 1e-12
) -> RootCrossing | None:
    """Return the first crossing in [low, high], where the largest real part changes sign; None without crossing.

    Roots that cannot be distinguished from neutral do not count (see `Roots`).

    Parameters
    ----------
    family
        Delay equation as a function of the parameter: a delay, a damping, a prediction length.
    low, high
        Start and end of the search; with `high` below `low` the search runs downwards.
    points
        Number of intervals. Default: the parameter is taken as a delay in seconds, and an interval is not longer
        than a quarter of the shortest possible period of oscillation.
    tolerance
        Relative tolerance of the parameter in the Newton refinement.
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
                return _bracketed_crossing(family, growth, grid[i - 2], peak, tolerance)
            if peak is not None:
                return _bracketed_crossing(family, growth, grid[i - 1], peak, tolerance)
        if sign * values[i] >= 0:
            return _bracketed_crossing(family, growth, grid[i - 1], grid[i], tolerance)
    return None


def refine_root(
    family: Family,
    parameter: float,
    omega: float,
    *,
    low: float = -np.inf,
    reach: float = 1.0,
    tolerance: float = 1e-12,
    steps: int = 30,
) -> RootCrossing | None:
    """Refine a crossing (omega, p) by Newton's method: Delta(j omega; p) singular. None if it does not converge.

    `low` is the smallest value that the family accepts. `reach` is the largest change of the frequency from its start
    value, relative to that value.
    """
    p, w = float(parameter), float(omega)
    border = Border(family(p), 1j * w)
    size, last = max(abs(p), 1e-300), np.inf
    for _ in range(steps):
        g, g_s = border.corner(family(p), 1j * w)
        before, after = max(p - parameter_step(p), low), p + parameter_step(p)
        g_p = border.change(family(after), family(before), 1j * w) / (after - before)
        J = np.array([[(1j * g_s).real, g_p.real], [(1j * g_s).imag, g_p.imag]])
        scale = np.array([max(abs(w), 1e-300), size])  # the two unknowns in comparable units
        try:
            step = scale * np.linalg.solve(J * scale, -np.array([g.real, g.imag]))
        except np.linalg.LinAlgError:
            return None
        if not np.all(np.abs(step) <= scale + 1e-300):  # too large, or not a number
            return None
        w, p = w + step[0], p + step[1]
        if p < low or abs(w - omega) > reach * max(abs(omega), 1.0):
            return None
        change = max(abs(step[1]) / max(abs(p), 1e-300), abs(step[0]) / max(abs(w), 1.0))
        # with stiff actuators rounding can exceed the tolerance: stop when steps no longer decrease
        stalled = change < 1e-7 and change > 0.5 * last
        last = change
        if change <= tolerance or stalled:
            left, _ = border.corner(family(p), 1j * w)
            if not abs(left) <= SINGULAR * border.size:
                return None  # steps have become small, but Delta is not singular
            velocity = -g_p / g_s  # d lambda / d p
            return RootCrossing(float(p), float(abs(w)), abs(float(step[1])), bool(velocity.real > 0))
    return None


class Border:
    """Characteristic matrix with fixed borders [[Delta, b], [c^H, 0]]; its corner element g is zero for singular Delta.

    Solving for [v; g] with the right-hand side [0; 1], g is zero exactly where Delta is singular, and its derivatives
    follow from those of Delta between the left and right solutions. Unlike the determinant, g keeps the scale of
    Delta.
    """

    def __init__(self, equation: DelayEquation, s: complex):
        _, self.scaling = equation._scaled()
        U, sizes, Vh = np.linalg.svd(self._balanced(equation.characteristic_matrix(s)))
        self.size = float(sizes[0])
        n = equation.order
        self.bordered = np.zeros((n + 1, n + 1), dtype=complex)
        self.bordered[:n, n], self.bordered[n, :n] = U[:, -1], Vh[-1]
        self.unit = np.eye(n + 1)[n]

    def corner(self, equation: DelayEquation, s: complex) -> tuple[complex, complex]:
        """Return g and its derivative by s."""
        n = equation.order
        self.bordered[:n, :n] = self._balanced(equation.characteristic_matrix(s))
        right = np.linalg.solve(self.bordered, self.unit)
        self.right, self.left = right[:n], np.linalg.solve(self.bordered.T, self.unit)[:n]
        return right[n], -self.left @ self._balanced(equation.characteristic_slope(s)) @ self.right

    def change(self, after: DelayEquation, before: DelayEquation, s: complex) -> complex:
        """Return the first-order change of g, at the last corner, from one equation to another."""
        difference = after.characteristic_matrix(s) - before.characteristic_matrix(s)
        return -self.left @ self._balanced(difference) @ self.right

    def _balanced(self, matrix: np.ndarray) -> np.ndarray:
        return matrix / self.scaling[:, None] * self.scaling


def parameter_step(p: float) -> float:
    """Return the step for differentiating a family: small, but far above rounding."""
    return 1e-6 * max(abs(p), 1e-9)


def _bracketed_crossing(
    family: Family, growth: Callable[[float], float], a: float, b: float, tolerance: float
) -> RootCrossing:
    """Return the crossing between two values of opposite stability."""
    width = abs(b - a)
    middle = float(scipy.optimize.brentq(growth, a, b, xtol=1e-5 * width + 1e-300, rtol=1e-8))
    # frequency slightly inside the unstable side: at the crossing the pair cannot be distinguished from a neutral one
    unstable = b if growth(b) > 0 else a
    side = unstable if abs(unstable - middle) < 1e-2 * width else middle + 1e-3 * (unstable - middle)
    omega = family(side).roots(6).omega
    crossing = refine_root(family, middle, omega, low=min(a, b), tolerance=tolerance)
    if crossing is not None and abs(crossing.parameter - middle) <= 1e-2 * width:
        return crossing
    # Newton's method failed, for example at a double root: use bisection
    middle = float(scipy.optimize.brentq(growth, a, b, xtol=1e-14 * width + 1e-300, rtol=1e-14))
    return RootCrossing(middle, omega, 1e-14 * width, growth(max(a, b)) > 0)


def _hidden_peak(growth, sign: float, p: np.ndarray, values: list[float]) -> float | None:
    """Return a point of the other sign near a local maximum that approaches zero, or None."""
    left, middle, right = (sign * v for v in values)
    if right >= 0 or not (middle >= left and middle >= right):
        return None
    if -middle > 4 * max(middle - left, middle - right):
        return None  # too far below zero for a smooth peak between the points
    best = scipy.optimize.minimize_scalar(
        lambda x: -sign * growth(x), bounds=sorted((p[0], p[2])), method="bounded", options={"maxiter": 25}
    )
    return float(best.x) if best.fun < 0 else None

r"""Roots along a parameter, and a crossing continued in a second parameter.

`follow_roots` assigns each root to its own line, so that a plot of real part against delay shows which pair becomes
unstable. `continue_crossing` traces the curve in the plane of two parameters on which a pair is on the imaginary
axis. Pseudo-arclength predictor and Newton corrector on :math:`(\omega, p, q)` with :math:`\Delta(j\omega; p, q)`
singular pass turning points, such as the smallest specimen stiffness that a delay destabilises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dovetail.core.errors import AnalysisError
from dovetail.stability.crossing import Border, Family, RootCrossing, first_crossing, parameter_step
from dovetail.stability.delay_equation import DelayEquation

TwoParameterFamily = Callable[[float, float], DelayEquation]


@dataclass(frozen=True)
class RootPaths:
    """Roots with non-negative imaginary part along a parameter; each column is one root."""

    parameter: np.ndarray  # (points,)
    roots: np.ndarray  # (points, lines) [1/s]

    @property
    def growth(self) -> np.ndarray:
        """Largest real part [1/s] at each point."""
        return np.nanmax(self.roots.real, axis=1)


@dataclass(frozen=True)
class CrossingCurve:
    """Curve of crossings in the plane of two parameters."""

    p: np.ndarray
    q: np.ndarray
    omega: np.ndarray  # [rad/s]


@dataclass(frozen=True)
class StableRange:
    """Interval of a parameter in which the equation is stable, with the crossings at its ends."""

    low: float
    high: float
    lower: RootCrossing | None  # None at the start of the search
    upper: RootCrossing | None  # None at the end of the search


def follow_roots(family: Family, values: ArrayLike, lines: int = 4) -> RootPaths:
    """Return the dominant roots at each value, assigned to lines by distance to the extrapolated roots.

    Roots may enter and leave the dominant set; a line without root at a point is NaN there.
    """
    p = np.asarray(values, dtype=float)
    paths = np.full((p.size, lines), np.nan, dtype=complex)
    for i, value in enumerate(p):
        roots = family(float(value)).roots(2 * lines + 2).values
        roots = roots[roots.imag >= 0]
        if i == 0:
            paths[0, : min(lines, roots.size)] = roots[:lines]
            continue
        heading = 2 * paths[i - 1] - paths[i - 2] if i > 1 else paths[i - 1]
        heading = np.where(np.isnan(heading), paths[i - 1], heading)
        alive = np.flatnonzero(~np.isnan(heading))
        cost = np.abs(heading[alive, None] - roots[None, :])
        rows, columns = scipy.optimize.linear_sum_assignment(cost)
        paths[i, alive[rows]] = roots[columns]
        new = [root for j, root in enumerate(roots) if j not in columns]
        free = np.flatnonzero(np.isnan(paths[i]))
        for line, root in zip(free, new, strict=False):
            paths[i, line] = root
    return RootPaths(p, paths)


def stable_ranges(family: Family, low: float, high: float, *, points: int) -> list[StableRange]:
    """Return all intervals within [low, high] in which the equation is stable, searched in `points` intervals."""
    ranges: list[StableRange] = []
    width, start, lower = high - low, low, None
    stable = family(low).stable()
    while start < high:
        remaining = max(4, round(points * (high - start) / width))
        crossing = first_crossing(family, start, high, points=remaining)
        if stable:
            end = high if crossing is None else crossing.parameter
            ranges.append(StableRange(lower.parameter if lower else low, end, lower, crossing))
        if crossing is None:
            break
        start = crossing.parameter + 1e-7 * width  # just beyond the crossing, so that it is not found again
        lower, stable = crossing, start < high and family(start).stable()
    return ranges


def continue_crossing(
    family: TwoParameterFamily,
    start: RootCrossing,
    q: float,
    q_range: tuple[float, float],
    *,
    p_range: tuple[float, float] = (0.0, np.inf),
    step: float = 0.05,
    max_points: int = 400,
) -> CrossingCurve:
    """Trace a crossing at (start.parameter, q) in both directions until a range is left.

    Parameters
    ----------
    family
        Equation as a function of p and q.
    start
        Crossing in p at the given q, for example from `first_crossing`.
    q_range, p_range
        Ranges in which the curve is traced.
    step
        Initial step length, relative to the size of the three unknowns at the start.
    max_points
        Maximum number of points in each direction.
    """
    point = np.array([start.omega, start.parameter, q], dtype=float)
    if np.any(point[:2] == 0):
        raise AnalysisError(
            "continue_crossing.start: frequency and parameter of the crossing must be above zero"
        )
    scale = np.where(point == 0, 1.0, np.abs(point))
    arms = [_arm(family, point, scale, sense * step, q_range, p_range, max_points) for sense in (-1, 1)]
    points = np.array([*arms[0][::-1], point, *arms[1]])
    return CrossingCurve(points[:, 1], points[:, 2], points[:, 0])


def _arm(family, start, scale, step, q_range, p_range, max_points) -> list[np.ndarray]:
    """Trace one direction: predict along the tangent, correct perpendicular to it."""
    x, last = start / scale, None
    arm: list[np.ndarray] = []
    length = abs(step)
    while len(arm) < max_points:
        _, J = _condition(family, x * scale)
        tangent = np.linalg.svd(J * scale)[2][-1]  # null vector of the 2 x 3 Jacobian
        if last is None:
            sense = 1.0 if tangent[2] >= 0 else -1.0
            tangent *= sense * np.sign(step)
        elif tangent @ last < 0:
            tangent = -tangent
        trial, turned = _correct(family, x, tangent, length, scale)
        if trial is None or turned < 0.98:  # bends by more than 11 degrees
            length *= 0.5
            if length < 1e-6 * abs(step):
                break
            continue
        w, p, q = trial * scale
        if not (q_range[0] <= q <= q_range[1] and p_range[0] <= p <= p_range[1] and w > 0):
            if length < 1e-4 * abs(step):
                break
            length *= 0.5  # approach the limit of the range before stopping
            continue
        arm.append(trial * scale)
        x, last = trial, tangent
        length = min(1.3 * length, 4 * abs(step))
    return arm


def _correct(family, x, tangent, length, scale) -> tuple[np.ndarray | None, float]:
    trial = x + length * tangent
    for _ in range(8):
        if trial[1] * scale[1] < 0:
            return None, 0.0
        g, J = _condition(family, trial * scale)
        system = np.vstack([J * scale, tangent])
        residual = np.array([g.real, g.imag, (trial - x) @ tangent - length])
        change = np.linalg.solve(system, -residual)
        trial = trial + change
        if np.abs(change).max() < 1e-11:
            moved = trial - x
            return trial, float(moved @ tangent / np.linalg.norm(moved))
    return None, 0.0


def _condition(family: TwoParameterFamily, point: np.ndarray) -> tuple[complex, np.ndarray]:
    """Return the corner of the bordered matrix at (omega, p, q) and its real Jacobian, 2 x 3."""
    w, p, q = point
    s = 1j * w
    equation = family(p, q)
    border = Border(equation, s)
    g, g_s = border.corner(equation, s)
    h = parameter_step(p), parameter_step(q)
    lower_p = max(p - h[0], 0.0)
    g_p = border.change(family(p + h[0], q), family(lower_p, q), s) / (p + h[0] - lower_p)
    g_q = border.change(family(p, q + h[1]), family(p, q - h[1]), s) / (2 * h[1])
    columns = np.array([1j * g_s, g_p, g_q])
    return g, np.array([columns.real, columns.imag])

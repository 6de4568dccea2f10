r"""Roots followed along a parameter, and a crossing continued in a second one.

`follow_roots` gives each root its own line, so that a plot of growth against delay shows which pair is lost.
`continue_crossing` traces the curve in the plane of two parameters on which a pair lies on the imaginary
axis: pseudo-arclength predictor and Newton corrector on :math:`(\omega, p, q)` of
:math:`\Delta(j\omega; p, q)` singular, so it passes turning points, such as the smallest specimen stiffness
that any delay destabilises.
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
    """Roots with non-negative imaginary part along a parameter, each column one root."""

    parameter: np.ndarray  # (points,)
    roots: np.ndarray  # (points, lines) [1/s]

    @property
    def growth(self) -> np.ndarray:
        """Largest real part [1/s] at each point."""
        return np.nanmax(self.roots.real, axis=1)


@dataclass(frozen=True)
class Branch:
    """A curve of crossings in the plane of two parameters."""

    p: np.ndarray
    q: np.ndarray
    omega: np.ndarray  # [rad/s]


@dataclass(frozen=True)
class StableRange:
    """An interval of a parameter in which the equation is stable, and what ends it on either side."""

    low: float
    high: float
    lower: RootCrossing | None  # None where the search began
    upper: RootCrossing | None  # None where the search ended


def follow_roots(family: Family, values: ArrayLike, lines: int = 4) -> RootPaths:
    """The rightmost roots at each value, joined to lines by nearness to where each was heading.

    Roots may enter and leave the rightmost set; a line that has none at a point holds NaN there.
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
    """All intervals within [low, high] in which the equation is stable, found from `points` intervals."""
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
        start = crossing.parameter + 1e-7 * width  # just past it, so that it is not found again
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
    most: int = 400,
) -> Branch:
    """Trace a crossing found at (start.parameter, q) in both directions until a range is left.

    Parameters
    ----------
    family
        The equation as a function of p and q.
    start
        A crossing in p at the given q, as from `first_crossing`.
    q_range, p_range
        Where to stop.
    step
        First length of a step, relative to the size of the three unknowns at the start.
    most
        Points in each direction.
    """
    point = np.array([start.omega, start.parameter, q], dtype=float)
    if np.any(point[:2] == 0):
        raise AnalysisError(
            "continue_crossing: the crossing must have a frequency and a parameter above zero"
        )
    scale = np.where(point == 0, 1.0, np.abs(point))
    arms = [_arm(family, point, scale, sense * step, q_range, p_range, most) for sense in (-1, 1)]
    points = np.array([*arms[0][::-1], point, *arms[1]])
    return Branch(points[:, 1], points[:, 2], points[:, 0])


def _arm(family, start, scale, step, q_range, p_range, most) -> list[np.ndarray]:
    """One direction: predict along the tangent, correct at right angles to it."""
    x, last = start / scale, None
    found: list[np.ndarray] = []
    length = abs(step)
    while len(found) < most:
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
            length *= 0.5  # come closer to the border before stopping
            continue
        found.append(trial * scale)
        x, last = trial, tangent
        length = min(1.3 * length, 4 * abs(step))
    return found


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
    """The corner of the bordered matrix at (omega, p, q) and its real Jacobian, 2 x 3."""
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

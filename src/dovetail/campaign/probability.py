"""Probability of a condition over a design space, and largest admissible value of a parameter.

A campaign with a random design is a sample: the fraction of points that satisfy a condition estimates its probability,
with an exact (Clopper-Pearson) interval. Points of a grid are not a sample: the fraction is that of the grid, without
an interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from dovetail.campaign.actuator_requirements import admissible_value
from dovetail.campaign.constraints import satisfies
from dovetail.core.errors import AnalysisError


@dataclass(frozen=True)
class Probability:
    """Number of points that satisfy a condition, with a confidence interval."""

    count: int
    total: int
    fraction: float
    low: float  # bounds of the confidence interval
    high: float

    def __str__(self) -> str:
        interval = f"{100 * self.low:.3g} to {100 * self.high:.3g} %"
        return f"{100 * self.fraction:.3g} % ({self.count} of {self.total}; 95 % interval {interval})"


def probability(table: Mapping[str, np.ndarray], condition: str, confidence: float = 0.95) -> Probability:
    """Return the probability of a condition on parameters and measures; points without a value are excluded."""
    used = {name: column for name, column in table.items() if name in condition}
    valid = np.ones(len(next(iter(table.values()))), dtype=bool)
    for column in used.values():
        if column.dtype != object:
            valid &= ~np.isnan(column.astype(float))  # infinity is a value, for example of a margin
    if not valid.any():
        raise AnalysisError(f'"{condition}": no point has values for it')
    satisfied = satisfies(condition, {name: column[valid] for name, column in table.items()})
    test = scipy.stats.binomtest(int(satisfied.sum()), len(satisfied))
    interval = test.proportion_ci(confidence, method="exact")
    return Probability(
        int(satisfied.sum()),
        len(satisfied),
        float(satisfied.mean()),
        float(interval.low),
        float(interval.high),
    )


class OutOfRangeError(AnalysisError):
    """A limit is met at all values of a parameter, or at none: the admissible value is outside its range.

    This is a result of the campaign, not a failure. `value` is the bound of the range next to the admissible value,
    `reached` the measure there.
    """

    def __init__(self, text: str, value: float, reached: float, is_met: bool):
        super().__init__(text)
        self.value, self.reached, self.is_met = value, reached, is_met


def largest_admissible(
    table: Mapping[str, np.ndarray],
    parameter: str,
    measure: str,
    limit: float,
    fraction: float = 0.95,
    bins: int = 20,
) -> float:
    """Return the largest value of a parameter with the magnitude of a measure below a limit.

    For each value of the parameter (if all values differ: each of `bins` parts of equal count), the magnitude of the
    measure that a `fraction` of the points does not exceed; then the value at which this quantile crosses the limit.
    Points without a value count as above the limit.
    """
    x, y = np.asarray(table[parameter], float), np.abs(np.asarray(table[measure], float))
    y = np.where(np.isfinite(y), y, np.inf)
    values = np.unique(x)
    if len(values) > 2 * bins:
        edges = np.quantile(x, np.linspace(0, 1, bins + 1))
        part = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, bins - 1)
        values = np.array([x[part == i].mean() for i in range(bins)])
    else:
        part = np.searchsorted(values, x)
    reached = [np.quantile(y[part == i], fraction, method="higher") for i in range(len(values))]
    finite = np.where(np.isfinite(reached), reached, 1e6 * max(limit, 1e-300))
    if finite[0] > limit:
        raise OutOfRangeError(
            f"already at {parameter} = {values[0]:.4g} the magnitude of {measure} is {reached[0]:.4g} in "
            f"{100 * fraction:g} % of the points, above the limit {limit:g}; extend {parameter} below that, or raise "
            "the limit",
            float(values[0]),
            float(reached[0]),
            False,
        )
    if (finite <= limit).all():
        raise OutOfRangeError(
            f"up to the largest value {parameter} = {values[-1]:.4g}, {measure} stays below the limit {limit:g} in "
            f"{100 * fraction:g} % of the points; extend the range above that",
            float(values[-1]),
            float(reached[-1]),
            True,
        )
    return admissible_value(values, finite, limit)

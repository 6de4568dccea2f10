"""Shares of a design space: how probable an outcome is, and how far an axis may go.

A campaign whose points are drawn is a sample; the share of points that satisfy a rule estimates its probability, with
an exact (Clopper-Pearson) interval. Points of a grid are no sample: there the share is of the grid, without interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from dovetail.campaign.actuator_requirements import admissible
from dovetail.campaign.constraints import kept
from dovetail.core.errors import AnalysisError


@dataclass(frozen=True)
class Odds:
    """How often something happened."""

    count: int
    of: int
    share: float
    low: float  # ends of the interval of confidence
    high: float

    def __str__(self) -> str:
        ends = f"{100 * self.low:.3g} to {100 * self.high:.3g} %"
        return f"{100 * self.share:.3g} % ({self.count} of {self.of}; 95 %: {ends})"


def probability(table: Mapping[str, np.ndarray], rule: str, confidence: float = 0.95) -> Odds:
    """How probable it is that a rule over axes and measures holds; points without a value are left out."""
    named = {name: column for name, column in table.items() if name in rule}
    valid = np.ones(len(next(iter(table.values()))), dtype=bool)
    for column in named.values():
        if column.dtype != object:
            valid &= ~np.isnan(column.astype(float))  # an infinite margin is a value
    if not valid.any():
        raise AnalysisError(f'"{rule}": no point has values for it')
    holds = kept(rule, {name: column[valid] for name, column in table.items()})
    found = scipy.stats.binomtest(int(holds.sum()), len(holds))
    interval = found.proportion_ci(confidence, method="exact")
    return Odds(int(holds.sum()), len(holds), float(holds.mean()), float(interval.low), float(interval.high))


class OffAxisError(AnalysisError):
    """A bound that no value of an axis keeps, or that all keep: it is met before the axis begins, or after it ends.

    That is a result, and no failure of the campaign: `value` is where the axis begins or ends, `reached` the measure's
    size there.
    """

    def __init__(self, text: str, value: float, reached: float, kept: bool):
        super().__init__(text)
        self.value, self.reached, self.kept = value, reached, kept


def largest(
    table: Mapping[str, np.ndarray], of: str, measure: str, below: float, share: float = 0.95, bins: int = 20
) -> float:
    """Largest value of an axis at which a measure's size stays below a bound in a share of the rest of the space.

    At each value of the axis (each of `bins` parts of equal count, where all values differ), the quantile `share` of
    the measure's size; then the value at which that crosses the bound. Points without a value count as beyond it.
    """
    x, y = np.asarray(table[of], float), np.abs(np.asarray(table[measure], float))
    y = np.where(np.isfinite(y), y, np.inf)
    values = np.unique(x)
    if len(values) > 2 * bins:
        edges = np.quantile(x, np.linspace(0, 1, bins + 1))
        part = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, bins - 1)
        values = np.array([x[part == i].mean() for i in range(bins)])
    else:
        part = np.searchsorted(values, x)
    reached = [np.quantile(y[part == i], share, method="higher") for i in range(len(values))]
    finite = np.where(np.isfinite(reached), reached, 1e6 * max(below, 1e-300))
    if finite[0] > below:
        raise OffAxisError(
            f"already at {of} = {values[0]:.4g} the size of {measure} is {reached[0]:.4g} in {100 * share:g} % of the "
            f"points, more than {below:g}; let {of} begin below that, or bear more",
            float(values[0]),
            float(reached[0]),
            False,
        )
    if (finite <= below).all():
        raise OffAxisError(
            f"up to {of} = {values[-1]:.4g}, where the axis ends, {measure} stays below {below:g} in "
            f"{100 * share:g} % of the points; let it go further",
            float(values[-1]),
            float(reached[-1]),
            True,
        )
    return admissible(values, finite, below)

r"""Global sensitivity of a measure: Sobol indices and Morris's elementary effects.

The first-order index of a parameter is the fraction of the variance explained by its variation alone, the total index
includes its interactions; both follow from a Saltelli design of n (k + 2) points [Saltelli 2010]. A Morris design of
r (k + 1) points costs less: the mean size :math:`\mu^*` of the effects of single steps ranks the parameters, their
spread :math:`\sigma` indicates curvature and interaction [Morris 1991].

An infinite value, such as the margin of a loop that is stable for any delay, has no variance. If some are infinite, the
ranks of the values are analysed: indices of ranks are those of an increasing transformation of the measure.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from dovetail.campaign.plan import Campaign
from dovetail.campaign.sampling import LEVELS, morris_fractions
from dovetail.core.errors import AnalysisError


class Index(NamedTuple):
    """Sobol indices of one parameter, with 95 % bootstrap intervals."""

    name: str
    first: float
    first_interval: tuple[float, float]
    total: float
    total_interval: tuple[float, float]


class Effect(NamedTuple):
    """Elementary effects of one parameter over its range, in the unit of the measure."""

    name: str
    mean: float
    size: float  # mean of the absolute effects
    spread: float


def sobol(campaign: Campaign, values: np.ndarray, resamples: int = 200) -> list[Index]:
    """Return the indices of all parameters for a measure at the points of a Saltelli design, largest total first."""
    values = ranked(_in_design_order(campaign, values, "saltelli"))
    k = len(campaign.parameters)
    n = len(values) // (k + 2)
    if n & (n - 1):
        raise AnalysisError(f"design.count: got {n}; Sobol indices need a power of two")
    if not np.ptp(values) > 0:
        raise AnalysisError("the measure is equal at all points; Sobol indices need a variance")
    blocks = values.reshape(k + 2, 1, n)
    indices = scipy.stats.sobol_indices(
        func={"f_A": blocks[0], "f_B": blocks[1], "f_AB": blocks[2:]}, n=n, rng=np.random.default_rng(0)
    )
    interval = indices.bootstrap(confidence_level=0.95, n_resamples=resamples)
    rows = []
    for i, parameter in enumerate(campaign.parameters):
        intervals = [
            (float(np.ravel(b.confidence_interval.low)[i]), float(np.ravel(b.confidence_interval.high)[i]))
            for b in (interval.first_order, interval.total_order)
        ]
        first, total = (float(np.ravel(x)[i]) for x in (indices.first_order, indices.total_order))
        rows.append(Index(parameter.name, first, intervals[0], total, intervals[1]))
    return sorted(rows, key=lambda row: -row.total)


def morris(campaign: Campaign, values: np.ndarray) -> list[Effect]:
    """Return the elementary effects of all parameters for a measure at the points of a Morris design, largest first."""
    values = ranked(_in_design_order(campaign, values, "morris"))
    k = len(campaign.parameters)
    fractions = morris_fractions(k, campaign.point_count, np.random.default_rng(campaign.seed))
    steps = np.diff(fractions.reshape(-1, k + 1, k), axis=1)
    stepped, change = np.argmax(np.abs(steps), axis=2), np.diff(values.reshape(-1, k + 1), axis=1)
    delta = LEVELS / (2 * (LEVELS - 1))
    effects = change * np.sign(np.take_along_axis(steps, stepped[..., None], axis=2)[..., 0]) / delta
    rows = []
    for i, parameter in enumerate(campaign.parameters):
        column = effects[stepped == i]
        spread = float(column.std(ddof=1)) if len(column) > 1 else 0.0
        rows.append(Effect(parameter.name, float(column.mean()), float(np.abs(column).mean()), spread))
    return sorted(rows, key=lambda row: -row.size)


def ranked(values: np.ndarray) -> np.ndarray:
    """Return the values; their ranks as fractions of their number if some are infinite."""
    return values if np.isfinite(values).all() else scipy.stats.rankdata(values) / len(values)


def _in_design_order(campaign: Campaign, values: np.ndarray, kind: str) -> np.ndarray:
    """Return the values in the order of the design; raise if the design is another or a value is missing."""
    if campaign.design_kind != kind:
        raise AnalysisError(f'design.kind: got "{campaign.design_kind}"; this analysis needs "{kind}"')
    values = np.asarray(values, float)[campaign.design_order()]
    missing = int(np.isnan(values).sum())
    if missing:
        raise AnalysisError(f"{missing} of {len(values)} points have no value; the design needs all of them")
    return values

r"""How much of a measure's variation each axis explains: Sobol indices, and Morris's elementary effects.

The first-order index of an axis is the share of the variance that its variation alone explains, the total index that
which it takes part in; both follow from a Saltelli design of n (k + 2) points [Saltelli 2010]. A Morris design of
r (k + 1) points is the cheaper look: the mean size :math:`\mu^*` of the effects of single steps ranks the axes, their
spread :math:`\sigma` tells of curvature and of interaction [Morris 1991].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from dovetail.campaign.plan import Campaign
from dovetail.campaign.sampling import LEVELS, morris_shares
from dovetail.core.errors import AnalysisError


class Index(NamedTuple):
    """Sobol indices of one axis, with intervals of 95 % by bootstrap."""

    name: str
    first: float
    first_interval: tuple[float, float]
    total: float
    total_interval: tuple[float, float]


class Effect(NamedTuple):
    """Elementary effects of one axis over its range, in the unit of the measure."""

    name: str
    mean: float
    size: float  # mean of the absolute effects
    spread: float


def sobol(campaign: Campaign, values: np.ndarray, resamples: int = 200) -> list[Index]:
    """Indices of all axes for a measure at the points of a Saltelli design, strongest total first."""
    values = _designed(campaign, values, "saltelli")
    k = len(campaign.axes)
    n = len(values) // (k + 2)
    if n & (n - 1):
        raise AnalysisError(f"design.points: got {n}; Sobol indices need a power of two")
    if not np.ptp(values) > 0:
        raise AnalysisError("the measure is the same at all points, so there is nothing to explain")
    blocks = values.reshape(k + 2, 1, n)
    found = scipy.stats.sobol_indices(
        func={"f_A": blocks[0], "f_B": blocks[1], "f_AB": blocks[2:]}, n=n, rng=np.random.default_rng(0)
    )
    interval = found.bootstrap(confidence_level=0.95, n_resamples=resamples)
    rows = []
    for i, axis in enumerate(campaign.axes):
        ends = [
            (float(np.ravel(b.confidence_interval.low)[i]), float(np.ravel(b.confidence_interval.high)[i]))
            for b in (interval.first_order, interval.total_order)
        ]
        first, total = (float(np.ravel(x)[i]) for x in (found.first_order, found.total_order))
        rows.append(Index(axis.name, first, ends[0], total, ends[1]))
    return sorted(rows, key=lambda row: -row.total)


def morris(campaign: Campaign, values: np.ndarray) -> list[Effect]:
    """Elementary effects of all axes for a measure at the points of a Morris design, largest first."""
    values = _designed(campaign, values, "morris")
    k = len(campaign.axes)
    shares = morris_shares(k, campaign.number, np.random.default_rng(campaign.seed)).reshape(-1, k + 1, k)
    moved = np.diff(shares, axis=1)
    which, change = np.argmax(np.abs(moved), axis=2), np.diff(values.reshape(-1, k + 1), axis=1)
    delta = LEVELS / (2 * (LEVELS - 1))
    effects = change * np.sign(np.take_along_axis(moved, which[..., None], axis=2)[..., 0]) / delta
    rows = []
    for i, axis in enumerate(campaign.axes):
        own = effects[which == i]
        spread = float(own.std(ddof=1)) if len(own) > 1 else 0.0
        rows.append(Effect(axis.name, float(own.mean()), float(np.abs(own).mean()), spread))
    return sorted(rows, key=lambda row: -row.size)


def _designed(campaign: Campaign, values: np.ndarray, kind: str) -> np.ndarray:
    """Values in the order of the design, or why they are no use."""
    if campaign.kind != kind:
        raise AnalysisError(f'design.kind: is "{campaign.kind}"; this needs "{kind}"')
    values = np.asarray(values, float)[campaign.as_designed()]
    lost = int((~np.isfinite(values)).sum())
    if lost:
        raise AnalysisError(f"{lost} of {len(values)} points have no value; the design needs all of them")
    return values

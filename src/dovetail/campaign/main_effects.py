r"""Which parameters matter: key parameters, trade-offs, and how much of a variation each explains.

The *influence* of a parameter on a measure is the range of the measure over the parameter's own range, all
others at their defaults; its share of the sum over all parameters ranks them. It depends on the ranges, as it
should: a parameter that cannot be chosen badly is no key parameter. The published tool judges by eye
[Bondoky 2020, sec. 5.4]; this is its index.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr

from dovetail.core.errors import AnalysisError


class Influence(NamedTuple):
    """What one parameter does to one measure."""

    name: str
    influence: float  # range of the measure, in its unit
    share: float  # of the sum over all parameters
    monotone: int  # 1 rising, -1 falling, 0 neither


def rank(tables: Mapping[str, xr.Dataset], measure: str) -> list[Influence]:
    """Parameters by their influence on a measure, strongest first, from `sweep.one_at_a_time`."""
    spans, trends = {}, {}
    for name, table in tables.items():
        values = np.asarray(table[measure].values, float)
        if not np.isfinite(values).all():
            raise AnalysisError(
                f"{measure} over {name}: some points failed; rank what was computed, or mend them"
            )
        spans[name] = float(values.max() - values.min())
        steps = np.diff(values)
        trends[name] = int(np.all(steps > 0)) - int(np.all(steps < 0)) if len(steps) else 0
    total = sum(spans.values()) or 1.0
    order = sorted(spans, key=lambda name: -spans[name])
    return [Influence(name, spans[name], spans[name] / total, trends[name]) for name in order]


def key_parameters(ranking: list[Influence], share: float = 0.2) -> list[str]:
    """Parameters whose share of the influence is at least `share`."""
    return [row.name for row in ranking if row.share >= share]


def trade_off(table: xr.DataArray, along: str, other: str, share: float = 0.05) -> float | None:
    """Value of `along` from which on `other` no longer matters.

    `other` matters at a value of `along` where it changes the measure by more than `share` of its size
    there. The last value at which it does, or None if it never does (`along` then has no trade-off point).
    """
    span = table.max(other) - table.min(other)
    size = abs(table).max(other)
    matters = (span > share * size).transpose(along).values
    return float(table[along].values[np.flatnonzero(matters)[-1]]) if matters.any() else None

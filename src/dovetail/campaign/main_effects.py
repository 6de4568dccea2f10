r"""Main effects: which parameters influence a measure, and up to where.

The main effect of a parameter on a measure is the range of the measure over the range of the parameter, with all others
at their defaults; its fraction of the sum over all parameters ranks the parameters. It depends on the ranges: a
parameter whose range has no effect is not a key parameter. The source judges by eye [Bondoky 2020, sec. 5.4]; this
index replaces that judgement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr

from dovetail.core.errors import AnalysisError


class MainEffect(NamedTuple):
    """Effect of one parameter on one measure."""

    name: str
    span: float  # range of the measure, in its unit
    fraction: float  # of the sum over all parameters
    monotone: int  # 1 rising, -1 falling, 0 neither


def main_effects(tables: Mapping[str, xr.Dataset], measure: str) -> list[MainEffect]:
    """Return the main effects of all parameters on a measure, largest first, from `sweep.one_at_a_time`."""
    spans, trends = {}, {}
    for name, table in tables.items():
        values = np.asarray(table[measure].values, float)
        if not np.isfinite(values).all():
            raise AnalysisError(f"{measure} over {name}: some points failed; main effects need all points")
        spans[name] = float(values.max() - values.min())
        steps = np.diff(values)
        trends[name] = int(np.all(steps > 0)) - int(np.all(steps < 0)) if len(steps) else 0
    total = sum(spans.values()) or 1.0
    order = sorted(spans, key=lambda name: -spans[name])
    return [MainEffect(name, spans[name], spans[name] / total, trends[name]) for name in order]


def key_parameters(effects: list[MainEffect], min_fraction: float = 0.2) -> list[str]:
    """Return the parameters with at least `min_fraction` of the sum of all effects."""
    return [row.name for row in effects if row.fraction >= min_fraction]


def saturation_point(
    table: xr.DataArray, parameter: str, other_parameter: str, fraction: float = 0.05
) -> float | None:
    """Return the largest value of `parameter` at which `other_parameter` has an influence on a measure.

    It has an influence if it changes the measure by more than `fraction` of its magnitude there. None if it has no
    influence at any value.
    """
    span = table.max(other_parameter) - table.min(other_parameter)
    size = abs(table).max(other_parameter)
    has_influence = (span > fraction * size).transpose(parameter).values
    return float(table[parameter].values[np.flatnonzero(has_influence)[-1]]) if has_influence.any() else None

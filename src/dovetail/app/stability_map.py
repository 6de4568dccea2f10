"""Stability map over two parameters: growth rate of the loop and the present point of the test.

The map is computed row by row, so that a page can draw the finished rows; each row is one compiled call for all its
points. The stability limit is the contour of zero growth rate. The growth rate is that of the sampled loop, linearised
at rest; points where it is not determined are NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from dovetail.app.explore import Explorer
from dovetail.core.errors import DovetailError

SIZE = 24  # points per axis


@dataclass(frozen=True)
class StabilityMap:
    """Growth rate [1/s] over two parameters, `growth[i, j]` at `across[j]` and `up[i]`, in declared units."""

    first: str  # parameter path of `across`
    second: str
    across: np.ndarray
    up: np.ndarray
    growth: np.ndarray
    present: tuple[float, float]
    done: int  # number of computed rows
    fault: str = ""


def compute_map(
    explorer: Explorer,
    first: str,
    second: str,
    values: Mapping[str, float],
    size: int = SIZE,
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> Iterator[StabilityMap]:
    """Iterate over the map while rows are added; the last item is complete.

    `ranges` are the ranges of the two parameters (default: the slider ranges).
    """
    values = {**explorer.values(), **values}
    bounds = {path: (slider.low, slider.high) for path, slider in explorer.slider_ranges.items()} | dict(
        ranges or {}
    )
    across, up = (np.linspace(*bounds[path], size) for path in (first, second))
    map_ = StabilityMap(
        first, second, across, up, np.full((size, size), np.nan), (values[first], values[second]), 0
    )
    for row, value in enumerate(up):
        try:
            growth = map_.growth.copy()
            growth[row] = explorer.growth_rates({**values, second: float(value)}, first, across.tolist())
        except DovetailError as error:
            yield replace(map_, fault=str(error))
            return
        map_ = replace(map_, growth=growth, done=row + 1)
        yield map_

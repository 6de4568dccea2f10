"""A stability map of two knobs: growth of the loop over both, and where the test is now.

Row by row, so that a page can draw what is there; each row is one compiled call for all of its points (as a design has
it). The limit of stability is where the growth is zero. It is of the loop as it runs, sampled and linearised at rest;
points that have no such answer are NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from dovetail.app.explore import Feel
from dovetail.core.errors import DovetailError

SIZE = 24  # points along each knob


@dataclass(frozen=True)
class StabilityMap:
    """Growth [1/s] over two knobs, `growth[i, j]` at `across[j]` and `up[i]`, in declared units."""

    first: str  # path along `across`
    second: str
    across: np.ndarray
    up: np.ndarray
    growth: np.ndarray
    present: tuple[float, float]
    done: int  # rows
    fault: str = ""


def charted(
    feel: Feel,
    first: str,
    second: str,
    values: Mapping[str, float],
    size: int = SIZE,
    stretches: Mapping[str, tuple[float, float]] | None = None,
) -> Iterator[StabilityMap]:
    """The map with its rows as they come; the last has all of them.

    It goes over the `stretches` of the two, where they are said, else from end to end of the knobs.
    """
    values = {**feel.values(), **values}
    ends = {path: (knob.low, knob.high) for path, knob in feel.knobs.items()} | dict(stretches or {})
    across, up = (np.linspace(*ends[path], size) for path in (first, second))
    found = StabilityMap(
        first, second, across, up, np.full((size, size), np.nan), (values[first], values[second]), 0
    )
    for row, value in enumerate(up):
        try:
            growth = found.growth.copy()
            growth[row] = feel.growths({**values, second: float(value)}, first, across.tolist())
        except DovetailError as error:
            yield replace(found, fault=str(error))
            return
        found = replace(found, growth=growth, done=row + 1)
        yield found

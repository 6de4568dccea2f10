"""Parameter maps: results over a grid of parameters, computed as one batch."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from dovetail.core.block import Part
from dovetail.core.errors import Fault

if TYPE_CHECKING:
    import xarray as xr


MAX_CHANGE = 0.1  # largest relative change of a converged value by half the step; rounding changes it by 0.07
SMALL = 0.1  # fraction of the largest value in a map below which changes are relative to this fraction


class ParameterMap(Part):
    """Part that computes a result at each point of a parameter grid.

    `figure` selects its figure: `"lines"` (over `line_coordinate`, one line for each value of the other
    coordinates), `"map"` (colours over two coordinates), `"outcomes"`, `"bars"` or `"none"`.
    """

    figure: ClassVar[str] = "lines"
    line_coordinate: ClassVar[str] = ""  # empty: the last coordinate of the variable

    @abstractmethod
    def compute(self) -> xr.Dataset:
        """Return the results over the varied coordinates."""

    def refined(self) -> Self | None:
        """Return this map with half the integration steps; None if it is not verified so."""
        return None

    def faults(self) -> list[Fault]:
        """Return all faults except those found by the range checks of single parameters."""
        return []

    def figure_data(self, data: xr.Dataset) -> xr.Dataset:
        """Return the results to draw: all by default; override it if there are too many coordinates for a figure."""
        return data

    def labels(self, data: xr.Dataset) -> list[str]:
        """Return labels of the lines; empty if the coordinate is sufficient."""
        return []

    @abstractmethod
    def summary(self, data: xr.Dataset) -> str:
        """Return a summary of the results as text."""


def converged_values(data: xr.Dataset, fine: xr.Dataset) -> tuple[xr.Dataset, list[str]]:
    """Return results without the values that are not finite or not converged, and a message for each measure with such.

    `fine` are the same results with half the integration steps.
    """
    kept, messages = data.copy(), []
    for name, values in data.data_vars.items():
        size = np.abs(fine[name].values)
        largest = np.max(size, where=np.isfinite(size), initial=0.0)
        change = np.abs(values - fine[name])  # not finite where a value is not
        good = change <= MAX_CHANGE * np.maximum(size, SMALL * largest)
        kept[name] = values.where(good)
        if count := int(np.sum(~good)):
            messages.append(
                f"{str(name).replace('_', ' ')}: {count} of {values.size} values are left out: they are not finite, "
                f"or half the step changes them by more than {100 * MAX_CHANGE:g} %"
            )
    return kept, messages

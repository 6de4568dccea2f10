"""Parameter maps: results over a grid of parameters, computed as one batch."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from dovetail.core.block import Part
from dovetail.core.errors import Fault

if TYPE_CHECKING:
    import xarray as xr


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

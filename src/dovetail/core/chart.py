"""Charts: an answer over a grid of parameters, computed as one batch."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from dovetail.core.block import Part

if TYPE_CHECKING:
    import xarray as xr


class Chart(Part):
    """A part that answers one question at every point of a grid."""

    @abstractmethod
    def compute(self) -> xr.Dataset:
        """The answers, on the coordinates that were varied."""

    @abstractmethod
    def summary(self, data: xr.Dataset) -> str:
        """What the chart shows, for people to read."""

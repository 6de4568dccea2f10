"""Charts: an answer over a grid of parameters, computed as one batch."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from dovetail.core.block import Part
from dovetail.core.errors import Fault

if TYPE_CHECKING:
    import xarray as xr


class Chart(Part):
    """A part that answers one question at every point of a grid.

    How its picture is drawn: `picture` is `"lines"` (along the coordinate `along`, a line for each of the
    rest), `"map"` (colours over two coordinates), `"outcomes"`, `"bars"` or `"none"`.
    """

    picture: ClassVar[str] = "lines"
    along: ClassVar[str] = ""  # the last coordinate of a variable, where nothing is said

    @abstractmethod
    def compute(self) -> xr.Dataset:
        """The answers, on the coordinates that were varied."""

    def faults(self) -> list[Fault]:
        """All that is wrong with it beyond what each parameter checks for itself."""
        return []

    def shown(self, data: xr.Dataset) -> xr.Dataset:
        """What of the answers is drawn: all, unless there are more coordinates than a picture has."""
        return data

    def labels(self, data: xr.Dataset) -> list[str]:
        """Names for the lines of a picture; none where the coordinate says it."""
        return []

    @abstractmethod
    def summary(self, data: xr.Dataset) -> str:
        """What the chart shows, for people to read."""

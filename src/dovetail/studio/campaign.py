"""The points of a campaign as they arrive, over two of its axes; a click on one computes its test."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from dovetail.studio.chart import MovingPlot
from dovetail.studio.widgets import section, words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

SHADES = ("#3b4cc0", "#6f92f3", "#aac7fd", "#f7b89c", "#e7745b", "#b40426")  # from the least to the greatest
LOOK = 1.0  # [s] between two looks while it fills


class CampaignMap:
    """The card of one campaign."""

    def __init__(self, page: StudioPage, folder: Path):
        self.page, self.folder = page, folder
        self.points: Any = None
        with section("Campaign", "campaign"):
            self.told = words("p", "Nothing has been computed yet.", "quiet")
            with ui.element("div").classes("line"):
                self.fields = [
                    ui.select([], label=label, on_change=lambda _: self._draw())
                    .props("outlined dense options-dense")
                    .classes("grow")
                    for label in ("across", "up", "colour")
                ]
            self.chart = MovingPlot("Points of the campaign", "", "", 320).props("id=chart-campaign")
            self.chart.on("chosen", self._open)
            words(
                "p",
                "Blue is least, red is greatest, grey is to come. A click on a point computes its test.",
                "quiet small",
            )
        ui.timer(LOOK, self._look)

    async def _look(self) -> None:
        before = self.points.computed if self.points is not None else -1
        self.points = await asyncio.to_thread(found, self.folder) or self.points
        if self.points is not None and self.points.computed != before:
            axes = [column.name for column in self.points.axes]
            measures = [column.name for column in self.points.measures]
            for field, names, place in zip(self.fields, (axes, axes, measures), (0, 1, 0), strict=True):
                if names != field.options:
                    field.set_options(names, value=names[min(place, len(names) - 1)] if names else None)
            self._draw()

    def _columns(self) -> list[Any] | None:
        known = {column.name: column for column in (*self.points.axes, *self.points.measures)}
        chosen = [known.get(str(field.value)) for field in self.fields]
        return None if None in chosen else chosen

    def _draw(self) -> None:
        chosen = self._columns() if self.points is not None else None
        if chosen is None:
            return
        across, up, colour = chosen
        x, y = (place(column.values) for column in (across, up))
        self.told.text = f"{self.points.title}: {self.points.computed} of {self.points.total} points"
        dots = [
            {"x": float(a), "y": float(b), "colour": shade, "size": 5}
            for a, b, shade in zip(x, y, shades(colour.values), strict=True)
        ]
        names = {
            f"{axis}name": f"{one.name} [{one.unit}]" if one.unit else one.name
            for axis, one in (("x", across), ("y", up))
        }
        self.chart.show(
            {"points": dots, **names, "x": stretch(x), "y": stretch(y), "number": self.points.computed}
        )

    async def _open(self, event: Any) -> None:
        """The test of the point nearest to a click."""
        from dovetail.app.campaign_points import point_document
        from dovetail.core.errors import DovetailError

        chosen = self._columns() if self.points is not None else None
        if chosen is None or not self.page.may():
            return
        away: Any = 0.0
        for axis, column in zip(("x", "y"), chosen[:2], strict=True):
            at, (low, high) = place(column.values), stretch(place(column.values))
            away = away + ((at - float(event.args[axis])) / (high - low)) ** 2
        try:
            document = await asyncio.to_thread(point_document, self.folder, int(np.argmin(away)))
        except DovetailError as error:
            self.page.say(str(error), bad=True)
            return
        await self.page.desk.open(document.name)
        self.page.go("feel")  # where it is computed at once


def found(folder: Path) -> Any:
    """The points in a campaign's folder; None while there is none."""
    from dovetail.app.campaign_points import points
    from dovetail.core.errors import DovetailError

    try:
        return points(folder)
    except (DovetailError, OSError, ValueError, KeyError):
        return None


def place(values: Any) -> np.ndarray:
    """Values of an axis as numbers; words by their order."""
    array = np.asarray(values)
    return (
        array.astype(float)
        if array.dtype.kind in "fiub"
        else np.unique(array, return_inverse=True)[1].astype(float)
    )


def stretch(values: np.ndarray) -> list[float]:
    """A range with some room."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = 0.05 * (high - low) or 0.5
    return [low - room, high + room]


def shades(values: np.ndarray) -> list[str]:
    """A colour for each value between the least and the greatest; grey for what is not known."""
    known = np.isfinite(values)
    low, high = (float(np.min(values[known])), float(np.max(values[known]))) if known.any() else (0.0, 0.0)
    share = (np.where(known, values, low) - low) / ((high - low) or 1.0)
    steps = np.minimum((share * len(SHADES)).astype(int), len(SHADES) - 1)
    return [SHADES[step] if fine else "#9aa1a9" for step, fine in zip(steps, known, strict=True)]

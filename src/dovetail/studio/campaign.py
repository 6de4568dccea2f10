"""Campaign points over two parameters, updated while they are computed; a click opens the test of a point."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from dovetail.studio.chart import MovingPlot
from dovetail.studio.widgets import section, text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

COLOUR_SCALE = ("#3b4cc0", "#6f92f3", "#aac7fd", "#f7b89c", "#e7745b", "#b40426")  # from minimum to maximum
UPDATE_INTERVAL = 1.0  # [s] update interval


class CampaignMap:
    """Card of one campaign."""

    def __init__(self, page: StudioPage, folder: Path):
        self.page, self.folder = page, folder
        self.points: Any = None
        with section("Campaign", "campaign"):
            self.progress = text_element("p", "No results yet.", "quiet")
            with ui.element("div").classes("line"):
                self.fields = [
                    ui.select([], label=label, on_change=lambda _: self._draw())
                    .props("outlined dense options-dense")
                    .classes("grow")
                    for label in ("across", "up", "colour")
                ]
            self.chart = MovingPlot("Points of the campaign", "", "", 320).props("id=chart-campaign")
            self.chart.on("selected", self._open)
            text_element(
                "p",
                "Blue: minimum. Red: maximum. Grey: not computed. Click a point to open its test in Explore.",
                "quiet small",
            )
        ui.timer(UPDATE_INTERVAL, self._poll)

    async def _poll(self) -> None:
        before = self.points.computed if self.points is not None else -1
        self.points = await asyncio.to_thread(read_points, self.folder) or self.points
        if self.points is not None and self.points.computed != before:
            axes = [column.name for column in self.points.parameters]
            measures = [column.name for column in self.points.measures]
            for field, names, place in zip(self.fields, (axes, axes, measures), (0, 1, 0), strict=True):
                if names != field.options:
                    field.set_options(names, value=names[min(place, len(names) - 1)] if names else None)
            self._draw()

    def _columns(self) -> list[Any] | None:
        by_name = {column.name: column for column in (*self.points.parameters, *self.points.measures)}
        columns = [by_name.get(str(field.value)) for field in self.fields]
        return None if None in columns else columns

    def _draw(self) -> None:
        columns = self._columns() if self.points is not None else None
        if columns is None:
            return
        across, up, colour = columns
        x, y = (to_numbers(column.values) for column in (across, up))
        self.progress.text = f"{self.points.title}: {self.points.computed} of {self.points.total} points"
        dots = [
            {"x": float(a), "y": float(b), "colour": shade, "size": 5}
            for a, b, shade in zip(x, y, colours(colour.values), strict=True)
        ]
        names = {
            f"{axis}name": f"{one.name} ({one.unit})" if one.unit else one.name
            for axis, one in (("x", across), ("y", up))
        }
        self.chart.show(
            {
                "points": dots,
                **names,
                "x": padded_range(x),
                "y": padded_range(y),
                "number": self.points.computed,
            }
        )

    async def _open(self, event: Any) -> None:
        """Open the test of the point nearest to a click."""
        from dovetail.app.campaign_points import point_document
        from dovetail.core.errors import DovetailError

        columns = self._columns() if self.points is not None else None
        if columns is None or not self.page.check_control():
            return
        distance: Any = 0.0
        for axis, column in zip(("x", "y"), columns[:2], strict=True):
            at, (low, high) = to_numbers(column.values), padded_range(to_numbers(column.values))
            distance = distance + ((at - float(event.args[axis])) / (high - low)) ** 2
        try:
            document = await asyncio.to_thread(point_document, self.folder, int(np.argmin(distance)))
        except DovetailError as error:
            self.page.show_message(str(error), bad=True)
            return
        await self.page.workspace.open(document.name)
        self.page.go("explore")  # computes the test


def read_points(folder: Path) -> Any:
    """Return the points in a campaign folder; None if there are none yet."""
    from dovetail.app.campaign_points import points
    from dovetail.core.errors import DovetailError

    try:
        return points(folder)
    except (DovetailError, OSError, ValueError, KeyError):
        return None


def to_numbers(values: Any) -> np.ndarray:
    """Return parameter values as numbers; text values as their index in sorted order."""
    array = np.asarray(values)
    return (
        array.astype(float)
        if array.dtype.kind in "fiub"
        else np.unique(array, return_inverse=True)[1].astype(float)
    )


def padded_range(values: np.ndarray) -> list[float]:
    """Return the range of values with a margin of 5 %."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.05 * (high - low) or 0.5
    return [low - margin, high + margin]


def colours(values: np.ndarray) -> list[str]:
    """Return a colour for each value from minimum to maximum; grey if not computed."""
    finite = np.isfinite(values)
    low, high = (float(np.min(values[finite])), float(np.max(values[finite]))) if finite.any() else (0.0, 0.0)
    fraction = (np.where(finite, values, low) - low) / ((high - low) or 1.0)
    steps = np.minimum((fraction * len(COLOUR_SCALE)).astype(int), len(COLOUR_SCALE) - 1)
    return [COLOUR_SCALE[step] if fine else "#9aa1a9" for step, fine in zip(steps, finite, strict=True)]

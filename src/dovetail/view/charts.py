"""Plots of a scene on the page: created once, then updated.

The cursor is one more line in each plot, on its own scale from 0 to 1: below the frame except at the displayed time.
In a plot without time axis the cursor is at the values of the displayed time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dovetail.scene.scene import Plot
from dovetail.scene.signal_plots import COLOURS

# contrast of at least 3:1 on the light and the dark panel
CURSOR, BELOW, ABOVE = (
    "#e5383b",
    -1.0,
    2.0,
)  # colour of the cursor, and its values below and above the frame (0 to 1)
GRID = "rgba(134, 142, 150, 0.25)"
AXIS: dict[str, Any] = {
    "stroke": "#868e96",
    "grid": {"stroke": "rgba(134, 142, 150, 0.2)"},
}  # for light and dark mode
PADDING = 8.0, 24.0, 0.0, 0.0  # [px] above, right, below, left, so that the uppermost number is not cut
NONE = "none"


def columns(plot: Plot, now: float | None = None) -> tuple[np.ndarray, ...]:
    """Return the data of a chart with ascending x, and with a cursor at `now` [s] as the last column."""
    order = np.argsort(plot.x, kind="stable") if np.any(np.diff(plot.x) < 0) else slice(None)
    rows = tuple(np.asarray(values, float)[order] for values in (plot.x, *plot.ys))
    if now is None:
        return rows
    values_now = _values_at(plot, now)
    i = int(np.searchsorted(rows[0], values_now[0]))
    line = np.full(len(rows[0]) + 3, BELOW)
    line[i + 1] = ABOVE
    return (*(np.insert(old, i, [new] * 3) for old, new in zip(rows, values_now, strict=True)), line)


def _values_at(plot: Plot, now: float) -> list[float]:
    """Return the x value and the value of each line at a time [s]."""
    times = plot.x if plot.times is None else plot.times
    return [float(np.interp(now, times, values)) for values in (plot.x, *plot.ys)]


def add_chart(gui: Any, plot: Plot, now: float | None = None, order: float | None = None) -> Any:
    """Add a chart to the page, with a cursor if `now` [s] is given; return its handle."""
    from viser import uplot

    series: list[Any] = [uplot.Series(label="over" if plot.dots else "t [s]")]
    for i, name in enumerate(plot.names):
        stroke = COLOURS[i % len(COLOURS)]
        label = name.replace("_", " ")
        if plot.dots:
            series.append({"label": label, "stroke": stroke, "width": 0, "points": {"show": True, "size": 2}})
        else:
            series.append(uplot.Series(label=label, stroke=stroke, width=1))
    scales: dict[str, Any] = {"x": uplot.Scale(time=False)}
    if now is not None:
        # set, because the automatic range is wrong when a chart is drawn twice (phone in dark mode)
        scales["x"] = uplot.Scale(time=False, range=(float(np.min(plot.x)), float(np.max(plot.x))))
        series.append(
            {"label": "now", "scale": "now", "stroke": CURSOR, "width": 1.5, "points": {"show": False}}
        )
        scales["now"] = {"range": (0.0, 1.0)}
    linked = (
        None if plot.dots else {"sync": {"key": "time", "setSeries": False}}
    )  # one mouse cursor for all charts
    about: dict[str, Any] = {
        "title": plot.title,
        "scales": scales,
        "aspect": 1.9,
        "cursor": linked,
        "padding": PADDING,
    }
    about["axes"] = AXIS, AXIS
    return gui.add_uplot(columns(plot, now), tuple(series), order=order, **about)


class Charts:
    """Plots of a scene, and one of a selected signal; with cursors if `now` [s] is given."""

    def __init__(
        self,
        gui: Any,
        plots: Sequence[Plot],
        choices: Mapping[str, Callable[[], Plot]],
        now: float | None = None,
    ):
        self.gui, self.plots, self.choices, self.now = gui, plots, choices, now
        self.charts = [add_chart(gui, plot, now) for plot in plots]
        self.selected: Any = None
        self.selected_plot: Any = None  # plot of the selected signal
        self.box: Any = None
        if choices:
            self.box = gui.add_dropdown("Add signal", (NONE, *choices), initial_value=NONE)
        self.name = NONE  # selected signal

    def update_selection(self) -> None:
        """Show the selected signal; called by the drawing thread."""
        if self.box is None or self.box.value == self.name:
            return
        self.name = self.box.value
        if self.selected is not None:
            self.selected.remove()
            self.selected = None
        if self.name in self.choices:
            self.selected_plot = self.choices[self.name]()
            self.selected = add_chart(self.gui, self.selected_plot, self.now)

    def move_cursor(self, now: float) -> None:
        """Move the cursor of every plot to a time [s]."""
        self.now = now
        for plot, chart in zip(self.plots, self.charts, strict=True):
            chart.data = columns(plot, now)
        if self.selected is not None:
            self.selected.data = columns(self.selected_plot, now)

    def update(self, plots: Sequence[Plot], choices: Mapping[str, Callable[[], Plot]]) -> None:
        """Update the data of the plots; the unit or the axis with the largest motion can change."""
        self.choices = choices
        self.update_selection()
        self.charts = [self._with_new_data(*pair) for pair in zip(self.charts, plots, strict=False)]
        if self.selected is not None and self.name in choices:
            self.selected = self._with_new_data(self.selected, choices[self.name]())

    def _with_new_data(self, chart: Any, plot: Plot) -> Any:
        """Return the chart with new data; for a new title replace the chart, because the page draws it wrong."""
        if chart.title == plot.title:
            chart.data = columns(plot)
            return chart
        other = add_chart(self.gui, plot, order=chart.order)
        chart.remove()
        return other

    def remove(self) -> None:
        """Remove all plots from the page."""
        for handle in (*self.charts, self.selected, self.box):
            if handle is not None:
                handle.remove()

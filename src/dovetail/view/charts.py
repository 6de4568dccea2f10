"""Plots of a stage on the page: made once, given new numbers as often as they come.

A playhead is one line more in each plot: on a scale of its own from 0 to 1 it lies below the frame but at the moment
that is shown, where it crosses it. Over anything but time it stands where that moment is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dovetail.scene.scene import Plot

# each is seen on white and on the dark panel: three times as bright or as dark as either at least
COLOURS = ("#1f8bd0", "#dd6a14", "#0b9a72", "#cf45b8", "#7c7fe0", "#b98300", "#a9794a", "#7f8a94")
HEAD, BELOW, ABOVE = (
    "#e5383b",
    -1.0,
    2.0,
)  # the playhead's colour, and where it lies: its frame is from 0 to 1
GRID = "rgba(134, 142, 150, 0.25)"
AXIS: dict[str, Any] = {
    "stroke": "#868e96",
    "grid": {"stroke": "rgba(134, 142, 150, 0.2)"},
}  # on light and on dark
AROUND = 8.0, 24.0, 0.0, 0.0  # [px] above, to the right, below, to the left: the uppermost number is whole
NOTHING = "nothing"


def columns(plot: Plot, now: float | None = None) -> tuple[np.ndarray, ...]:
    """Numbers in the order that a chart takes them: the horizontal ones ascend; with a playhead at `now` [s] last."""
    order = np.argsort(plot.x, kind="stable") if np.any(np.diff(plot.x) < 0) else slice(None)
    shown = tuple(np.asarray(values, float)[order] for values in (plot.x, *plot.ys))
    if now is None:
        return shown
    here = _moment(plot, now)
    i = int(np.searchsorted(shown[0], here[0]))
    line = np.full(len(shown[0]) + 3, BELOW)
    line[i + 1] = ABOVE
    return (*(np.insert(old, i, [new] * 3) for old, new in zip(shown, here, strict=True)), line)


def _moment(plot: Plot, now: float) -> list[float]:
    """What a plot shows at a moment [s]: its place along the horizontal axis, and a value of each line."""
    times = plot.x if plot.times is None else plot.times
    return [float(np.interp(now, times, values)) for values in (plot.x, *plot.ys)]


def add(gui: Any, plot: Plot, now: float | None = None, order: float | None = None) -> Any:
    """A chart on the page, with a playhead where a moment [s] is given, in its place among others; its handle."""
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
        # told, as what the page finds by itself is wrong where it is drawn twice, as on a phone in the dark
        scales["x"] = uplot.Scale(time=False, range=(float(np.min(plot.x)), float(np.max(plot.x))))
        series.append(
            {"label": "now", "scale": "now", "stroke": HEAD, "width": 1.5, "points": {"show": False}}
        )
        scales["now"] = {"range": (0.0, 1.0)}
    linked = None if plot.dots else {"sync": {"key": "time", "setSeries": False}}  # one cursor in all of them
    about: dict[str, Any] = {
        "title": plot.title,
        "scales": scales,
        "aspect": 1.9,
        "cursor": linked,
        "padding": AROUND,
    }
    about["axes"] = AXIS, AXIS
    return gui.add_uplot(columns(plot, now), tuple(series), order=order, **about)


class Charts:
    """The plots of a stage, and one of a signal that is chosen on the page; with playheads where `now` [s] is given."""

    def __init__(
        self,
        gui: Any,
        plots: Sequence[Plot],
        choices: Mapping[str, Callable[[], Plot]],
        now: float | None = None,
    ):
        self.gui, self.plots, self.choices, self.now = gui, plots, choices, now
        self.charts = [add(gui, plot, now) for plot in plots]
        self.chosen: Any = None
        self.asked: Any = None  # the plot that it shows
        self.box: Any = None
        if choices:
            self.box = gui.add_dropdown("any signal", (NOTHING, *choices), initial_value=NOTHING)
        self.name = NOTHING  # of the signal that is shown

    def tend(self) -> None:
        """Show the signal that the box names; called by the thread that draws."""
        if self.box is None or self.box.value == self.name:
            return
        self.name = self.box.value
        if self.chosen is not None:
            self.chosen.remove()
            self.chosen = None
        if self.name in self.choices:
            self.asked = self.choices[self.name]()
            self.chosen = add(self.gui, self.asked, self.now)

    def point(self, now: float) -> None:
        """Put the playhead of every plot at a moment [s]."""
        self.now = now
        for plot, chart in zip(self.plots, self.charts, strict=True):
            chart.data = columns(plot, now)
        if self.chosen is not None:
            self.chosen.data = columns(self.asked, now)

    def update(self, plots: Sequence[Plot], choices: Mapping[str, Callable[[], Plot]]) -> None:
        """New numbers for the same plots; with them the unit may be another, or the axis that moves most."""
        self.choices = choices
        self.tend()
        self.charts = [self._renewed(*pair) for pair in zip(self.charts, plots, strict=False)]
        if self.chosen is not None and self.name in choices:
            self.chosen = self._renewed(self.chosen, choices[self.name]())

    def _renewed(self, chart: Any, plot: Plot) -> Any:
        """The chart with new numbers, or under a new title another in its place: the page would draw it wrong."""
        if chart.title == plot.title:
            chart.data = columns(plot)
            return chart
        other = add(self.gui, plot, order=chart.order)
        chart.remove()
        return other

    def remove(self) -> None:
        """Take all of them off the page."""
        for handle in (*self.charts, self.chosen, self.box):
            if handle is not None:
                handle.remove()

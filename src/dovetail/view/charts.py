"""Plots of a stage on the page: made once, given new numbers as often as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dovetail.view.stage import Plot

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b5179e", "#56b4e9", "#e69f00", "#000000", "#8d969e")
NOTHING = "nothing"


def columns(plot: Plot) -> tuple[np.ndarray, ...]:
    """Numbers in the order that a chart takes them: the horizontal ones ascend."""
    order = np.argsort(plot.x, kind="stable") if np.any(np.diff(plot.x) < 0) else slice(None)
    return tuple(np.asarray(values, float)[order] for values in (plot.x, *plot.ys))


def add(gui: Any, plot: Plot) -> Any:
    """A chart on the page; its handle."""
    from viser import uplot

    series: list[Any] = [uplot.Series(label="over" if plot.dots else "t [s]")]
    for i, name in enumerate(plot.names):
        stroke = COLOURS[i % len(COLOURS)]
        label = name.replace("_", " ")
        if plot.dots:
            series.append({"label": label, "stroke": stroke, "width": 0, "points": {"show": True, "size": 2}})
        else:
            series.append(uplot.Series(label=label, stroke=stroke, width=1))
    scales = {"x": uplot.Scale(time=False)}
    return gui.add_uplot(columns(plot), tuple(series), title=plot.title, scales=scales, aspect=1.9)


class Charts:
    """The plots of a stage, and one of a signal that is chosen on the page."""

    def __init__(self, gui: Any, plots: Sequence[Plot], choices: Mapping[str, Callable[[], Plot]]):
        self.gui, self.choices = gui, choices
        self.charts = [add(gui, plot) for plot in plots]
        self.chosen: Any = None
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
            self.chosen = add(self.gui, self.choices[self.name]())

    def update(self, plots: Sequence[Plot], choices: Mapping[str, Callable[[], Plot]]) -> None:
        """New numbers for the same plots."""
        self.choices = choices
        self.tend()
        for plot, chart in zip(plots, self.charts, strict=False):
            chart.data = columns(plot)
        if self.chosen is not None and self.name in choices:
            self.chosen.data = columns(choices[self.name]())

    def remove(self) -> None:
        """Take all of them off the page."""
        for handle in (*self.charts, self.chosen, self.box):
            if handle is not None:
                handle.remove()

"""The stability map over two parameters, with the point of the present test in it, to be dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.chart import MovingPlot, short
from dovetail.studio.slider import told
from dovetail.studio.widgets import button, section, words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

SIZE = 24  # points along each side


class Map:
    """The card with the map."""

    def __init__(self, page: StudioPage):
        self.page, self.desk = page, page.desk
        self.shown: Any = None
        with section("Stability map", "map"):
            with ui.element("div").classes("line"):
                self.first = (
                    ui.select([], label="across").props("outlined dense options-dense").classes("grow mine")
                )
                self.second = (
                    ui.select([], label="up").props("outlined dense options-dense").classes("grow mine")
                )
            with ui.element("div").classes("line").style("margin: 8px 0"):
                button("Draw the map", self._ask, name="draw-map")
                self.state = words("span", "", "quiet small").props("id=map-state")
            self.chart = MovingPlot("Stability map over two parameters", "", "", 260, drag=True).props(
                "id=chart-map"
            )
            self.chart.on("dragged", self._drag, throttle=0.03)
            self.chart.on("dropped", self._drop)
            words("p", "Green is stable, red grows. Drag the point: the test follows.", "quiet small")

    def heard(self, what: str) -> None:
        """Show what is new."""
        if what in ("knobs", "document"):
            self._offer()
        if what == "map" and self.desk.map is not None:
            self._draw(self.desk.map)
        if what in ("values", "answer", "document") and self.shown is not None:
            self._place()

    def _offer(self) -> None:
        paths = [knob.path for knob in self.desk.knobs]
        if paths != self.first.options:
            self.first.set_options(paths, value=paths[0] if paths else None)
            self.second.set_options(paths, value=paths[1] if len(paths) > 1 else None)
            self.shown = None
            self.chart.show({})

    def _ask(self) -> None:
        if not self.page.may():
            return
        if not self.first.value or not self.second.value or self.first.value == self.second.value:
            self.page.say("The map needs two different sliders.")
            return
        self.state.text = "being computed"
        self.desk.map = None
        ends = {knob.path: (knob.low, knob.high) for knob in self.desk.knobs}  # those of the sliders
        self.desk.beside.chart(self.first.value, self.second.value, self.desk.values, SIZE, ends)

    def _draw(self, chart: Any) -> None:
        rows = len(chart.up)
        part = f"{chart.done} of {rows} rows" if chart.done < rows else "done"
        self.shown, self.state.text = chart, chart.fault or part
        if chart.fault:
            return
        cells = {
            "x": [float(chart.across[0]), float(chart.across[-1])],
            "y": [float(chart.up[0]), float(chart.up[-1])],
            "nx": len(chart.across),
            "ny": rows,
            "values": short(chart.growth),
        }
        units = {knob.path: f" [{knob.unit}]" if knob.unit else "" for knob in self.desk.knobs}
        names = {
            f"{axis}name": path + units.get(path, "")
            for axis, path in (("x", chart.first), ("y", chart.second))
        }
        self.chart.show({"cells": cells, "x": cells["x"], "y": cells["y"], **names})
        self._place()

    def _place(self) -> None:
        here = {
            key: self.desk.values.get(path)
            for key, path in (("x", self.shown.first), ("y", self.shown.second))
        }
        if None not in here.values():
            self.chart.patch(here=here)

    def _values(self, event: Any) -> dict[str, float]:
        return {self.shown.first: float(event.args["x"]), self.shown.second: float(event.args["y"])}

    def _drag(self, event: Any) -> None:
        if self.shown is not None and self.page.may():
            self.desk.ask(self._values(event))
            self.desk.tell("values")

    async def _drop(self, event: Any) -> None:
        if self.shown is None or not self.page.may():
            return
        values, units = self._values(event), {knob.path: knob.unit for knob in self.desk.knobs}
        for path, value in values.items():
            fault = await self.desk.put(path, told(value, units.get(path, "")))
            if fault:
                self.page.say(fault, bad=True)

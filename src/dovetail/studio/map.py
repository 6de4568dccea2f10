"""Stability map over two parameters, with the present test as a point that can be dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.chart import MovingPlot, rounded
from dovetail.studio.slider import value_text
from dovetail.studio.widgets import button, section, text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

SIZE = 24  # points per axis


class StabilityMapCard:
    """Card with the stability map."""

    def __init__(self, page: StudioPage):
        self.page, self.workspace = page, page.workspace
        self.map: Any = None
        with section("Stability map", "map") as self.card:
            with ui.element("div").classes("line"):
                self.first = (
                    ui.select([], label="across")
                    .props("outlined dense options-dense")
                    .classes("grow needs-control")
                )
                self.second = (
                    ui.select([], label="up")
                    .props("outlined dense options-dense")
                    .classes("grow needs-control")
                )
            with ui.element("div").classes("line").style("margin: 8px 0"):
                button("Compute map", self._request, name="draw-map")
                self.state = text_element("span", "", "quiet small").props("id=map-state")
            self.chart = MovingPlot("Stability map over two parameters", "", "", 260, drag=True).props(
                "id=chart-map"
            )
            self.chart.on("dragged", self._drag, throttle=0.03)
            self.chart.on("dropped", self._drop)
            text_element(
                "p", "Green: stable. Red: unstable. Drag the point to change the test.", "quiet small"
            )

    def refresh(self, change: str) -> None:
        """Update the card after a change."""
        if change in ("sliders", "document"):
            self._update_menus()
        if change == "map" and self.workspace.map is not None:
            self._draw(self.workspace.map)
        if change in ("values", "result", "document") and self.map is not None:
            self._show_point()

    def _update_menus(self) -> None:
        paths = [slider.path for slider in self.workspace.sliders]
        if paths != self.first.options:
            self.first.set_options(paths, value=paths[0] if paths else None)
            self.second.set_options(paths, value=paths[1] if len(paths) > 1 else None)
            self.map = None
            self.chart.show({})

    def _request(self) -> None:
        if not self.page.check_control():
            return
        if not self.first.value or not self.second.value or self.first.value == self.second.value:
            self.page.show_message("Select two different parameters for the map.")
            return
        self.state.text = "computing"
        self.workspace.map = None
        ranges = {
            slider.path: (slider.low, slider.high) for slider in self.workspace.sliders
        }  # slider ranges
        self.workspace.process.request_map(
            self.first.value, self.second.value, self.workspace.values, SIZE, ranges
        )

    def _draw(self, chart: Any) -> None:
        rows = len(chart.up)
        part = f"{chart.done} of {rows} rows" if chart.done < rows else "finished"
        self.map, self.state.text = chart, chart.fault or part
        if chart.fault:
            return
        cells = {
            "x": [float(chart.across[0]), float(chart.across[-1])],
            "y": [float(chart.up[0]), float(chart.up[-1])],
            "nx": len(chart.across),
            "ny": rows,
            "values": rounded(chart.growth),
        }
        units = {slider.path: f" ({slider.unit})" if slider.unit else "" for slider in self.workspace.sliders}
        names = {
            f"{axis}name": path + units.get(path, "")
            for axis, path in (("x", chart.first), ("y", chart.second))
        }
        self.chart.show({"cells": cells, "x": cells["x"], "y": cells["y"], **names})
        self._show_point()

    def _show_point(self) -> None:
        point = {
            key: self.workspace.values.get(path)
            for key, path in (("x", self.map.first), ("y", self.map.second))
        }
        if None not in point.values():
            self.chart.patch(here=point)

    def _values(self, event: Any) -> dict[str, float]:
        return {self.map.first: float(event.args["x"]), self.map.second: float(event.args["y"])}

    def _drag(self, event: Any) -> None:
        if self.map is not None and self.page.check_control():
            self.workspace.request(self._values(event))
            self.workspace.notify("values")

    async def _drop(self, event: Any) -> None:
        if self.map is None or not self.page.check_control():
            return
        values, units = self._values(event), {slider.path: slider.unit for slider in self.workspace.sliders}
        for path, value in values.items():
            fault = await self.workspace.set_value(path, value_text(value, units.get(path, "")))
            if fault:
                self.page.show_message(fault, bad=True)

"""Explore tab: sliders with live stability, dominant poles, response, reference and errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.chart import MovingPlot, line
from dovetail.studio.map import StabilityMapCard
from dovetail.studio.slider import SliderRow
from dovetail.studio.tile import ResultTile
from dovetail.studio.widgets import section, text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

COLOURS = {
    "reference": "reference",
    "response": "demand",
    "command": "command",
    "achieved": "measured",
    "error": "critical",
}
STATES = {
    "starting": "Starting the computing process.",
    "compiling": "Compiling the test; after that it follows the sliders.",
    "gone": "Computation stopped; change a value to restart.",
}


class ExploreTab:
    """Explore tab."""

    def __init__(self, page: StudioPage):
        self.page, self.workspace = page, page.workspace
        self.sliders: list[SliderRow] = []
        self.reference: dict[str, Any] = _line(
            {}, "reference"
        )  # last reference drawn; faint while a new one is computed
        with ui.element("div").classes("explore"):
            with ui.element("div").classes("stack"):
                with section("Sliders", "sliders"):
                    self.list = ui.element("div")
                    self.more = ui.select([], label="Add a slider for", on_change=self._add)
                    self.more.props("outlined dense options-dense id=more-sliders").classes(
                        "needs-control"
                    ).style("margin-top: 10px")
                    self.state = (
                        ui.label().classes("quiet small").props("id=explore-state").style("margin-top: 8px")
                    )
                self.map = StabilityMapCard(page)
            with ui.element("div").classes("stack wide"):
                self.fault = ui.label().classes("fault").props("id=explore-fault")
                with ui.element("div").classes("tiles") as self.outcome_box:
                    self.outcome = ResultTile("Outcome", "tile-outcome")
                with ui.element("div").classes("tiles") as self.loop_tiles:
                    self.stable = ResultTile("Stability", "tile-stable")
                    self.critical = ResultTile("Critical delay", "tile-critical")
                    self.margin = ResultTile("Delay margin", "tile-margin")
                    self.error = ResultTile("Response error", "tile-error")
                    self.tracking = ResultTile("Tracking error", "tile-tracking")
                with section("Response"):
                    self.response = MovingPlot("Response and reference", "time (s)", "", 250).props(
                        "id=chart-response"
                    )
                with ui.element("div").classes("pair") as self.loop_charts:
                    with section("Dominant poles"):
                        self.poles = MovingPlot(
                            "Dominant poles in the complex plane", "real part (1/s)", "frequency (Hz)", 230
                        )
                        self.poles.props("id=chart-roots")
                    with section("Errors"):
                        self.errors = MovingPlot("Errors", "time (s)", "", 230).props("id=chart-error")
                self.remarks = ui.label().classes("quiet small").props("id=explore-remarks")

    def refresh(self, change: str) -> None:
        """Update the tab after a change."""
        if change in ("sliders", "document"):
            self._show_sliders()
        if change == "values":
            for slider in self.sliders:
                slider.show(self.workspace.values.get(slider.path))
        if change == "result" and self.workspace.result is not None:
            self._show(self.workspace.result)
        if change == "document" and self.workspace.result is None:
            self._clear()
        if change == "document" and self.workspace.document is not None:
            self._show_panels(getattr(self.workspace.document.test, "rig", None) is not None)
        if change in ("state", "document"):
            process = self.workspace.process
            self.state.text = "" if process is None else STATES.get(process.state, "")
            if process is not None and process.state == "gone":
                self.fault.text = process.fault
        self.map.refresh(change)

    def _show_panels(self, has_rig: bool) -> None:
        """Show the panels of a loop for a test with a rig only: a simulation has no delay, poles and tracking."""
        for panel in (self.loop_tiles, self.loop_charts, self.map.card):
            panel.visible = has_rig
        self.outcome_box.visible = not has_rig

    def _show_sliders(self) -> None:
        ranges = [(slider.path, slider.low, slider.high) for slider in self.workspace.sliders]
        if ranges != [(slider.path, slider.about.low, slider.about.high) for slider in self.sliders]:
            self.list.clear()
            with self.list:
                self.sliders = [SliderRow(self.page, about) for about in self.workspace.sliders]
                if not self.sliders:
                    text_element("p", "Add a slider below.", "quiet")
        else:
            for slider, about in zip(self.sliders, self.workspace.sliders, strict=True):
                slider.show(about.value)
        options = [path for path in slider_paths(self.workspace.blocks) if path not in self.workspace.paths]
        if options != self.more.options:
            self.more.set_options(options, value=None)

    async def _add(self, event: Any) -> None:
        if event.value and self.page.check_control():
            await self.workspace.set_sliders([*self.workspace.paths, str(event.value)])

    def _clear(self) -> None:
        """Clear all results of the previous test."""
        self.reference = _line({}, "reference")
        for tile in (self.outcome, self.stable, self.critical, self.margin, self.error, self.tracking):
            tile.show("", "")
        for chart in (self.response, self.errors, self.poles):
            chart.show({"number": 0})
        self.fault.text = self.remarks.text = ""

    def _show(self, result: Any) -> None:
        if self.fault.text != result.fault:
            self.fault.text = result.fault
        if result.fault:
            return
        texts = result.texts()
        word = result.word.lower() or "not determined"
        tone = "good" if word == "stable" else "bad" if word.startswith("unstable") else "caution"
        about = f"growth rate of the sampled loop {texts['growth rate of the sampled loop']}"
        if result.contacts is not None and (result.contacts.gains or word == "not determined"):
            word, about = result.contacts.word.lower(), str(result.contacts)
            tone = "bad" if result.contacts.gains else "good"
        self.stable.show(word, about, tone)
        self.critical.show(texts["critical delay"], f"loop delay {texts['loop delay']}")
        known = is_known(result.margin)
        self.margin.show(texts["delay margin"], result.validity * known, tone if known else "")
        self.outcome.show(
            result.outcome.partition(":")[0],
            f"{result.end_time:.3g} s",
            tone="" if result.completed else "bad",
        )
        end = "" if result.completed else f"stopped at {result.end_time:.3g} s: {result.outcome}"
        waiting = "computing the reference" if result.reference_pending else ""
        self.error.show(
            texts["response error"],
            end or waiting or "rms(reference - demand) / rms(reference)",
            result.error_tone if result.completed else "bad",
        )
        self.tracking.show(texts["tracking error"], waiting or "rms(demand - measured) / rms(reference)")
        remarks = "; ".join(result.remarks)
        if remarks != self.remarks.text:
            self.remarks.text = remarks
        self._draw(result)

    def _draw(self, result: Any) -> None:
        traces = result.traces
        span = [0.0, float(result.computed_time or result.duration)]
        if not result.reference_pending:
            self.reference = _line(traces, "reference", dash=[5, 4], width=2.2)
        self.response.show(
            {
                "lines": [{**self.reference, "faint": result.reference_pending}, _line(traces, "response")],
                "x": span,
                "yname": _axis(traces.get("response"), long=True),
                "number": result.number,
            }
        )
        self.errors.show(
            {
                "lines": [_line(traces, name) for name in ("command", "achieved", "error") if name in traces],
                "x": span,
                "yname": _axis(traces.get("error") or traces.get("achieved")),
            }
        )
        self.poles.show(pole_plot(result.poles))


def pole_plot(roots: Any) -> dict[str, Any]:
    """Return a picture of the poles (real part [1/s], frequency [Hz]), centred on the dominant one.

    The window size is the magnitude of the dominant pole, rounded up to a power of two, so that it stays fixed while a
    slider moves.
    """
    growth, frequency = roots[0] if len(roots) else (0.0, 0.0)
    size = 2.0 ** math.ceil(math.log2(max(2 * math.pi * abs(frequency), abs(growth), 1e-3)))
    points = [
        {"x": x, "y": sign * f, "colour": "bad" if x > 0 else "good", "cross": True}
        for x, f in roots
        for sign in ((1, -1) if f else (1,))
    ]
    return {
        "points": points,
        "marks": [{"x": 0.0, "text": "unstable", "colour": "critical"}],
        "x": [-size / 2, size / 4],
        "y": [-0.3 * size, 0.3 * size],
    }


def slider_paths(blocks: Any) -> list[str]:
    """Return the paths of parameters that can have a slider, in all blocks."""
    paths: list[str] = []
    for block in blocks:
        paths += [value.path for value in block.values if value.traced]
        paths += slider_paths(block.inner)
    return paths


def _line(traces: Any, name: str, **style: Any) -> dict[str, Any]:
    trace = traces.get(name)
    if trace is None:
        return {"x": [], "y": [], "colour": COLOURS[name], "name": ""}
    return line(trace.t, trace.y, COLOURS[name], name, **style)


def _axis(trace: Any, long: bool = False) -> str:
    if trace is None:
        return ""
    name = trace.label.split(" of ")[0] if long else ""
    return f"{name} ({trace.unit})".strip() if trace.unit else name


def is_known(value: float | None) -> bool:
    """Return whether a value is a number (not None, not NaN)."""
    return value is not None and value == value

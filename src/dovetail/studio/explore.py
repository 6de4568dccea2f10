"""Feel: sliders, and what the test does while one moves: stability, roots, response against the ideal, error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.chart import MovingPlot, line
from dovetail.studio.map import Map
from dovetail.studio.slider import KnobRow
from dovetail.studio.tile import FigureTile
from dovetail.studio.widgets import section, words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

COLOURS = {
    "ideal": "ideal",
    "response": "demand",
    "command": "command",
    "achieved": "measured",
    "error": "critical",
}
STATES = {
    "starting": "The process that computes is starting.",
    "compiling": "The test is being compiled; after that it follows the sliders.",
    "gone": "The process that computes has ended; change something to start it again.",
}


class FeelRoom:
    """The room with the sliders."""

    def __init__(self, page: StudioPage):
        self.page, self.desk = page, page.desk
        self.knobs: list[KnobRow] = []
        self.ideal: dict[str, Any] = _line(
            {}, "ideal"
        )  # that was drawn last: faint while another is computed
        with ui.element("div").classes("feel"):
            with ui.element("div").classes("stack"):
                with section("Sliders", "sliders"):
                    self.list = ui.element("div")
                    self.more = ui.select([], label="Slider for", on_change=self._add)
                    self.more.props("outlined dense options-dense id=more-sliders").classes("mine").style(
                        "margin-top: 10px"
                    )
                    self.state = (
                        ui.label().classes("quiet small").props("id=feel-state").style("margin-top: 8px")
                    )
                self.map = Map(page)
            with ui.element("div").classes("stack wide"):
                self.fault = ui.label().classes("fault").props("id=feel-fault")
                with ui.element("div").classes("tiles"):
                    self.stable = FigureTile("Stability", "tile-stable")
                    self.critical = FigureTile("Critical delay", "tile-critical")
                    self.margin = FigureTile("Margin", "tile-margin")
                    self.error = FigureTile("Error against the ideal", "tile-error")
                    self.tracking = FigureTile("Tracking", "tile-tracking")
                with section("Response against the ideal"):
                    self.response = MovingPlot("Response against the ideal", "time [s]", "", 250).props(
                        "id=chart-response"
                    )
                with ui.element("div").classes("pair"):
                    with section("Rightmost roots"):
                        self.roots = MovingPlot(
                            "Rightmost roots in the plane", "growth [1/s]", "frequency [Hz]", 230
                        )
                        self.roots.props("id=chart-roots")
                    with section("Error and tracking"):
                        self.errors = MovingPlot("Error and tracking", "time [s]", "", 230).props(
                            "id=chart-error"
                        )
                self.said = ui.label().classes("quiet small").props("id=feel-said")

    def heard(self, what: str) -> None:
        """Show what is new."""
        if what in ("knobs", "document"):
            self._show_knobs()
        if what == "values":
            for knob in self.knobs:
                knob.show(self.desk.values.get(knob.path))
        if what == "answer" and self.desk.answer is not None:
            self._show(self.desk.answer)
        if what == "document" and self.desk.answer is None:
            self._clear()
        if what in ("state", "document"):
            beside = self.desk.beside
            self.state.text = "" if beside is None else STATES.get(beside.state, "")
            if beside is not None and beside.state == "gone":
                self.fault.text = beside.fault
        self.map.heard(what)

    def _show_knobs(self) -> None:
        wanted = [(knob.path, knob.low, knob.high) for knob in self.desk.knobs]
        if wanted != [(knob.path, knob.about.low, knob.about.high) for knob in self.knobs]:
            self.list.clear()
            with self.list:
                self.knobs = [KnobRow(self.page, about) for about in self.desk.knobs]
                if not self.knobs:
                    words("p", "No slider yet: choose a parameter below.", "quiet")
        else:
            for knob, about in zip(self.knobs, self.desk.knobs, strict=True):
                knob.show(about.value)
        options = [path for path in moving_paths(self.desk.blocks) if path not in self.desk.paths]
        if options != self.more.options:
            self.more.set_options(options, value=None)

    async def _add(self, event: Any) -> None:
        if event.value and self.page.may():
            await self.desk.slide([*self.desk.paths, str(event.value)])

    def _clear(self) -> None:
        """Nothing is shown of a test that is not on the desk any more."""
        self.ideal = _line({}, "ideal")
        for tile in (self.stable, self.critical, self.margin, self.error, self.tracking):
            tile.show("", "")
        for chart in (self.response, self.errors, self.roots):
            chart.show({"number": 0})
        self.fault.text = self.said.text = ""

    def _show(self, answer: Any) -> None:
        if self.fault.text != answer.fault:
            self.fault.text = answer.fault
        if answer.fault:
            return
        tone = {True: "good", False: "bad"}.get(answer.stable, "caution")
        told = {True: "stable", False: "unstable"}.get(answer.stable, "not known")
        self.stable.show(told, f"growth {answer.growth:+.3g} 1/s" if known(answer.growth) else "", tone)
        has = f"the loop has {_time(answer.delay)}" if known(answer.delay) else ""
        self.critical.show(_time(answer.critical_delay), has)
        borne = (
            ("of delay too much", "of delay more is borne")[answer.margin > 0] if known(answer.margin) else ""
        )
        self.margin.show(_time(answer.margin), borne, tone if known(answer.margin) else "")
        ended = "" if answer.completed else f"stopped at {answer.ended:.3g} s: {answer.outcome}"
        late = "the ideal is being computed" if answer.behind else "rms of response minus ideal, of the ideal"
        self.error.show(_share(answer.error), ended or late, "" if answer.completed else "bad")
        self.tracking.show(_share(answer.tracking), "rms of demand minus achieved, of the demand")
        said = "; ".join(answer.said)
        if said != self.said.text:
            self.said.text = said
        self._draw(answer)

    def _draw(self, answer: Any) -> None:
        traces = answer.traces
        span = [0.0, float(answer.shown or answer.duration)]
        if not answer.behind:
            self.ideal = _line(traces, "ideal", dash=[5, 4], width=2.2)
        self.response.show(
            {
                "lines": [{**self.ideal, "faint": answer.behind}, _line(traces, "response")],
                "x": span,
                "yname": _axis(traces.get("response"), long=True),
                "number": answer.number,
            }
        )
        self.errors.show(
            {
                "lines": [_line(traces, name) for name in ("command", "achieved", "error") if name in traces],
                "x": span,
                "yname": _axis(traces.get("error") or traces.get("achieved")),
            }
        )
        self.roots.show(plane(answer.roots))


def plane(roots: Any) -> dict[str, Any]:
    """The rightmost roots (growth [1/s], frequency [Hz]) as a picture, around the one that is farthest right.

    The window is as wide as that root is fast, in steps of two, so that it stands still while a slider moves.
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
        "marks": [{"x": 0.0, "text": "grows", "colour": "critical"}],
        "x": [-size / 2, size / 4],
        "y": [-0.3 * size, 0.3 * size],
    }


def moving_paths(blocks: Any) -> list[str]:
    """Parameters that a slider may move, of all blocks."""
    found: list[str] = []
    for block in blocks:
        found += [value.path for value in block.values if value.moves]
        found += moving_paths(block.inner)
    return found


def _line(traces: Any, name: str, **style: Any) -> dict[str, Any]:
    trace = traces.get(name)
    if trace is None:
        return {"x": [], "y": [], "colour": COLOURS[name], "name": ""}
    return line(trace.t, trace.y, COLOURS[name], name, **style)


def _axis(trace: Any, long: bool = False) -> str:
    if trace is None:
        return ""
    name = trace.label.split(" of ")[0] if long else ""
    return f"{name} [{trace.unit}]".strip() if trace.unit else name


def known(value: float | None) -> bool:
    """Whether there is a number."""
    return value is not None and value == value


def _time(seconds: float) -> str:
    if not known(seconds):
        return "not known"
    return "none" if seconds == float("inf") else f"{1e3 * seconds:.3g} ms"


def _share(share: float) -> str:
    return f"{100 * share:.3g} %" if known(share) else "not known"

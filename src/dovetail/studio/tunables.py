"""Tunable parameters of a running test: one slider each, and the operator events recorded by the run.

A run changes a tunable parameter with its ramp time, never as a step. Therefore a value is sent only when the slider
is released. In every window a slider is at the newest requested value, and its text has the value in the loop.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.slider import SliderElement, value_text
from dovetail.studio.widgets import text_element
from dovetail.testing.operator import requested_values

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

MAX_EVENTS = 4  # operator events shown, newest first


class TunableSliders:
    """Sliders for the tunable parameters of one job, shown when the run has started."""

    def __init__(self, page: StudioPage, job: Any):
        self.page, self.job = page, job
        self.read = False
        self.rows: dict[str, TunableRow] = {}  # by path
        with ui.element("div") as self.box:
            self.list = ui.element("div")
            self.events = text_element("div", "", "quiet small words").props("data-events")

    async def refresh(self) -> None:
        """Show the sliders once the run has started, and update the operator events."""
        if not self.read and (self.job.folder / "live").is_dir():
            self.read = True
            tunables = await asyncio.to_thread(self.job.tunables)
            with self.list:
                self.rows = {about.path: TunableRow(self.page, self.job, about) for about in tunables}
        events = await asyncio.to_thread(self.job.operator_events)
        values = await asyncio.to_thread(self.job.tunable_values) if self.rows else {}
        requested = requested_values(events)
        for path, row in self.rows.items():
            row.show(requested.get(path, row.about.value), values.get(path), len(events))
        text = "\n".join(str(event) for event in reversed(events[-MAX_EVENTS:]))
        if text != self.events.text:
            self.events.text = text


class TunableRow:
    """Slider of one tunable parameter; `about` is its range."""

    def __init__(self, page: StudioPage, job: Any, about: Any):
        self.page, self.job, self.about = page, job, about
        self.requested = about.value
        self.dragged = False
        self.event_count = self.awaited_count = (
            0  # recorded events; number from which a sent value is recorded
        )
        with ui.element("div").classes("slider").props(f"data-tunable='{about.path}'"):
            with ui.element("div").classes("head"):
                text_element("b", about.path)
                self.value = text_element("span", value_text(about.value, about.unit), "number")
            text_element("div", about.meaning, "quiet small")
            self.range = SliderElement(f"Tunable parameter {about.path}", about).classes("needs-control")
            with ui.element("div").classes("ends"):
                text_element("span", value_text(about.low, about.unit))
                text_element("span", value_text(about.high, about.unit))
        self.range.on("moved", self._move)
        self.range.on("dropped", self._set)

    def show(self, requested: float, value: float | None, event_count: int) -> None:
        """Show the newest requested value and the value in the loop, unless the user moves the slider."""
        self.event_count, self.requested = event_count, requested
        if self.dragged or event_count < self.awaited_count:
            return
        self.range.move_to(requested)
        self._show_text(requested, value)

    def _show_text(self, requested: float, value: float | None = None) -> None:
        text, unit = value_text(requested, self.about.unit), self.about.unit
        present = text if value is None else value_text(value, unit)
        self.value.text = text if present == text else f"{present}, changes to {text}"
        self.range.describe(self.value.text)

    def _move(self, event: Any) -> None:
        self.dragged = True
        self.range.store(float(event.args))
        self.value.text = f"release to set {value_text(float(event.args), self.about.unit)}"
        self.range.describe(self.value.text)

    def _set(self, event: Any) -> None:
        self.dragged = False
        value = float(event.args)
        self.range.store(value)
        fault = "" if self.page.check_control() else "not set"
        fault = fault or self.job.set_tunable(self.about.path, value, self.page.user)
        if fault:
            self.range.move_to(self.requested)
            self._show_text(self.requested)
            self.page.show_message(fault, bad=True)
        else:
            self.awaited_count = self.event_count + 1
            self._show_text(value)

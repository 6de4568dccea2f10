"""Tunable parameters of a running test: one slider each, and the operator events recorded by the run.

A run changes a tunable parameter with its ramp time, never as a step. Therefore a value is sent only when the slider
is released.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.slider import SliderElement, value_text
from dovetail.studio.widgets import text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

MAX_EVENTS = 4  # operator events shown, newest first


class TunableSliders:
    """Sliders for the tunable parameters of one job, shown when the run has started."""

    def __init__(self, page: StudioPage, job: Any):
        self.page, self.job = page, job
        self.read = False
        self.values: dict[str, Any] = {}
        with ui.element("div") as self.box:
            self.list = ui.element("div")
            self.events = text_element("div", "", "quiet small words").props("data-events")

    async def refresh(self) -> None:
        """Show the sliders once the run has started, and update the operator events."""
        if not self.read and (self.job.folder / "live").is_dir():
            self.read = True
            tunables = await asyncio.to_thread(self.job.tunables)
            with self.list:
                for about in tunables:
                    self._add_slider(about)
        events = await asyncio.to_thread(self.job.operator_events)
        text = "\n".join(str(event) for event in reversed(events[-MAX_EVENTS:]))
        if text != self.events.text:
            self.events.text = text

    def _add_slider(self, about: Any) -> None:
        with ui.element("div").classes("slider").props(f"data-tunable='{about.path}'"):
            with ui.element("div").classes("head"):
                text_element("b", about.path)
                value = text_element("span", value_text(about.value, about.unit), "number")
            text_element("div", about.meaning, "quiet small")
            range_ = SliderElement(
                f"Tunable parameter {about.path}", about.low, about.high, about.value
            ).classes("needs-control")
            with ui.element("div").classes("ends"):
                text_element("span", value_text(about.low, about.unit))
                text_element("span", value_text(about.high, about.unit))

        def set_tunable(event: Any) -> None:
            if self.page.check_control():
                value.text = value_text(float(event.args), about.unit)
                if fault := self.job.set_tunable(about.path, float(event.args), self.page.user):
                    self.page.show_message(fault, bad=True)

        range_.on("dropped", set_tunable)

"""The dials of a test that runs: a slider each, turned where it is let go; and what was pressed, as the run noted it.

A run follows a dial in the dial's own time, a ramp and never a step, so nothing is told while a slider still moves.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.slider import Range, told
from dovetail.studio.widgets import words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

SHOWN = 4  # presses, the newest first


class Dials:
    """The dials of one job, which appear when it has begun."""

    def __init__(self, page: StudioPage, job: Any):
        self.page, self.job = page, job
        self.read = False
        self.values: dict[str, Any] = {}
        with ui.element("div") as self.box:
            self.list = ui.element("div")
            self.noted = words("div", "", "quiet small words").props("data-noted")

    async def look(self) -> None:
        """Show the dials once the run goes on, and what it has noted."""
        if not self.read and (self.job.folder / "live").is_dir():
            self.read = True
            found = await asyncio.to_thread(self.job.dials)
            with self.list:
                for about in found:
                    self._dial(about)
        presses = await asyncio.to_thread(self.job.presses)
        text = "\n".join(str(press) for press in reversed(presses[-SHOWN:]))
        if text != self.noted.text:
            self.noted.text = text

    def _dial(self, about: Any) -> None:
        with ui.element("div").classes("knob").props(f"data-dial='{about.path}'"):
            with ui.element("div").classes("head"):
                words("b", about.path)
                value = words("span", told(about.value, about.unit), "number")
            words("div", about.meaning, "quiet small")
            range_ = Range(f"Dial of {about.path}", about.low, about.high, about.value).classes("mine")
            with ui.element("div").classes("ends"):
                words("span", told(about.low, about.unit))
                words("span", told(about.high, about.unit))

        def turn(event: Any) -> None:
            if self.page.may():
                value.text = told(float(event.args), about.unit)
                if fault := self.job.turn(about.path, float(event.args), self.page.who):
                    self.page.say(fault, bad=True)

        range_.on("dropped", turn)

"""One slider: while it moves the test is computed again; where it is let go the value is written into the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.element import Element

from dovetail.studio.widgets import button, words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

PAUSE = 25  # [ms] between two values of a slider that moves, at least


class Range(Element, component="knob.js"):
    """The slider itself. It is moved without the page being drawn again."""

    def __init__(self, label: str, low: float, high: float, value: float):
        super().__init__()
        self._props.update(label=label, low=low, high=high, value=value, pause=PAUSE)

    def stand(self, value: float) -> None:
        """Stand at a value; nothing is sent where it does already."""
        if value != self._props["value"]:
            self.went(value)
            self.run_method("stand", value)

    def went(self, value: float) -> None:
        """It has been moved to a value; the page is not drawn again for that."""
        with self._props.suspend_updates():
            self._props["value"] = value


class KnobRow:
    """A slider with its value in words; `about` is the engine's knob."""

    def __init__(self, page: StudioPage, about: Any):
        self.page, self.desk, self.about, self.path = page, page.desk, about, about.path
        self.held = False
        with ui.element("div").classes("knob").props(f"data-knob='{about.path}'"):
            with ui.element("div").classes("head"):
                words("b", about.path)
                self.value = words("span", told(about.value, about.unit), "number")
                button("×", self._drop).props(f"aria-label='Take the slider of {about.path} away'")
            words("div", about.meaning, "quiet small")
            self.range = Range(about.path, about.low, about.high, about.value).classes("mine")
            self.range.on("moved", self._move)
            self.range.on("dropped", self._let_go)
            with ui.element("div").classes("ends"):
                words("span", told(about.low, about.unit))
                words("span", told(about.high, about.unit))
        self.said = self.value.text

    def _say(self, value: float) -> None:
        """Its value in words, set directly: the page is not drawn again for each of many a second."""
        text = told(value, self.about.unit)
        if text != self.said:
            self.said = text
            ui.run_javascript(f"getHtmlElement({self.value.id}).textContent = {text!r}")

    def show(self, value: float | None) -> None:
        """Stand at a value, unless somebody here holds it."""
        if value is not None and not self.held:
            self.range.stand(value)
            self._say(value)

    def _move(self, event: Any) -> None:
        if self.page.may():
            self.held = True
            self.range.went(float(event.args))
            self._say(float(event.args))
            self.desk.ask({self.path: float(event.args)})
            self.desk.tell("values")

    async def _let_go(self, event: Any) -> None:
        self.held = False
        self.range.went(float(event.args))
        if not self.page.may():
            return
        text = told(float(event.args), self.about.unit)
        fault = await self.desk.put(self.path, text)
        if fault:
            self.page.say(fault, bad=True)

    async def _drop(self) -> None:
        if self.page.may():
            await self.desk.slide([path for path in self.desk.paths if path != self.path])


def told(value: float, unit: str) -> str:
    """A value as one would type it: 6.5 ms."""
    from dovetail.report.parameters import worded

    shown, shown_unit = worded(float(f"{value:.4g}"), unit)
    return f"{shown} {shown_unit}".strip()

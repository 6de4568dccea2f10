"""Slider of a parameter: recomputes the test while it moves, writes the value to the file when released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.element import Element

from dovetail.studio.widgets import button, text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

MIN_INTERVAL = 25  # [ms] minimum time between two values of a moving slider


class SliderElement(Element, component="slider.js"):
    """Slider element; it moves without redrawing the page."""

    def __init__(self, label: str, about: Any):
        super().__init__()
        text = value_text(about.value, about.unit)
        self._props.update(
            label=label, low=about.low, high=about.high, value=about.value, text=text, pause=MIN_INTERVAL
        )

    def describe(self, text: str) -> None:
        """Give the value with its unit to screen readers."""
        if text != self._props["text"]:
            with self._props.suspend_updates():
                self._props["text"] = text
            self.run_method("describe", text)

    def move_to(self, value: float) -> None:
        """Move the slider to a value; send nothing if it is already there."""
        if value != self._props["value"]:
            self.store(value)
            self.run_method("moveTo", value)

    def store(self, value: float) -> None:
        """Store the value to which the user moved the slider, without redrawing the page."""
        with self._props.suspend_updates():
            self._props["value"] = value


class SliderRow:
    """Slider with its value as text; `about` is its slider range."""

    def __init__(self, page: StudioPage, about: Any):
        self.page, self.workspace, self.about, self.path = page, page.workspace, about, about.path
        self.dragged = False
        with ui.element("div").classes("slider").props(f"data-slider='{about.path}'"):
            with ui.element("div").classes("head"):
                text_element("b", about.path)
                self.value = text_element("span", value_text(about.value, about.unit), "number")
                button("×", self._remove).props(f"aria-label='Remove the slider of {about.path}'")
            text_element("div", about.meaning, "quiet small")
            self.range = SliderElement(about.path, about).classes("needs-control")
            self.range.on("moved", self._move)
            self.range.on("dropped", self._release)
            with ui.element("div").classes("ends"):
                text_element("span", value_text(about.low, about.unit))
                text_element("span", value_text(about.high, about.unit))
        self.shown_text = self.value.text

    def _show_text(self, value: float) -> None:
        """Set the value text directly in the browser, without redrawing the page many times per second."""
        text = value_text(value, self.about.unit)
        if text != self.shown_text:
            self.shown_text = text
            ui.run_javascript(f"getHtmlElement({self.value.id}).textContent = {text!r}")
            self.range.describe(text)

    def show(self, value: float | None) -> None:
        """Move the slider to a value, unless the user is moving it."""
        if value is not None and not self.dragged:
            self.range.move_to(value)
            self._show_text(value)

    def _move(self, event: Any) -> None:
        if self.page.check_control():
            self.dragged = True
            self.range.store(float(event.args))
            self._show_text(float(event.args))
            self.workspace.request({self.path: float(event.args)})
            self.workspace.notify("values")

    async def _release(self, event: Any) -> None:
        self.dragged = False
        self.range.store(float(event.args))
        if not self.page.check_control():
            return
        text = value_text(float(event.args), self.about.unit)
        fault = await self.workspace.set_value(self.path, text)
        if fault:
            self.page.show_message(fault, bad=True)

    async def _remove(self) -> None:
        if self.page.check_control():
            await self.workspace.set_sliders([path for path in self.workspace.paths if path != self.path])


def value_text(value: float, unit: str) -> str:
    """Return a value as typed text, for example 6.5 ms."""
    from dovetail.report.parameters import text_and_unit

    number, shown_unit = text_and_unit(float(f"{value:.4g}"), unit)
    return f"{number} {shown_unit}".strip()

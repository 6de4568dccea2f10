"""Model tab: drawing of the loop, values of the selected block, and the test file; all three stay consistent."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.file import FileCard
from dovetail.studio.values import ValueRows
from dovetail.studio.widgets import button

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

CLICK = """(event) => {
  if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
  const part = event.target.closest("[data-path]");
  if (part) { event.preventDefault(); emit(part.dataset.path); }
}"""

FOCUS = """setTimeout(() => { // unless the user has meanwhile gone to another field
  if (document.activeElement === document.body) document.querySelector(%s)?.focus({ preventScroll: true });
}, 50)"""


class ModelTab:
    """Model tab."""

    def __init__(self, page: StudioPage):
        self.page, self.workspace = page, page.workspace
        self.selected: str | None = None
        self.structure: Any = None
        self.button_key: Any = None
        self.blocks: list[Any] = []
        with ui.element("div").classes("two"):
            with ui.element("div").classes("stack"):
                with ui.element("section").classes("card"):
                    self.drawing = ui.html("", sanitize=False).classes("loop-holder").props("id=loop")
                    self.drawing.on("click", self._click, js_handler=CLICK)
                    self.drawing.on("keydown", self._click, js_handler=CLICK)
                    self.others = ui.element("div").classes("others").props("id=others")
                with ui.element("section").classes("card").props("id=block"):
                    self.panel = ui.element("div")
            with ui.element("div").classes("stack"):
                self.file = FileCard(page)

    def refresh(self, change: str) -> None:
        """Update the tab after a change."""
        if change == "document":
            self.file.show()
            self._show()

    def _show(self) -> None:
        document = self.workspace.document
        if document is None:
            words = self.workspace.error or self.workspace.busy or "Open a test first."
            self.drawing.content = f'<p class="quiet">{escape(words)}</p>'
            return
        self.blocks = self.workspace.blocks
        paths = [block.path for block in self._all(self.blocks)]
        if self.selected not in paths:
            self.selected = next((path for path in ("rig.actuator", *paths) if path in paths), None)
        self._draw()
        block = self._block(self.selected)
        structure = (document.name, self.selected, _structure(block))
        if structure != self.structure:
            self.structure = structure
            self.panel.clear()
            with self.panel:
                self.values = ValueRows(self.page, block, paths)
        elif block is not None:
            self.values.show(block)

    def _draw(self) -> None:
        svg = self.workspace.drawing
        if svg:
            svg = svg.replace('<g class="part"', '<g class="part" tabindex="0" role="button"')
            mark = f'data-path="{escape(self.selected or "")}"'
            svg = svg.replace(
                f'<g class="part" tabindex="0" role="button" {mark}',
                f'<g class="part selected" tabindex="0" role="button" {mark}',
            )
        self.drawing.content = (
            svg or '<p class="quiet">This file has no loop to draw; its parts are below.</p>'
        )
        others = [block for block in self.blocks if f'data-path="{block.path}"' not in svg]
        key = ([block.role for block in others], self.selected)
        if key == self.button_key:
            return  # unchanged: keep the buttons, a user may be about to click one
        self.button_key = key
        self.others.clear()
        with self.others:
            for block in others:
                select = lambda path=block.path: self.select(path)  # noqa: E731
                button(block.role, select, strong=block.path == self.selected, needs_control=False)

    def _click(self, event: Any) -> None:
        path = event.args[0] if isinstance(event.args, list) else event.args
        self.select(str(path))
        ui.run_javascript(FOCUS % json.dumps(f"#loop [data-path='{path}']"))  # the drawing is new

    def select(self, path: str) -> None:
        """Select a block."""
        self.selected = path
        self._show()

    def _block(self, path: str | None) -> Any:
        return next((block for block in self._all(self.blocks) if block.path == path), None)

    def _all(self, blocks: Any) -> list[Any]:
        return [one for block in blocks for one in (block, *self._all(block.inner))]


def _structure(block: Any) -> Any:
    """Return the structure of a block; the rows are rebuilt if it changes."""
    if block is None:
        return None
    return (
        block.kind,
        tuple(value.path for value in block.values),
        tuple(_structure(inner) for inner in block.inner),
    )

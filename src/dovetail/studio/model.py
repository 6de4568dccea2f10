"""Set up: the loop as the editor, the values of the block that was clicked, and the file beside them, both ways."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.file import File
from dovetail.studio.values import ValueRows
from dovetail.studio.widgets import button

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

CLICK = """(event) => {
  if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
  const part = event.target.closest("[data-path]");
  if (part) { event.preventDefault(); emit(part.dataset.path); }
}"""


class SetUp:
    """The room with the drawing, the values and the file."""

    def __init__(self, page: StudioPage):
        self.page, self.desk = page, page.desk
        self.chosen: str | None = None
        self.shape: Any = None
        self.offered: Any = None
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
                self.file = File(page)

    def heard(self, what: str) -> None:
        """Show the test as it is now."""
        if what == "holding":
            return
        if what == "document":
            self.file.show()
            self._show()

    def _show(self) -> None:
        document = self.desk.document
        if document is None:
            words = self.desk.trouble or self.desk.busy or "Choose a test first."
            self.drawing.content = f'<p class="quiet">{escape(words)}</p>'
            return
        self.blocks = self.desk.blocks
        known = [block.path for block in self._all(self.blocks)]
        if self.chosen not in known:
            self.chosen = next((path for path in ("rig.actuator", *known) if path in known), None)
        self._draw()
        block = self._block(self.chosen)
        shape = (document.name, self.chosen, _shape(block))
        if shape != self.shape:
            self.shape = shape
            self.panel.clear()
            with self.panel:
                self.values = ValueRows(self.page, block, known)
        elif block is not None:
            self.values.show(block)

    def _draw(self) -> None:
        svg = self.desk.drawing
        if svg:
            svg = svg.replace('<g class="part"', '<g class="part" tabindex="0" role="button"')
            mark = f'data-path="{escape(self.chosen or "")}"'
            svg = svg.replace(
                f'<g class="part" tabindex="0" role="button" {mark}',
                f'<g class="part chosen" tabindex="0" role="button" {mark}',
            )
        self.drawing.content = (
            svg or '<p class="quiet">This file has no loop to draw; its parts are below.</p>'
        )
        rest = [block for block in self.blocks if f'data-path="{block.path}"' not in svg]
        key = ([block.role for block in rest], self.chosen)
        if key == self.offered:
            return  # a button that somebody is about to press stays
        self.offered = key
        self.others.clear()
        with self.others:
            for block in rest:
                choose = lambda path=block.path: self.choose(path)  # noqa: E731
                button(block.role, choose, strong=block.path == self.chosen, mine=False)

    def _click(self, event: Any) -> None:
        path = event.args[0] if isinstance(event.args, list) else event.args
        self.choose(str(path))

    def choose(self, path: str) -> None:
        """Open a block."""
        self.chosen = path
        self._show()

    def _block(self, path: str | None) -> Any:
        return next((block for block in self._all(self.blocks) if block.path == path), None)

    def _all(self, blocks: Any) -> list[Any]:
        return [one for block in blocks for one in (block, *self._all(block.inner))]


def _shape(block: Any) -> Any:
    """What must stay for the rows of values to stay."""
    if block is None:
        return None
    return (
        block.kind,
        tuple(value.path for value in block.values),
        tuple(_shape(inner) for inner in block.inner),
    )

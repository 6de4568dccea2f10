"""An answer on a tile, many times a second: good, caution, bad, or neither."""

from __future__ import annotations

from nicegui.element import Element


class FigureTile(Element, component="tile.js"):
    """A tile with its heading."""

    def __init__(self, heading: str, name: str):
        super().__init__()
        self.props(f"id={name}")
        self._props.update(heading=heading)
        self.shown: tuple[str, str, str] | None = None

    def show(self, answer: str, more: str = "", tone: str = "") -> None:
        """Say something else; nothing is sent where it is the same."""
        if (answer, more, tone) != self.shown:
            self.shown = (answer, more, tone)
            self.run_method("show", answer, more, tone)

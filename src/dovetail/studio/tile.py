"""Tile with one result, updated many times per second; tone good, caution, bad or none."""

from __future__ import annotations

from nicegui.element import Element


class ResultTile(Element, component="tile.js"):
    """Tile with a heading."""

    def __init__(self, heading: str, name: str):
        super().__init__()
        self.props(f"id={name}")
        self._props.update(heading=heading)
        self.shown: tuple[str, str, str] | None = None

    def show(self, result: str, more: str = "", tone: str = "") -> None:
        """Show a result; send nothing if it is unchanged."""
        if (result, more, tone) != self.shown:
            self.shown = (result, more, tone)
            self.run_method("show", result, more, tone)

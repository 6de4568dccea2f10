"""Export tab: command line and Python script of the open test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.widgets import button, section, text_element
from dovetail.testing.modes import mode_named

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

LABELS = {
    "rehearse": "Rehearse",
    "reference": "Reference solution",
    "realtime": "Real-time test",
    "pseudodynamic": "Pseudo-dynamic test",
    "design": "Design",
    "simulate": "Simulate",
    "map": "Compute map",
}


class ExportTab:
    """Export tab."""

    def __init__(self, page: StudioPage):
        self.page, self.workspace = page, page.workspace
        with ui.element("div").classes("stack"):
            with ui.element("div").classes("line"):
                text_element("span", "Action", "quiet")
                self.action = ui.select(LABELS, value="rehearse", on_change=lambda _: self._show())
                self.action.props("outlined dense options-dense id=export-action aria-label=Action")
            with section("Command line", "as-command"):
                text_element(
                    "p",
                    "Changes that --set cannot express: save the test and use the file.",
                    "quiet",
                )
                self.command = text_element("pre", "", "code")
                button("Copy", lambda: page.copy(self.command.text), needs_control=False, name="copy-command")
            with section("Python", "as-python"):
                self.python = text_element("pre", "", "code")
                button("Copy", lambda: page.copy(self.python.text), needs_control=False, name="copy-python")

    def refresh(self, change: str) -> None:
        """Update the tab after a change."""
        if change == "document":
            from dovetail.app.actions import available_actions

            document = self.workspace.document
            available = available_actions(document.test) if document is not None else ()
            if available and list(available) != list(self.action.options):
                selected = self.action.value if self.action.value in available else available[0]
                self.action.set_options({name: LABELS[name] for name in available}, value=selected)
            self._show()

    def _show(self) -> None:
        document: Any = self.workspace.document
        from dovetail.app import Action, export
        from dovetail.app.actions import available_actions

        if document is None or not available_actions(document.test):
            named = document is not None and document.test is not None
            self.command.text = f"dovetail rig serve {document.name}" if named else "Open a test first"
            self.python.text = ""
            return

        name = str(self.action.value)
        action = Action(
            name,
            document,
            address=self.page.memory.get("rig", "udp://localhost:7001")
            if "address" in mode_named(name).needs
            else None,
        )
        self.command.text, self.python.text = export.command_line(action), export.python(action)

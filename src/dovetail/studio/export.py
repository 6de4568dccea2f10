"""Hand over: what is on the desk as a command line, and as ten lines of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.widgets import button, section, words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

WORDS = {
    "rehearse": "Rehearse it",
    "emulate": "Emulate it: the ideal",
    "run": "Run it against a rig",
    "creep": "Creep: slower than life",
    "design": "Design the test",
    "simulate": "Simulate it",
    "map": "Compute the map",
}


class HandOver:
    """The last room."""

    def __init__(self, page: StudioPage):
        self.page, self.desk = page, page.desk
        with ui.element("div").classes("stack"):
            with ui.element("div").classes("line"):
                words("span", "What is to be done:", "quiet")
                self.deed = ui.select(WORDS, value="rehearse", on_change=lambda _: self._show())
                self.deed.props("outlined dense options-dense id=hand-deed")
            with section("As a command line", "as-command"):
                words(
                    "p",
                    "Where a change cannot be said by --set, save the test first and name its file.",
                    "quiet",
                )
                self.command = words("pre", "", "code")
                button("Copy", lambda: page.copy(self.command.text), mine=False, name="copy-command")
            with section("As Python", "as-python"):
                self.python = words("pre", "", "code")
                button("Copy", lambda: page.copy(self.python.text), mine=False, name="copy-python")

    def heard(self, what: str) -> None:
        """Show what is new."""
        if what == "document":
            from dovetail.app.actions import deeds

            document = self.desk.document
            can = deeds(document.test) if document is not None else ()
            if can and list(can) != list(self.deed.options):
                here = self.deed.value if self.deed.value in can else can[0]
                self.deed.set_options({what: WORDS[what] for what in can}, value=here)
            self._show()

    def _show(self) -> None:
        document: Any = self.desk.document
        from dovetail.app import Deed, export
        from dovetail.app.actions import deeds

        if document is None or not deeds(document.test):
            named = document is not None and document.test is not None
            self.command.text = f"dovetail rig serve {document.name}" if named else "choose a test first"
            self.python.text = ""
            return

        what = str(self.deed.value)
        deed = Deed(
            what, document, rig=self.page.memory.get("rig", "udp://localhost:7001") if what == "run" else None
        )
        self.command.text, self.python.text = export.command_line(deed), export.python(deed)

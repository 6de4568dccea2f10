"""The test's file beside the drawing: typed in, checked, compared with the original, saved."""

from __future__ import annotations

import asyncio
import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from dovetail.studio.widgets import button, words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

PAUSE = 0.35  # [s] without a key before the text is read


class File:
    """The editor with its difference and its buttons."""

    def __init__(self, page: StudioPage):
        self.page, self.desk = page, page.desk
        self.waiting = 0  # keys that no reading has followed yet
        with ui.element("section").classes("card file") as self.holder:
            with ui.element("div").classes("line").style("margin-bottom: 8px"):
                words("h2", "File", "grow").style("margin: 0")
                for name, act in {"Undo": self._undo, "Redo": self._redo, "As it was": self._back}.items():
                    button(name, act)
                button("Save", self._ask, strong=True, name="save")
            self.editor = ui.codemirror(
                "", language="TOML", theme="basicLight", on_change=self._typed, line_wrapping=True
            )
            self.editor.classes("mine")
            self.fault = ui.label().classes("fault").props("id=file-fault")
        with ui.element("section").classes("card"):
            words("h2", "Difference to the original")
            self.difference = ui.html("", sanitize=False).props("id=difference")
        self._dialog()
        page.dark.on_value_change(lambda _: self._shade())
        self._shade()

    def _shade(self) -> None:
        self.editor.theme = "vscodeDark" if self.page.dark.value else "basicLight"

    def show(self) -> None:
        """The text as it is now, unless somebody types here."""
        document = self.desk.document
        if document is None:
            return
        if not self.waiting and self.editor.value != document.text:
            self.editor.value = document.text
        if self.holder.props.get("data-file") != document.name:
            self.holder.props["data-file"] = document.name
            self.holder.update()
            ui.run_javascript("setTimeout(dovetailTypedFile)")
        self.fault.text = document.fault
        self.difference.content = coloured(self.desk.difference)

    def _typed(self, event: Any) -> None:
        text = str(event.value or "")
        if self.desk.document is None or text == self.desk.document.text:
            return
        self.waiting += 1
        background_tasks.create(self._read_later(self.waiting), context=self.editor)

    async def _read_later(self, number: int) -> None:
        await asyncio.sleep(PAUSE)
        if number != self.waiting:
            return  # a later key reads
        text = str(self.editor.value or "")
        if self.page.may():
            await self.desk.edit(lambda document: document.write(text))
            taken = json.dumps([f"file {self.desk.document.name}", text])
            ui.run_javascript(f"dovetailTaken(...{taken})")
        self.waiting = 0 if number == self.waiting else self.waiting
        self.show()

    async def _undo(self) -> None:
        if self.page.may() and not await self.desk.edit(lambda document: document.undo()):
            self.page.say("There is nothing to undo.")

    async def _redo(self) -> None:
        if self.page.may() and not await self.desk.edit(lambda document: document.redo()):
            self.page.say("There is nothing to redo.")

    async def _back(self) -> None:
        if self.page.may():
            await self.desk.edit(lambda document: document.write(document.original))

    def _dialog(self) -> None:
        with ui.dialog() as self.dialog, ui.element("div").classes("card"):
            words("h2", "Save the test")
            ui.label("It runs unchanged from the command line.").classes("quiet")
            self.path = (
                ui.input("File")
                .props("outlined dense data-field=save-path")
                .style("margin-top: 10px; width: 100%")
            )
            self.over = ui.checkbox("Replace a file that is there")
            self.refused = ui.label().classes("fault").props("id=save-fault")
            with ui.element("div").classes("line").style("margin-top: 12px; justify-content: flex-end"):
                button("Cancel", self.dialog.close, mine=False)
                button("Save", self._save, strong=True, name="save-now")

    def _ask(self) -> None:
        document = self.desk.document
        if document is None:
            return
        name = document.name if document.name.endswith(".toml") else f"{Path(document.name).name}.toml"
        self.path.value, self.over.value, self.refused.text = name, False, ""
        self.dialog.open()

    async def _save(self) -> None:
        if not self.page.may():
            return
        path, over = Path(str(self.path.value)).expanduser(), bool(self.over.value)
        fault = await asyncio.to_thread(lambda: self.desk.document.save(path, over=over))
        self.refused.text = fault
        if not fault:
            self.dialog.close()
            self.page.say(f"Saved: {path}. Run it with: dovetail run {path}")
            self.desk.tell("document")


def coloured(difference: str) -> str:
    """A unified difference as HTML."""
    if not difference:
        return '<p class="quiet">None: the test is as it was.</p>'
    classes = {"+": "in", "-": "out", "@": "at"}
    lines = difference.splitlines()
    lines = [line for line in lines if not line.startswith(("---", "+++"))]
    shown = (f'<span class="{classes.get(line[:1], "")}">{escape(line)}</span>' for line in lines)
    return f'<pre class="diff">{chr(10).join(shown)}</pre>'

"""Test file in the Model tab: edit, validate, compare with the original, save."""

from __future__ import annotations

import asyncio
import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from dovetail.studio.widgets import button, text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

TYPING_PAUSE = 0.35  # [s] without a key press before the text is read


class FileCard:
    """Text editor with buttons and changes."""

    def __init__(self, page: StudioPage):
        self.page, self.workspace = page, page.workspace
        self.waiting = 0  # key presses since the last reading
        with ui.element("section").classes("card file") as self.holder:
            with ui.element("div").classes("line").style("margin-bottom: 8px"):
                text_element("h2", "File", "grow").style("margin: 0")
                for name, act in {"Undo": self._undo, "Redo": self._redo, "Revert": self._revert}.items():
                    button(name, act)
                button("Save", self._open_dialog, strong=True, name="save")
            self.editor = ui.codemirror(
                "", language="TOML", theme="vscodeLight", on_change=self._apply_typed_text, line_wrapping=True
            )
            self.editor.classes("needs-control")
            self.fault = ui.label().classes("fault").props("id=file-fault")
        with ui.element("section").classes("card"):
            text_element("h2", "Changes")
            self.difference = ui.html("", sanitize=False).props("id=difference")
        self._dialog()
        page.dark.on_value_change(lambda _: self._apply_theme())
        self._apply_theme()

    def _apply_theme(self) -> None:
        self.editor.theme = "vscodeDark" if self.page.dark.value else "vscodeLight"

    def show(self) -> None:
        """Show the current text, unless the user is typing here."""
        document = self.workspace.document
        if document is None:
            return
        if not self.waiting and self.editor.value != document.text:
            self.editor.value = document.text
        if self.holder.props.get("data-file") != document.name:
            self.holder.props["data-file"] = document.name
            self.holder.update()
            ui.run_javascript("setTimeout(dovetailRestoreFile)")
        self.fault.text = document.fault
        self.difference.content = diff_html(self.workspace.difference)

    def _apply_typed_text(self, event: Any) -> None:
        text = str(event.value or "")
        if self.workspace.document is None or text == self.workspace.document.text:
            return
        self.waiting += 1
        background_tasks.create(self._read_later(self.waiting), context=self.editor)

    async def _read_later(self, number: int) -> None:
        await asyncio.sleep(TYPING_PAUSE)
        if number != self.waiting:
            return  # a later key press starts the reading
        text = str(self.editor.value or "")
        if self.page.check_control():
            await self.workspace.edit(lambda document: document.write(text))
            accepted = json.dumps([f"file {self.workspace.document.name}", text])
            ui.run_javascript(f"dovetailAccepted(...{accepted})")
        self.waiting = 0 if number == self.waiting else self.waiting
        self.show()

    async def _undo(self) -> None:
        if self.page.check_control() and not await self.workspace.edit(lambda document: document.undo()):
            self.page.show_message("Nothing to undo.")

    async def _redo(self) -> None:
        if self.page.check_control() and not await self.workspace.edit(lambda document: document.redo()):
            self.page.show_message("Nothing to redo.")

    async def _revert(self) -> None:
        if self.page.check_control():
            await self.workspace.edit(lambda document: document.write(document.original))

    def _dialog(self) -> None:
        with ui.dialog() as self.dialog, ui.element("div").classes("card"):
            text_element("h2", "Save test")
            ui.label("The file runs from the command line.").classes("quiet")
            self.folder = text_element("p", "", "quiet small words").props("id=save-folder")
            self.path = (
                ui.input("File")
                .props("outlined dense data-field=save-path")
                .style("margin-top: 10px; width: 100%")
            )
            self.over = ui.checkbox("Overwrite existing file")
            self.save_fault = ui.label().classes("fault").props("id=save-fault")
            with ui.element("div").classes("line").style("margin-top: 12px; justify-content: flex-end"):
                button("Cancel", self.dialog.close, needs_control=False)
                button("Save", self._save, strong=True, name="save-now")

    def _open_dialog(self) -> None:
        document = self.workspace.document
        if document is None:
            return
        name = document.name if document.name.endswith(".toml") else f"{Path(document.name).name}.toml"
        self.path.value, self.over.value, self.save_fault.text = name, False, ""
        self.folder.text = f"A relative name is in {Path.cwd()}"
        self.dialog.open()

    async def _save(self) -> None:
        if not self.page.check_control():
            return
        path, over = Path(str(self.path.value)).expanduser(), bool(self.over.value)
        fault = await asyncio.to_thread(lambda: self.workspace.document.save(path, over=over))
        self.save_fault.text = fault
        if not fault:
            self.dialog.close()
            self.page.show_message(f"Saved: {path.resolve()}. Run it with: dovetail run {path}")
            self.workspace.notify("document")


def diff_html(difference: str) -> str:
    """Return a unified diff as HTML."""
    if not difference:
        return '<p class="quiet">No changes.</p>'
    classes = {"+": "in", "-": "out", "@": "at"}
    lines = difference.splitlines()
    lines = [line for line in lines if not line.startswith(("---", "+++"))]
    rows = (f'<span class="{classes.get(line[:1], "")}">{escape(line)}</span>' for line in lines)
    return f'<pre class="diff">{chr(10).join(rows)}</pre>'

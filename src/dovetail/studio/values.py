"""Value fields of a block: typed with a unit, validated while typing, applied on Enter."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.widgets import button, text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

ELEMENT = re.compile(r"\.parts\[\d+\]$")  # path of an element of a series
TEXT = "(event) => emit(event.target.value)"
TYPED = (  # the typed text, not a value set in the meantime
    "(event) => { const typed = dovetailUnsaved(event.target.dataset.unsaved); if (typed !== null) emit(typed); }"
)


class ValueRows:
    """Kind, description and values of a block and its inner blocks; `paths` are the paths of all blocks."""

    def __init__(self, page: StudioPage, block: Any, paths: list[str]):
        self.page, self.workspace = page, page.workspace
        self.rows: dict[str, ValueRow] = {}
        if block is None:
            ui.label("Select a block to edit its parameters.").classes("quiet")
            return
        self._block(block)
        ui.run_javascript("setTimeout(dovetailRestoreFields)")

    def _block(self, block: Any, inner: bool = False) -> None:
        with ui.element("div").classes("line"):
            text_element("h3" if inner else "h2", block.role).props(f"data-block='{block.path}'")
            if block.kind and not block.exchangeable:
                ui.label(block.kind).classes("quiet")
        if block.exchangeable:
            self._kind_menu(
                block, block.kind, lambda kind: lambda document: document.exchange(block.path, kind)
            )
        if block.kind == "series":
            self._kind_menu(
                block, "Add element", lambda kind: lambda document: document.add_element(block.path, kind)
            )
        if ELEMENT.search(block.path):
            button("Remove element", lambda: self._edit(lambda document: document.remove(block.path)))
        if block.about:
            ui.label(block.about).classes("quiet")
        if block.sources:
            with ui.element("details").classes("small quiet"):
                text_element("summary", "Sources")
                for source in block.sources:
                    ui.label(source)
        if block.values:
            with ui.element("div").classes("values").style("margin-top: 10px"):
                for value in block.values:
                    self.rows[value.path] = ValueRow(self.page, value, self._edit)
        for one in block.inner:
            ui.separator().style("margin: 14px 0 10px")
            self._block(one, inner=True)

    def _kind_menu(self, block: Any, label: str, change: Callable[[str], Callable[[Any], Any]]) -> None:
        """Menu with the kinds of the family and their descriptions; `change` of a kind changes the document."""
        opener = ui.button(label, color=None).props("flat dense icon-right=arrow_drop_down")
        with opener.classes("plain needs-control exchange"):
            menu = ui.menu().props("max-height=60vh").style("max-width: 620px")
        is_filled: list[bool] = []

        def fill() -> None:
            if is_filled:
                return
            is_filled.append(True)
            with menu:
                for choice in self.workspace.document.choices(block.path):
                    act = lambda _, kind=choice.kind: self._edit(change(kind))  # noqa: E731
                    with ui.menu_item(on_click=act).props(f"data-kind={choice.kind}"), ui.element("div"):
                        text_element("b", choice.kind + (" (current)" if choice.current else ""))
                        text_element("div", choice.about, "small quiet").style("white-space: normal")

        menu.on("before-show", fill)

    async def _edit(self, change: Callable[[Any], Any]) -> None:
        if self.page.check_control():
            fault = await self.workspace.edit(change)
            if fault:
                self.page.show_message(fault, bad=True)

    def show(self, block: Any) -> None:
        """Update the values of the rows."""
        for value in block.values:
            if value.path in self.rows:
                self.rows[value.path].show(value)
        for inner in block.inner:
            self.show(inner)


class ValueRow:
    """Meaning and input field of one value."""

    def __init__(self, page: StudioPage, value: Any, edit: Callable[[Callable[[Any], Any]], Any]):
        self.page, self.workspace, self.value = page, page.workspace, value
        with ui.element("div").classes("meaning"):
            text_element("b", value.name)
            text_element("span", value.meaning)
            self.remark = text_element("span", _remark(value))
            if value.tunable is not None:
                self.tunable = button(_tunable_label(value), lambda: edit(self._toggle_tunable)).classes(
                    "small"
                )
        typed = _typed_text(value)
        with ui.element("div") as self.holder:
            if value.choices:
                options = list(dict.fromkeys([*value.choices, typed]))
                self.field: Any = ui.select(options, value=typed, on_change=self._on_selection)
                self.field.props("outlined dense options-dense")
            else:
                self.field = ui.input(value=typed, on_change=self._check)
                self.field.props(
                    f"outlined dense debounce=250 data-unsaved='{self._storage_key()}' spellcheck=false"
                )
                self.field.on("keydown.enter", self._on_enter, js_handler=TEXT)
                self.field.on("blur", self._on_enter, js_handler=TYPED)
        self.field.classes("needs-control").props(
            f"data-value='{value.path}' aria-label='{value.path or value.name}' hide-bottom-space no-error-icon"
        )
        self.fault_text = text_element("div", "", "fault").props(f"data-fault='{value.path}' role=alert")
        self.fault_text.visible = False

    def _toggle_tunable(self, document: Any) -> Any:
        return document.set_tunable(self.value.path, not self.value.tunable)

    def _storage_key(self) -> str:
        """Return the key under which the browser stores unsaved input of this field."""
        return f"{self.workspace.document.name} {self.value.path}"

    def show(self, value: Any) -> None:
        """Show the value in the file; keep text that the user is typing."""
        typing = self.field.value != _typed_text(self.value)
        self.value = value
        if not typing or self.field.value == _typed_text(value):
            self.field.value = _typed_text(value)
            self._fault("")
        self.remark.text = _remark(value)
        if value.tunable is not None:
            self.tunable.text = _tunable_label(value)

    def _fault(self, fault: str) -> None:
        if fault == self.fault_text.text:
            return
        # the holder shows it: after an update of the field NiceGUI would show the value from before the typing
        self.holder.classes(**{"add" if fault else "remove": "invalid"})
        self.fault_text.text, self.fault_text.visible = fault, bool(fault)

    async def _check(self, event: Any) -> None:
        text = str(event.value or "")
        if text == _typed_text(self.value):
            return self._fault("")
        fault = await self.workspace.check_value(self.value.path, text)
        if str(self.field.value or "") == text:
            self._fault(fault)

    async def _on_enter(self, event: Any) -> None:
        text = str(event.args[0] if isinstance(event.args, list) else event.args)
        await self._set(text)

    async def _on_selection(self, event: Any) -> None:
        if event.value != _typed_text(self.value):
            await self._set(str(event.value))

    async def _set(self, text: str) -> None:
        path = self.value.path
        if text == _typed_text(self.value):
            ui.run_javascript(f"dovetailAccepted({self._storage_key()!r})")
            return
        if not self.page.check_control():
            return
        fault = await self.workspace.set_value(path, text)
        self._fault(fault)
        if not fault:
            ui.run_javascript(f"dovetailAccepted({self._storage_key()!r})")
            self.field.value = _typed_text(self.value)


def _tunable_label(value: Any) -> str:
    """Return the label of the button that makes a value tunable during a run, or not."""
    return "Tunable: remove" if value.tunable else "Make tunable"


def _remark(value: Any) -> str:
    """Return the allowed range, and a note if the value is the default."""
    notes = (value.allowed, "default" if value.default else "")
    return "; ".join(note for note in notes if note)


def _typed_text(value: Any) -> str:
    """Return a value as typed text."""
    return value.file_text or f"{value.text} {value.unit}".strip()

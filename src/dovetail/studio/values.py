"""The values of a block: typed with a unit, checked at once in the words of the command line, taken on Enter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.widgets import words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

TEXT = "(event) => emit(event.target.value)"
TYPED = (  # not what may be drawn in a field meanwhile
    "(event) => { const typed = dovetailKept(event.target.dataset.keep); if (typed !== null) emit(typed); }"
)


class ValueRows:
    """Kind, sentence and values of one block, and of the blocks in it; `known` are the paths of all blocks."""

    def __init__(self, page: StudioPage, block: Any, known: list[str]):
        self.page, self.desk = page, page.desk
        self.rows: dict[str, ValueRow] = {}
        if block is None:
            ui.label("Click a block of the drawing to see its values.").classes("quiet")
            return
        self._block(block)
        ui.run_javascript("setTimeout(dovetailTyped)")

    def _block(self, block: Any, inner: bool = False) -> None:
        with ui.element("div").classes("line"):
            words("h3" if inner else "h2", block.role).props(f"data-block='{block.path}'")
            if block.kind and not block.exchangeable:
                ui.label(block.kind).classes("quiet")
        if block.exchangeable:
            self._exchange(block)
        if block.about:
            ui.label(block.about).classes("quiet")
        if block.sources:
            with ui.element("details").classes("small quiet"):
                words("summary", "Sources")
                for source in block.sources:
                    ui.label(source)
        if block.values:
            with ui.element("div").classes("values").style("margin-top: 10px"):
                for value in block.values:
                    self.rows[value.path] = ValueRow(self.page, value)
        for one in block.inner:
            ui.separator().style("margin: 14px 0 10px")
            self._block(one, inner=True)

    def _exchange(self, block: Any) -> None:
        """A list of the family, a sentence each."""
        opener = ui.button(block.kind, color=None).props("flat dense icon-right=arrow_drop_down")
        with opener.classes("plain mine exchange"):
            menu = ui.menu().props("max-height=60vh").style("max-width: 620px")
        filled: list[bool] = []

        def fill() -> None:
            if filled:
                return
            filled.append(True)
            with menu:
                for choice in self.desk.document.choices(block.path):
                    take = lambda _, kind=choice.kind: self._take(block.path, kind)  # noqa: E731
                    with ui.menu_item(on_click=take).props(f"data-kind={choice.kind}"), ui.element("div"):
                        words("b", choice.kind + (" (in place)" if choice.present else ""))
                        words("div", choice.about, "small quiet").style("white-space: normal")

        menu.on("before-show", fill)

    async def _take(self, path: str, kind: str) -> None:
        if self.page.may():
            fault = await self.desk.edit(lambda document: document.exchange(path, kind))
            if fault:
                self.page.say(fault, bad=True)

    def show(self, block: Any) -> None:
        """The same rows with other values."""
        for value in block.values:
            if value.path in self.rows:
                self.rows[value.path].show(value)
        for inner in block.inner:
            self.show(inner)


class ValueRow:
    """One value: what it means, and the field to type it in."""

    def __init__(self, page: StudioPage, value: Any):
        self.page, self.desk, self.value = page, page.desk, value
        with ui.element("div").classes("meaning"):
            words("b", value.name)
            words("span", value.meaning)
            self.remark = words("span", _remark(value))
        typed = _typed(value)
        if value.choices:
            options = list(dict.fromkeys([*value.choices, typed]))
            self.field: Any = ui.select(options, value=typed, on_change=self._picked)
            self.field.props("outlined dense options-dense")
        else:
            self.field = ui.input(value=typed, on_change=self._check)
            self.field.props(f"outlined dense debounce=250 data-keep='{self._kept()}' spellcheck=false")
            self.field.on("keydown.enter", self._enter, js_handler=TEXT)
            self.field.on("blur", self._enter, js_handler=TYPED)
        self.field.classes("mine").props(f"data-value='{value.path}' hide-bottom-space no-error-icon")
        self.told = words("div", "", "fault").props(f"data-fault='{value.path}' role=alert")
        self.told.visible = False

    def _kept(self) -> str:
        """The name under which the browser keeps what is typed here."""
        return f"{self.desk.document.name} {self.value.path}"

    def show(self, value: Any) -> None:
        """The value as the file has it now; what is being typed stays."""
        typing = self.field.value != _typed(self.value)
        self.value = value
        if not typing or self.field.value == _typed(value):
            self.field.value = _typed(value)
            self._fault("")
        self.remark.text = _remark(value)

    def _fault(self, fault: str) -> None:
        if fault == self.told.text:
            return  # a field that is drawn anew forgets what is being typed in it
        self.field.props["error"] = bool(fault)
        self.field.update()
        self.told.text, self.told.visible = fault, bool(fault)

    async def _check(self, event: Any) -> None:
        text = str(event.value or "")
        if text == _typed(self.value):
            return self._fault("")
        fault = await self.desk.trial(self.value.path, text)
        if str(self.field.value or "") == text:
            self._fault(fault)

    async def _enter(self, event: Any) -> None:
        text = str(event.args[0] if isinstance(event.args, list) else event.args)
        await self._set(text)

    async def _picked(self, event: Any) -> None:
        if event.value != _typed(self.value):
            await self._set(str(event.value))

    async def _set(self, text: str) -> None:
        path = self.value.path
        if text == _typed(self.value):
            ui.run_javascript(f"dovetailTaken({self._kept()!r})")
            return
        if not self.page.may():
            return
        self.field.value = text
        fault = await self.desk.put(path, text)
        self._fault(fault)
        if not fault:
            ui.run_javascript(f"dovetailTaken({self._kept()!r})")
            self.field.value = _typed(self.value)


def _remark(value: Any) -> str:
    """Its range, and whether the file says it."""
    said = (value.allowed, "not in the file: its default" if value.default else "")
    return "; ".join(word for word in said if word)


def _typed(value: Any) -> str:
    """A value as one would type it."""
    return value.said or f"{value.shown} {value.unit}".strip()

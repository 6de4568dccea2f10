"""Choose: the studies with their pictures, their tests with their loops, a file of one's own, what was done lately."""

from __future__ import annotations

import asyncio
import re
import time
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from dovetail.studies.registry import Study, studies
from dovetail.studio.widgets import button, section, words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

LATELY = 12  # runs that are listed


class Choose:
    """The first room."""

    def __init__(self, page: StudioPage):
        self.page, self.desk = page, page.desk
        self.cards: dict[str, Any] = {}
        self.left: list[str] = []  # names of drafts
        with ui.element("div").classes("stack"):
            self.trouble = ui.label().classes("fault").props("id=trouble")
            with ui.element("div").classes("studies"):
                for study in studies().values():
                    self._card(study)
            self.tests = ui.element("div").props("id=tests")
            with section("What was done lately", "recent"):
                self.recent = ui.element("div").classes("list")
            with section("A file of your own", "own"):
                words("p", "A test file on this machine; `dovetail new test NAME` begins one.", "quiet")
                with ui.element("div").classes("line"):
                    self.path = ui.input("File, ends in .toml").classes("grow mine")
                    self.path.props("outlined dense data-field=own-path").on("keydown.enter", self._own)
                    button("Open", self._own, strong=True, name="open-own")
                self.drafts = ui.element("div").props("id=drafts")

    def _card(self, study: Study) -> None:
        card = (
            ui.element("div").classes("card study").props(f"tabindex=0 role=button data-study={study.name}")
        )
        self.cards[study.name] = card
        with card:
            ui.element("img").props(f"src=/pictures/{study.name}.jpg alt=''")
            with ui.element("div").classes("words"):
                words("h3", study.title)
                words(
                    "div",
                    f"{study.about[:1].upper()}{study.about[1:]}. {len(study.tests)} tests.",
                    "quiet small",
                )
        card.on("click", lambda: self._open_study(study))
        card.on("keydown.enter", lambda: self._open_study(study))

    def _open_study(self, study: Study) -> None:
        for name, card in self.cards.items():
            card.classes(
                add="chosen" if name == study.name else "", remove="" if name == study.name else "chosen"
            )
        self.tests.clear()
        with self.tests, section(study.title), ui.element("div").classes("tests"):
            places = {}
            for test in sorted(study.tests, key=lambda test: test.name):
                card = (
                    ui.element("div")
                    .classes("card test")
                    .props(f"tabindex=0 role=button data-test={test.name}")
                )
                with card:
                    words("div", test.name.partition("/")[2], "name")
                    places[test.path] = ui.html("", sanitize=False)
                    words("div", test.title, "quiet small")
                card.on("click", lambda name=test.name: self._choose(name))
                card.on("keydown.enter", lambda name=test.name: self._choose(name))
        background_tasks.create(self._draw(places), context=self.tests)

    async def _draw(self, places: dict[Any, Any]) -> None:
        """The loops of the tests, as the files have them."""
        drawn = await asyncio.to_thread(lambda: [thumbnail(path) for path in places])
        for place, loop in zip(
            places.values(), drawn, strict=True
        ):  # all in one message: the page is drawn once
            place.content = loop

    async def _choose(self, name: str) -> None:
        if not self.page.may():
            return
        self.page.go("set-up")
        if await self.desk.open(name):
            self.page.go("choose")

    async def _own(self) -> None:
        name = str(self.path.value or "").strip()
        if not name.endswith(".toml"):
            self.trouble.text = f'"{name}": a test file ends in .toml'
            return
        await self._choose(name)

    def heard(self, what: str) -> None:
        """Show what is new."""
        if what == "document":
            self.trouble.text = self.desk.trouble
            self._list_drafts()
        if what == "past":
            self._list_recent()

    def _list_recent(self) -> None:
        self.recent.clear()
        with self.recent:
            if not self.desk.past:
                words("p", f"Nothing yet; runs are written to {self.desk.runs}/.", "quiet")
            for past in self.desk.past[:LATELY]:
                entry = ui.element("div").classes("entry").props("tabindex=0 role=button")
                with entry.props(f"data-run='{past.folder.name}'"):
                    words("span", past.folder.name, "name")
                    words("span", f"{past.title}: {past.mode}. {past.outcome}", "quiet small")
                    words(
                        "span", time.strftime("%d %b %H:%M", time.localtime(past.when)), "quiet small number"
                    )
                entry.on("click", lambda past=past: self.page.rooms["do"].open_past(past))
                entry.on("keydown.enter", lambda past=past: self.page.rooms["do"].open_past(past))

    def _list_drafts(self) -> None:
        names = self.desk.drafts.names() if self.desk.drafts is not None else []
        if names == self.left:
            return
        self.left = names
        self.drafts.clear()
        if not names:
            return
        with self.drafts:
            words("p", "Left with changes that are not saved:", "quiet").style("margin-top: 10px")
            for name in names:
                with ui.element("div").classes("line"):
                    button(name, lambda name=name: self._choose(name))


@cache
def thumbnail(path: Any) -> str:
    """The loop of a test file as a small drawing; nothing for a file that has none, or cannot be read."""
    from dovetail.report.drawing import loop

    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    drawn = loop(table) if "rig" in table or "numerical" in table else ""
    return re.sub(r'<g class="part"[^>]*>', "<g>", drawn)

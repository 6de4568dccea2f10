"""Open tab: studies with pictures, their tests with loop drawings, test files and recent runs."""

from __future__ import annotations

import asyncio
import re
import time
import tomllib
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from dovetail.studies.registry import Study, studies
from dovetail.studio.widgets import button, clickable, section, text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

RECENT_COUNT = 12  # number of recent runs listed


class OpenTab:
    """Open tab."""

    def __init__(self, page: StudioPage):
        self.page, self.workspace = page, page.workspace
        self.cards: dict[str, Any] = {}
        self.draft_names: list[str] = []  # names of drafts
        with ui.element("div").classes("stack"):
            self.error = ui.label().classes("fault").props("id=trouble")
            with ui.element("div").classes("studies"):
                for study in studies().values():
                    self._card(study)
            self.tests = ui.element("div").props("id=tests")
            with section("Recent runs", "recent"):
                self.recent_runs = ui.element("div").classes("list")
            with section("Test file", "own"):
                text_element("p", "Path of a test file; `dovetail new test NAME` creates one.", "quiet")
                with ui.element("div").classes("line"):
                    self.path = ui.input("File (.toml)").classes("grow needs-control")
                    self.path.props("outlined dense data-field=own-path").on("keydown.enter", self._open_file)
                    button("Open", self._open_file, strong=True, name="open-own")
                self.drafts = ui.element("div").props("id=drafts")

    def _card(self, study: Study) -> None:
        card = ui.element("div").classes("card study").props(f"data-study={study.name}")
        self.cards[study.name] = card
        with card:
            ui.element("img").props(f"src=/pictures/{study.name}.jpg alt=''")
            with ui.element("div").classes("words"):
                text_element("h3", study.title)
                text_element(
                    "div",
                    f"{study.about[:1].upper()}{study.about[1:]}. {len(study.tests)} tests.",
                    "quiet small",
                )
        clickable(card, lambda: self._open_study(study))

    def _open_study(self, study: Study) -> None:
        for name, card in self.cards.items():
            card.classes(
                add="selected" if name == study.name else "", remove="" if name == study.name else "selected"
            )
        self.tests.clear()
        with self.tests, section(study.title), ui.element("div").classes("tests"):
            thumbnails = {}
            for test in sorted(study.tests, key=lambda test: test.name):
                card = ui.element("div").classes("card test").props(f"data-test={test.name}")
                with card:
                    text_element("div", test.name.partition("/")[2], "name")
                    thumbnails[test.path] = ui.html("", sanitize=False)
                    text_element("div", test.title, "quiet small")
                clickable(card, partial(self._open_test, test.name))
        background_tasks.create(self._draw(thumbnails), context=self.tests)

    async def _draw(self, thumbnails: dict[Any, Any]) -> None:
        """Draw the loops of the tests."""
        drawn = await asyncio.to_thread(lambda: [loop_thumbnail(path) for path in thumbnails])
        for thumbnail, loop in zip(
            thumbnails.values(), drawn, strict=True
        ):  # in one message, so that the page is drawn once
            if not thumbnail.is_deleted:  # another study may have been opened
                thumbnail.content = loop

    def _open_run(self, run: Any) -> None:
        self.page.tab_contents["run"].open_run(run)

    async def _open_test(self, name: str) -> None:
        if not self.page.check_control():
            return
        self.page.go("model")
        if await self.workspace.open(name):
            self.page.go("open")

    async def _open_file(self) -> None:
        name = str(self.path.value or "").strip()
        if not name.endswith(".toml"):
            self.error.text = f'"{name}": the name of a test file must end in .toml'
            return
        await self._open_test(name)

    def refresh(self, change: str) -> None:
        """Update the tab after a change."""
        if change == "document":
            self.error.text = self.workspace.error
            self._list_drafts()
        if change == "recent runs":
            self._list_recent()

    def _list_recent(self) -> None:
        self.recent_runs.clear()
        with self.recent_runs:
            if not self.workspace.recent_runs:
                text_element("p", f"No runs in {self.workspace.runs}/.", "quiet")
            for run in self.workspace.recent_runs[:RECENT_COUNT]:
                entry = ui.element("div").classes("entry")
                with entry.props(f"data-run='{run.folder.name}'"):
                    text_element("span", run.folder.name, "name")
                    text_element("span", f"{run.title}: {run.mode}. {run.outcome}", "quiet small")
                    text_element(
                        "span", time.strftime("%d %b %H:%M", time.localtime(run.when)), "quiet small number"
                    )
                clickable(entry, partial(self._open_run, run))

    def _list_drafts(self) -> None:
        names = self.workspace.drafts.names() if self.workspace.drafts is not None else []
        if names == self.draft_names:
            return
        self.draft_names = names
        self.drafts.clear()
        if not names:
            return
        with self.drafts:
            text_element("p", "Unsaved drafts:", "quiet").style("margin-top: 10px")
            for name in names:
                with ui.element("div").classes("line"):
                    button(name, lambda name=name: self._open_test(name))


@cache
def loop_thumbnail(path: Any) -> str:
    """Return the loop of a test file as a small drawing; empty if it has none or cannot be read."""
    from dovetail.report.drawing import loop

    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    drawn = loop(table) if "rig" in table or "numerical" in table else ""
    return re.sub(r'<g class="part"[^>]*>', "<g>", drawn)

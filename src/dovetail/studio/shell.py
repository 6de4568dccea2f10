"""The page around its rooms: which test is on the desk, the rooms to go to, who holds the controls, light or dark."""

from __future__ import annotations

from typing import Any

from nicegui import app, background_tasks, ui

from dovetail.studio.explore import FeelRoom
from dovetail.studio.export import HandOver
from dovetail.studio.model import SetUp
from dovetail.studio.open import Choose
from dovetail.studio.run import Do
from dovetail.studio.served_files import shown_files
from dovetail.studio.theme import css, keeping
from dovetail.studio.widgets import button
from dovetail.studio.workspace import Desk

ROOMS = {"choose": "Choose", "set-up": "Set up", "feel": "Feel", "do": "Do", "hand-over": "Hand over"}
PREFERS = "return matchMedia('(prefers-color-scheme: dark)').matches"
SIGN = 4.0  # [s] between two signs that a page is there


def pages(desk: Desk) -> None:
    """Make the pages of a desk known to the server."""
    shown_files(desk)

    @ui.page("/")
    def index(at: str = "") -> None:
        StudioPage(desk, at if at in ROOMS else "")


class StudioPage:
    """What one browser window sees."""

    def __init__(self, desk: Desk, at: str):
        self.desk = desk
        self.client = ui.context.client
        self.let_go = False  # the controls were given back from here
        ui.add_head_html(f"<style>{css()}</style>")
        ui.add_body_html(f"<script>{keeping()}</script>")
        ui.colors(primary="#0072b2", negative="#b3261e", positive="#1b7f4d")
        self.memory = app.storage.user
        self.owner = app.storage.browser["id"]  # the browser, of which several pages may be open
        others = {page.who for page in desk.pages if page.owner != self.owner}
        self.who = self.memory["name"] = named(self.memory.get("name"), others)
        self.dark = ui.dark_mode(self.memory.get("dark"))
        self._bar(at)
        self.rooms: dict[str, Any] = {}
        for name, room in zip(ROOMS, (Choose, SetUp, FeelRoom, Do, HandOver), strict=True):
            with ui.element("main").classes("room").props(f"id=room-{name}") as holder:
                self.rooms[name] = room(self)
            holder.bind_visibility_from(self.tabs, "value", value=name)
        self.go(at or ("set-up" if desk.first else "choose"))
        desk.pages.add(self)
        self.client.on_delete(self._leave)
        ui.timer(SIGN, self._sign)
        self._sign()
        for what in ("document", "knobs", "answer", "map", "jobs", "past", "holding"):
            self.heard(what)

    def _bar(self, at: str) -> None:
        with ui.header().classes("bar"):
            ui.label("Dovetail studio").classes("brand")
            with ui.element("div").classes("what"):
                self.name = ui.element("b").props("id=test-name")
                self.title = ui.element("span").props("id=test-title")
                with self.name:
                    self.name_text = ui.label()
                with self.title:
                    self.title_text = ui.label()
            self.tabs = ui.tabs(on_change=lambda event: self._went(event.value)).props("no-caps inline-label")
            with self.tabs:
                for name, label in ROOMS.items():
                    ui.tab(name, label=label)
            with ui.element("div").classes("held"):
                self.held = ui.label().props("id=held")
                self.take = button("Take over", self._take, mine=False, name="take")
                self.give = button("Let go", self._give, mine=False, name="give")
            self.shade = button("Dark", self._turn_dark, mine=False, name="shade")
            ui.timer(0, self._find_shade, once=True)

    def go(self, room: str) -> None:
        """Show a room."""
        self.tabs.value = room

    async def _went(self, room: str) -> None:
        if room == "feel":
            background_tasks.create(self.desk.feel())
        if self.client.has_socket_connection:
            ui.run_javascript("scrollTo(0, 0)")
            ui.navigate.history.replace(f"/?at={room}")

    # light and dark

    async def _find_shade(self) -> None:
        """As the system has it, where nobody has said otherwise."""
        if self.dark.value is None:
            found = await ui.run_javascript(PREFERS, timeout=60.0)  # [s] of a browser that is busy
            if self.dark.value is None:  # nobody pressed meanwhile
                self.dark.value = bool(found)
        self.shade.text = "Light" if self.dark.value else "Dark"

    async def _turn_dark(self) -> None:
        await self._find_shade()  # who presses before it is known means the other than what is seen
        self.memory["dark"] = self.dark.value = not self.dark.value
        self.shade.text = "Light" if self.dark.value else "Dark"

    # who holds the controls

    def may(self) -> bool:
        """Whether this page holds the controls; says who does if not."""
        holding = self.desk.holding
        if holding is None:
            self.say("Dovetail is still being loaded")
            return False
        holding.here(self.who)  # the first to be there has the controls
        if not holding.holds(self.who):
            self.say(holding.words(self.who))
            return False
        return True

    def _sign(self) -> None:
        holding = self.desk.holding
        if holding is None:
            return
        if holding.holder is not None or not self.let_go:
            holding.here(self.who)
        self.heard("holding")

    def _take(self) -> None:
        self.let_go = False
        self.desk.holding.take(self.who, over=True)
        self.desk.tell("holding")

    def _give(self) -> None:
        self.let_go = True  # until somebody takes them
        self.desk.holding.release(self.who)
        self.desk.tell("holding")

    def _leave(self) -> None:
        self.desk.pages.discard(self)
        if self.desk.holding is not None and not any(page.who == self.who for page in self.desk.pages):
            self.desk.holding.gone(self.who)
        self.desk.tell("holding")

    # what is new

    def heard(self, what: str) -> None:
        """Show what is new, here and in the rooms."""
        with self.client:
            if what == "document":
                self._say_test()
                self.client.layout.classes(**{"add" if self.desk.busy else "remove": "busy"})
            if what == "holding" and self.desk.holding is not None:
                if self.desk.holding.holder is None and not self.let_go:
                    self.desk.holding.here(self.who)
                mine = self.desk.holding.holds(self.who)
                self.held.text = self.desk.holding.words(self.who)
                self.take.visible, self.give.visible = not mine, mine and len(self.desk.holding.lookers()) > 1
                self.client.layout.classes(**({"remove": "looking"} if mine else {"add": "looking"}))
            for room in self.rooms.values():
                room.heard(what)

    def _say_test(self) -> None:
        document = self.desk.document
        if self.desk.busy or document is None:
            self.name_text.text, self.title_text.text = self.desk.busy or "No test chosen", ""
            return
        self.name.props(f"data-opened={self.desk.opened}")  # tells two openings of one test apart
        changed = ", changed" if self.desk.difference else ""
        self.name_text.text, self.title_text.text = f"{document.name}{changed}", document.title

    def copy(self, text: str) -> None:
        """Text for the clipboard of whoever presses."""
        ui.clipboard.write(text)
        self.say("Copied.")

    def say(self, words: str, bad: bool = False) -> None:
        """A sentence at the foot of the page for a while."""
        ui.notify(
            words, color="negative" if bad else "dark", position="bottom", multi_line=True, timeout=6000
        )


def named(name: str | None, others: set[str]) -> str:
    """The name of somebody: the one they had, or the first that is free; two of one name would share a hold."""
    free = (f"person {number}" for number in range(1, len(others) + 2))
    return name if name and name not in others else next(one for one in free if one not in others)

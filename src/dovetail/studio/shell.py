"""Page frame of the studio: open test, tabs, control lock, light or dark mode."""

from __future__ import annotations

from typing import Any

from nicegui import app, background_tasks, ui

from dovetail.studio.explore import ExploreTab
from dovetail.studio.export import ExportTab
from dovetail.studio.model import ModelTab
from dovetail.studio.open import OpenTab
from dovetail.studio.rig_bar import RigBar
from dovetail.studio.run import RunTab
from dovetail.studio.served_files import register_file_routes
from dovetail.studio.theme import css, unsaved_input_script
from dovetail.studio.widgets import button
from dovetail.studio.workspace import Workspace

TABS = {"open": "Open", "model": "Model", "explore": "Explore", "run": "Run", "export": "Export"}
DARK_QUERY = "return matchMedia('(prefers-color-scheme: dark)').matches"
PRESENCE_INTERVAL = 4.0  # [s] between two reports that the page is open


def pages(workspace: Workspace) -> None:
    """Register the pages with the server."""
    register_file_routes(workspace)

    @ui.page("/")
    def index(at: str = "") -> None:
        StudioPage(workspace, at if at in TABS else "")


class StudioPage:
    """Page of one browser window."""

    def __init__(self, workspace: Workspace, at: str):
        self.workspace = workspace
        self.client = ui.context.client
        self.released = False  # control was released on this page
        ui.add_head_html(f"<style>{css()}</style>")
        ui.add_body_html(f"<script>{unsaved_input_script()}</script>")
        ui.colors(primary="#0072b2", negative="#b3261e", positive="#1b7f4d")
        self.memory = app.storage.user
        self.browser = app.storage.browser["id"]  # browser; it may have several pages open
        others = {page.user for page in workspace.pages if page.browser != self.browser}
        self.user = self.memory["name"] = unique_name(self.memory.get("name"), others)
        self.dark = ui.dark_mode(self.memory.get("dark"))
        self._bar(at)
        self.rig_bar = RigBar(self)
        self.tab_contents: dict[str, Any] = {}
        for name, tab in zip(TABS, (OpenTab, ModelTab, ExploreTab, RunTab, ExportTab), strict=True):
            with ui.element("main").classes("tab").props(f"id=tab-{name}") as holder:
                self.tab_contents[name] = tab(self)
            holder.bind_visibility_from(self.tabs, "value", value=name)
        self.go(at or ("model" if workspace.first else "open"))
        workspace.pages.add(self)
        self.client.on_delete(self._leave)
        ui.timer(PRESENCE_INTERVAL, self._report_presence)
        self._report_presence()
        for change in ("document", "sliders", "result", "map", "jobs", "recent runs", "control"):
            self.refresh(change)

    def _bar(self, at: str) -> None:
        with ui.header().classes("bar"):
            ui.label("Dovetail studio").classes("brand")
            with ui.element("div").classes("test-title"):
                self.name = ui.element("b").props("id=test-name")
                self.title = ui.element("span").props("id=test-title")
                with self.name:
                    self.name_text = ui.label()
                with self.title:
                    self.title_text = ui.label()
            self.tabs = ui.tabs(on_change=lambda event: self._on_tab(event.value)).props(
                "no-caps inline-label"
            )
            with self.tabs:
                for name, label in TABS.items():
                    ui.tab(name, label=label)
            with ui.element("div").classes("control"):
                self.control_text = ui.label().props("id=control")
                self.take_button = button(
                    "Take control", self._take_control, needs_control=False, name="take"
                )
                self.release_button = button(
                    "Release", self._release_control, needs_control=False, name="release"
                )
            self.theme_button = button("Dark", self._toggle_dark, needs_control=False, name="theme")
            ui.timer(0, self._apply_system_theme, once=True)

    def go(self, tab: str) -> None:
        """Show a tab."""
        self.tabs.value = tab

    async def _on_tab(self, tab: str) -> None:
        if tab == "explore":
            background_tasks.create(self.workspace.start_exploring())
        if self.client.has_socket_connection:
            ui.run_javascript("scrollTo(0, 0)")
            ui.navigate.history.replace(f"/?at={tab}")

    # light and dark

    async def _apply_system_theme(self) -> None:
        """Use the system setting unless the user has chosen light or dark."""
        if self.dark.value is None:
            dark = await ui.run_javascript(DARK_QUERY, timeout=60.0)  # [s] a busy browser may need
            if self.dark.value is None:  # not pressed in the meantime
                self.dark.value = bool(dark)
        self.theme_button.text = "Light" if self.dark.value else "Dark"

    async def _toggle_dark(self) -> None:
        await self._apply_system_theme()  # the button always switches away from the visible mode
        self.memory["dark"] = self.dark.value = not self.dark.value
        self.theme_button.text = "Light" if self.dark.value else "Dark"

    # control lock

    def check_control(self) -> bool:
        """Return whether this page has control; otherwise show who has it."""
        control = self.workspace.control
        if control is None:
            self.show_message("Dovetail is still loading.")
            return False
        control.join(self.user)  # the first user gets control
        if not control.holds(self.user):
            self.show_message(control.status_text(self.user))
            return False
        return True

    def _report_presence(self) -> None:
        control = self.workspace.control
        if control is None:
            return
        if control.holder is not None or not self.released:
            control.join(self.user)
        self.refresh("control")

    def _take_control(self) -> None:
        self.released = False
        self.workspace.control.take(self.user, over=True)
        self.workspace.notify("control")

    def _release_control(self) -> None:
        self.released = True  # until control is taken again
        self.workspace.control.release(self.user)
        self.workspace.notify("control")

    def _leave(self) -> None:
        self.workspace.pages.discard(self)
        if self.workspace.control is not None and not any(
            page.user == self.user for page in self.workspace.pages
        ):
            self.workspace.control.leave(self.user)
        self.workspace.notify("control")

    # changes

    def refresh(self, change: str) -> None:
        """Update the page frame and the tabs after a change."""
        with self.client:
            if change == "document":
                self._show_test()
                self.client.layout.classes(**{"add" if self.workspace.busy else "remove": "busy"})
            if change == "control" and self.workspace.control is not None:
                if self.workspace.control.holder is None and not self.released:
                    self.workspace.control.join(self.user)
                mine = self.workspace.control.holds(self.user)
                self.control_text.text = self.workspace.control.status_text(self.user)
                self.take_button.visible, self.release_button.visible = (
                    not mine,
                    mine and len(self.workspace.control.viewers()) > 1,
                )
                self.client.layout.classes(**({"remove": "view-only"} if mine else {"add": "view-only"}))
            if change == "jobs":
                self.rig_bar.show()
            for tab in self.tab_contents.values():
                tab.refresh(change)

    def _show_test(self) -> None:
        document = self.workspace.document
        if self.workspace.busy or document is None:
            self.name_text.text, self.title_text.text = self.workspace.busy or "No test open", ""
            return
        self.name.props(f"data-opened={self.workspace.opened}")  # distinguishes two openings of the same test
        changed = " (modified)" if self.workspace.difference else ""
        self.name_text.text, self.title_text.text = f"{document.name}{changed}", document.title

    def copy(self, text: str) -> None:
        """Copy text to the clipboard."""
        ui.clipboard.write(text)
        self.show_message("Copied.")

    def show_message(self, text: str, bad: bool = False) -> None:
        """Show a message at the bottom of the page for 6 s."""
        ui.notify(text, color="negative" if bad else "dark", position="bottom", multi_line=True, timeout=6000)


def unique_name(name: str | None, others: set[str]) -> str:
    """Return the user name: the previous one if unique, otherwise the first free one; names must be unique."""
    free = (f"User {number}" for number in range(1, len(others) + 2))
    return name if name and name not in others else next(one for one in free if one not in others)

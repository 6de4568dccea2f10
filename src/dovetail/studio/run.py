"""Run tab: start tests, designs and campaigns as jobs, and show their signals, reports and plans."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from dovetail.studio.campaign import CampaignMap
from dovetail.studio.chart import MovingPlot, line
from dovetail.studio.jobs import JobRow, can_stop
from dovetail.studio.live import LivePanel
from dovetail.studio.plan import plan_card
from dovetail.studio.served_files import address, report_in
from dovetail.studio.widgets import button, section, text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

COLOURS = ("demand", "measured", "command", "critical", "caution", "bad")
MAX_OVERLAY = 6  # largest number of runs in the overlay
MAX_JOBS = 30  # newest jobs listed; older ones are in the list of recent runs
SCROLL_SCRIPT = """const shown = document.querySelector("#shown"), top = shown.getBoundingClientRect().top;
if (top < 50 || top > 0.7 * innerHeight) shown.scrollIntoView({ block: "start" });"""
UPDATE_INTERVAL = 0.5  # [s] update interval of a live run


class RunTab:
    """Run tab."""

    def __init__(self, page: StudioPage):
        self.page, self.workspace = page, page.workspace
        self.rows: dict[Path, JobRow] = {}
        self.overlay: dict[Path, dict[str, Any]] = {}  # signals of runs in the overlay, oldest first
        self.job_states: dict[Path, str] = {}  # last state of each job
        self.offered: Any = None  # test of the present buttons
        with ui.element("div").classes("two do") as self.columns:
            with ui.element("div").classes("stack"):
                with section("Compute", "actions"):
                    self.action_list = ui.element("div")
                with section("Real rig", "machines") as self.machines:
                    self.rig_card: Any = None
                    self.rig_list = ui.element("div")
            with ui.element("div").classes("stack"):
                with section("Signals", "traces"):
                    self.live = LivePanel()
                    with ui.element("div") as self.recorded:
                        with ui.element("div").classes("line"):
                            self.signal = ui.select([], label="signal", on_change=lambda _: self._draw())
                            self.signal.props("outlined dense options-dense id=signal").classes("grow")
                            button("Clear", self._clear, needs_control=False)
                        self.chart = MovingPlot("Recorded signals of several runs", "time (s)", "", 300)
                        self.chart.props("id=chart-traces")
                with section("Runs", "jobs"):
                    self.list = ui.element("div")
                    self.no_runs = text_element("p", "No runs yet.", "quiet")
        self.shown = ui.element("div").props("id=shown")
        self.reported: Path | None = None  # folder of the report on the page
        page.dark.on_value_change(lambda _: self.reported and self.report(self.reported, scroll=False))
        ui.timer(UPDATE_INTERVAL, self._poll)

    # actions

    def _offer(self) -> None:
        from dovetail.app.actions import available_actions
        from dovetail.studio.actions import ActionButtons
        from dovetail.studio.rig_card import RigCard

        document = self.workspace.document
        self.action_list.clear()
        self.rig_list.clear()
        self.machines.visible = document is not None and "rehearse" in available_actions(document.test)
        with self.rig_list:
            self.rig_card = RigCard(self.page) if self.machines.visible else None
        with self.action_list:
            if document is None or document.test is None:
                text_element("p", "Open a test first.", "quiet")
            else:
                ActionButtons(self.page)

    def refresh(self, change: str) -> None:
        """Update the tab after a change."""
        if change == "document":
            key = (self.workspace.document and self.workspace.document.name, self.workspace.busy)
            if key != self.offered:
                self.offered = key
                self._offer()
                self._show_runs_of_test()
        if change in ("document", "rig", "jobs") and self.rig_card is not None:
            self.rig_card.refresh()
        if change == "jobs" and self.workspace.jobs is not None:
            self._list()

    # jobs

    def _list(self) -> None:
        newest = {job.folder: job for job in reversed(self.workspace.jobs.all())}  # of a resumed run
        jobs = sorted(newest.values(), key=lambda job: -job.started)[:MAX_JOBS]
        self.no_runs.visible = not jobs
        for job in reversed(jobs):
            if job.folder not in self.rows:
                with self.list:
                    row = self.rows[job.folder] = JobRow(self.page, self, job)
                    row.box.move(target_index=0)
            self.rows[job.folder].show(job)
            before, self.job_states[job.folder] = self.job_states.get(job.folder), job.state
            late = before is None and job in jobs[:MAX_OVERLAY] and job.started > self.workspace.start_time
            late = late and job.title == (self.workspace.document and self.workspace.document.title)
            if job.state != "runs" and (before == "runs" or late):  # a reloaded page shows them too
                background_tasks.create(self.add_signals(job.folder), context=self.list)
        for folder in set(self.rows) - {job.folder for job in jobs}:
            self.rows.pop(folder).box.delete()

    def open_run(self, run: Any) -> None:
        """Show the signals, and the report if it exists, of a run from the list of recent runs."""
        self.page.go("run")
        background_tasks.create(self.add_signals(run.folder), context=self.list)
        if report_in(self.workspace.runs, run.folder) is not None:
            self.report(run.folder)

    # signals

    async def add_signals(self, folder: Path) -> None:
        """Add the recorded signals of a folder to the overlay."""
        signals = await asyncio.to_thread(read_signals, folder)
        if signals:
            self.overlay.pop(folder, None)
            self.overlay[folder] = signals
            while len(self.overlay) > MAX_OVERLAY:
                self.overlay.pop(next(iter(self.overlay)))
            self._draw()

    def _show_runs_of_test(self) -> None:
        """Overlay the newest runs of the open test only."""
        title = self.workspace.document and self.workspace.document.title
        jobs = self.workspace.jobs.all() if self.workspace.jobs is not None else []
        folders = [job.folder for job in jobs if job.title == title and job.state != "runs"]
        self.overlay = {folder: signals for folder, signals in self.overlay.items() if folder in folders}
        self._draw()

    def _clear(self) -> None:
        self.overlay.clear()
        self._draw()

    async def _poll(self) -> None:
        jobs = self.workspace.jobs.all() if self.workspace.jobs is not None else ()
        moving = [job for job in jobs if job.live and job.folder in self.rows and can_stop(job.phase)]
        for job in moving:
            await self.rows[job.folder].tunables.refresh()
        is_live = bool(moving) and await self.live.show(moving[0])
        self.live.box.visible, self.recorded.visible = is_live, not is_live
        self.columns.classes(**{"add" if moving else "remove": "live"})

    def _draw(self) -> None:
        names = list(dict.fromkeys(name for traces in self.overlay.values() for name in traces))
        if names != self.signal.options:
            here = self.signal.value if self.signal.value in names else next(iter(names), None)
            self.signal.set_options(names, value=here)
        name = str(self.signal.value)
        curves = [
            (folder, traces[name]) for folder, traces in reversed(self.overlay.items()) if name in traces
        ]
        lines = [
            line(trace.t, trace.y, colour, folder.name, width=1.5)
            for colour, (folder, trace) in zip(COLOURS, curves, strict=False)
        ]
        unit = curves[0][1].unit if curves else ""
        self.chart.show({"lines": lines[::-1], "yname": f"({unit})" if unit else "", "number": len(lines)})

    # details below the tab

    def report(self, folder: Path, scroll: bool = True) -> None:
        """Show the report of a run, light or dark like the page."""
        self.reported = folder
        self.shown.clear()
        with self.shown, section("Report"):
            with ui.element("div").classes("line").style("margin-bottom: 8px"):
                text_element("span", str(folder), "quiet grow")
                ui.link("Open in a new tab", address(folder), new_tab=True)
            theme = "dark" if self.page.dark.value else "light"
            ui.element("iframe").classes("report").props(f"src='{address(folder, theme)}' title=Report")
        if scroll:
            self._scroll_to_details()

    def plan(self, folder: Path) -> None:
        """Show the plan of a design."""
        self.reported = None
        self.shown.clear()
        with self.shown:
            plan_card(folder)
        self._scroll_to_details()

    def points(self, folder: Path) -> None:
        """Show the points of a campaign."""
        self.reported = None
        self.shown.clear()
        with self.shown:
            CampaignMap(self.page, folder)
        self._scroll_to_details()

    def _scroll_to_details(self) -> None:
        """Scroll to the details."""
        ui.run_javascript(SCROLL_SCRIPT)

    async def scene(self, folder: Path) -> None:
        """Show the 3-D view of a run."""
        self.reported = None
        self.shown.clear()
        with self.shown, section("3-D view"):
            message = text_element("p", "Opening the 3-D view.", "quiet")
            self._scroll_to_details()
            address_or_fault = await self.workspace.scenes.address(folder)
            if address_or_fault.startswith("http"):
                message.delete()
                ui.element("iframe").classes("scene").props(f"src='{address_or_fault}' title='3-D view'")
            else:
                message.text = address_or_fault


def read_signals(folder: Path) -> dict[str, Any]:
    """Return the signals of a finished run; empty if there are none."""
    from dovetail.app.history import traces
    from dovetail.core.errors import DovetailError

    try:
        return traces(folder)
    except (DovetailError, OSError, ValueError):
        return {}

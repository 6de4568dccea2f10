"""Do: emulate, rehearse, run, creep, design, a campaign; each in a process of its own, and what came of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from dovetail.studio.campaign import CampaignMap
from dovetail.studio.chart import MovingPlot, line
from dovetail.studio.jobs import JobRow
from dovetail.studio.plan import plan_card
from dovetail.studio.served_files import address, report_in
from dovetail.studio.widgets import button, section, words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

SHADES = ("demand", "measured", "command", "critical", "caution", "bad")
TOGETHER = 6  # runs that are laid over each other
LISTED = 30  # jobs, the newest; older ones are among what was done lately
BRING = """const shown = document.querySelector("#shown"), top = shown.getBoundingClientRect().top;
if (top < 50 || top > 0.7 * innerHeight) shown.scrollIntoView({ block: "start" });"""
LOOK = 0.5  # [s] between two looks at a run that goes on


class Do:
    """The room where things are done."""

    def __init__(self, page: StudioPage):
        self.page, self.desk = page, page.desk
        self.rows: dict[Path, JobRow] = {}
        self.laid: dict[Path, dict[str, Any]] = {}  # in the order in which they were laid over each other
        self.known: dict[Path, str] = {}  # states of jobs that were seen
        self.offered: Any = None  # the test that the buttons are for
        with ui.element("div").classes("two do"):
            with ui.element("div").classes("stack"):
                with section("Do", "deeds"):
                    self.deeds = ui.element("div")
                with section("What runs and what ran", "jobs"):
                    self.list = ui.element("div")
                    self.none = words("p", "Nothing has been started from here yet.", "quiet")
            with ui.element("div").classes("stack"), section("Traces", "traces"):
                with ui.element("div").classes("line"):
                    self.signal = ui.select([], label="signal", on_change=lambda _: self._draw())
                    self.signal.props("outlined dense options-dense id=signal").classes("grow")
                    button("Clear", self._clear, mine=False)
                self.chart = MovingPlot("Recorded signals, laid over each other", "time [s]", "", 300)
                self.chart.props("id=chart-traces")
        self.shown = ui.element("div").props("id=shown")
        self.reported: Path | None = None  # the folder whose report is shown
        page.dark.on_value_change(lambda _: self.reported and self.report(self.reported, bring=False))
        ui.timer(LOOK, self._look)

    # what can be done

    def _offer(self) -> None:
        from dovetail.studio.actions import Deeds

        document = self.desk.document
        self.deeds.clear()
        with self.deeds:
            if document is None or document.test is None:
                words("p", "Choose a test first.", "quiet")
            else:
                Deeds(self.page)

    def heard(self, what: str) -> None:
        """Show what is new."""
        if what == "document":
            key = (self.desk.document and self.desk.document.name, self.desk.busy)
            if key != self.offered:
                self.offered = key
                self._offer()
        if what == "jobs" and self.desk.jobs is not None:
            self._list()

    # jobs

    def _list(self) -> None:
        jobs = self.desk.jobs.all()[:LISTED]
        self.none.visible = not jobs
        for job in reversed(jobs):
            if job.folder not in self.rows:
                with self.list:
                    row = self.rows[job.folder] = JobRow(self.page, self, job)
                    row.box.move(target_index=0)
            self.rows[job.folder].show(job)
            before, self.known[job.folder] = self.known.get(job.folder), job.state
            late = before is None and job in jobs[:TOGETHER] and job.started > self.desk.began
            if job.state != "runs" and (before == "runs" or late):  # a page that is loaded anew has them too
                background_tasks.create(self.lay(job.folder), context=self.list)
        for folder in set(self.rows) - {job.folder for job in jobs}:
            self.rows.pop(folder).box.delete()

    def open_past(self, past: Any) -> None:
        """A run of the list in the first room: its traces, and its report if there is one."""
        self.page.go("do")
        background_tasks.create(self.lay(past.folder), context=self.list)
        if report_in(self.desk.runs, past.folder) is not None:
            self.report(past.folder)

    # traces

    async def lay(self, folder: Path) -> None:
        """Lay the recording of a folder over the others."""
        found = await asyncio.to_thread(recorded, folder)
        if found:
            self.laid.pop(folder, None)
            self.laid[folder] = found
            while len(self.laid) > TOGETHER:
                self.laid.pop(next(iter(self.laid)))
            self._draw()

    def _clear(self) -> None:
        self.laid.clear()
        self._draw()

    async def _look(self) -> None:
        for job in self.desk.jobs.all() if self.desk.jobs is not None else ():
            if job.state == "runs" and job.what in ("run", "creep") and job.folder in self.rows:
                await self.lay(job.folder)
                await self.rows[job.folder].dials.look()

    def _draw(self) -> None:
        names = list(dict.fromkeys(name for traces in self.laid.values() for name in traces))
        if names != self.signal.options:
            here = self.signal.value if self.signal.value in names else next(iter(names), None)
            self.signal.set_options(names, value=here)
        name = str(self.signal.value)
        shown = [(folder, traces[name]) for folder, traces in reversed(self.laid.items()) if name in traces]
        lines = [
            line(trace.t, trace.y, shade, folder.name, width=1.5)
            for shade, (folder, trace) in zip(SHADES, shown, strict=False)
        ]
        unit = shown[0][1].unit if shown else ""
        self.chart.show({"lines": lines[::-1], "yname": f"[{unit}]" if unit else "", "number": len(lines)})

    # what is shown below

    def report(self, folder: Path, bring: bool = True) -> None:
        """The report of a run, in the page and in its shade."""
        self.reported = folder
        self.shown.clear()
        with self.shown, section("Report"):
            with ui.element("div").classes("line").style("margin-bottom: 8px"):
                words("span", str(folder), "quiet grow")
                ui.link("Open in a page of its own", address(folder), new_tab=True)
            shade = "dark" if self.page.dark.value else "light"
            ui.element("iframe").classes("report").props(f"src='{address(folder, shade)}' title=Report")
        if bring:
            self._bring()

    def plan(self, folder: Path) -> None:
        """The plan of a design, in the page."""
        self.reported = None
        self.shown.clear()
        with self.shown:
            plan_card(folder)
        self._bring()

    def points(self, folder: Path) -> None:
        """A campaign while it fills, in the page."""
        self.reported = None
        self.shown.clear()
        with self.shown:
            CampaignMap(self.page, folder)
        self._bring()

    def _bring(self) -> None:
        """What was asked for is seen, however long the page is."""
        ui.run_javascript(BRING)

    async def scene(self, folder: Path) -> None:
        """The run in 3-D, in the page."""
        self.reported = None
        self.shown.clear()
        with self.shown, section("Scene"):
            told = words("p", "The scene is being opened.", "quiet")
            self._bring()
            where = await self.desk.scenes.address(folder)
            if where.startswith("http"):
                told.delete()
                ui.element("iframe").classes("scene").props(f"src='{where}' title=Scene")
            else:
                told.text = where


def recorded(folder: Path) -> dict[str, Any]:
    """Traces of a run that is over, or of one that goes on; nothing where there is neither."""
    from dovetail.app.history import live_traces, traces
    from dovetail.core.errors import DovetailError

    try:
        return traces(folder) if (folder / "result.nc").is_file() else live_traces(folder)
    except (DovetailError, OSError, ValueError):
        return {}

"""One thing that runs or ran: how far it is, its buttons, what it said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.served_files import report_in
from dovetail.studio.tunables import Dials
from dovetail.studio.widgets import button, words

if TYPE_CHECKING:
    from dovetail.studio.run import Do
    from dovetail.studio.shell import StudioPage

STATES = {  # in words, and how they look
    "runs": ("runs", ""),
    "done": ("done", "good"),
    "stopped": ("stopped at a limit", "caution"),
    "no-go": ("done: no go", "caution"),
    "cancelled": ("cancelled", "quiet"),
    "failed": ("failed", "bad"),
}
FIRST = 4  # lines of what it said that are shown at once


class JobRow:
    """A job in the list."""

    def __init__(self, page: StudioPage, room: Do, job: Any):
        self.page, self.room, self.job = page, room, job
        self.shown: Any = None
        with ui.element("div").classes("job").props(f"data-job='{job.folder.name}'") as self.box:
            with ui.element("div").classes("line"):
                words("b", job.folder.name, "grow")
                self.state = words("span", "").props("data-state")
            self.bar = ui.linear_progress(0, show_value=False).props("size=6px instant-feedback")
            self.text = words("div", "", "quiet small words")
            self.dials = Dials(page, job)
            with ui.element("div").classes("line").style("margin-top: 6px"):
                self.hold = button("Hold", lambda: self._press("hold"))
                self.resume = button("Resume", lambda: self._press("resume"))
                self.stop = button("Stop", lambda: self._press("stop"))
                self.cancel = button("Cancel", self._cancel)
                self.lay = button("Traces", lambda: room.lay(self.job.folder), mine=False)
                self.report = button("Report", lambda: room.report(self.job.folder), mine=False)
                self.plan = button("Plan", lambda: room.plan(self.job.folder), mine=False)
                self.adopt = button("Put the plan on the desk", self._adopt)
                self.points = button("Points", lambda: room.points(self.job.folder), mine=False)
                self.scene = button("Scene", lambda: room.scene(self.job.folder), mine=False)
            with ui.element("details").classes("small quiet"):
                words("summary", "What it said")
                self.output = words("pre", "", "said")
            with ui.element("details").classes("small quiet").props("data-handed"):
                words("summary", "As a command line, and as Python")
                for text in filter(None, (job.command_line, job.python)):
                    words("pre", text, "said")
                    button("Copy", lambda text=text: page.copy(text), mine=False).style("margin-top: 4px")

    def show(self, job: Any) -> None:
        """How it is now."""
        self.job = job
        state, share, text = job.state, job.share, job.text
        if (state, share, text) == self.shown:
            return
        self.shown = (state, share, text)
        runs, output = state == "runs", job.output
        told, tone = STATES.get(state, (state, ""))
        self.state.text = told
        self.state.classes(replace=tone)
        self.bar.visible = runs
        self.bar.value = share or 0.0
        lines = output.splitlines()
        verdict = [line for line in lines if line.startswith(("GO:", "NO-GO:"))]  # of a design
        self.text.text = text if runs or state == "failed" else "\n".join(verdict or lines[:FIRST])
        for one in (self.hold, self.resume, self.stop, self.dials.box):
            one.visible = runs and job.what in ("run", "creep")
        self.cancel.visible = runs
        recorded = job.what != "map" and (job.folder / "result.nc").is_file()
        self.lay.visible = self.scene.visible = not runs and recorded
        planned = state in ("done", "no-go") and job.what == "design"
        self.plan.visible = self.adopt.visible = planned and (job.folder / "test.toml").is_file()
        self.points.visible = job.what == "campaign"
        self.report.visible = report_in(self.page.desk.runs, job.folder) is not None
        self.output.text = output

    def _press(self, what: str) -> None:
        if self.page.may():
            self.page.say(self.job.press(what, self.page.who) or f"{what.capitalize()} was pressed.")

    async def _adopt(self) -> None:
        """What the design decided goes into the test on the desk."""
        from dovetail.app.design_plan import adopted

        if not self.page.may() or self.page.desk.document is None:
            return
        fault = await self.page.desk.edit(lambda document: adopted(document, self.job.folder))
        self.page.say(fault or "What the plan decided is in the test on the desk.", bad=bool(fault))
        if not fault:
            self.page.go("set-up")

    def _cancel(self) -> None:
        if self.page.may():
            self.job.cancel()

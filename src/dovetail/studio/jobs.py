"""Row of one job: progress, buttons and log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.core.errors import DovetailError
from dovetail.studio.served_files import report_in
from dovetail.studio.tunables import TunableSliders
from dovetail.studio.widgets import button, text_element

if TYPE_CHECKING:
    from dovetail.studio.run import RunTab
    from dovetail.studio.shell import StudioPage

STATES = {  # label and style of each state of a job without outcome
    "runs": ("running", ""),
    "done": ("finished", "good"),
    "stopped": ("stopped", "caution"),
    "no-go": ("finished: no go", "caution"),
    "interrupted": ("interrupted by the operator", "quiet"),
    "failed": ("failed", "bad"),
}
FIRST = 4  # log lines that are always shown


class JobRow:
    """Job in the list."""

    def __init__(self, page: StudioPage, tab: RunTab, job: Any):
        self.page, self.tab, self.job = page, tab, job
        self.shown: Any = None
        with ui.element("div").classes("job").props(f"data-job='{job.folder.name}'") as self.box:
            with ui.element("div").classes("line"):
                text_element("b", job.folder.name, "grow")
                self.state = text_element("span", "").props("data-state=runs")
            self.bar = ui.linear_progress(0, show_value=False).props("size=6px instant-feedback")
            self.text = text_element("div", "", "quiet small words")
            self.tunables = TunableSliders(page, job)
            with ui.element("div").classes("line").style("margin-top: 6px"):
                self.hold = button("Hold", lambda: self._hold(True))
                self.resume = button("Resume", lambda: self._hold(False))
                self.stop = stop_button(page, lambda: self.job)
                self.resume_run = button("Continue the run", self._resume_run)
                self.skip = button("Skip report", self._skip)
                self.signals_button = button(
                    "Signals", lambda: tab.add_signals(self.job.folder), needs_control=False
                )
                self.report = button("Report", lambda: tab.report(self.job.folder), needs_control=False)
                self.plan = button("Plan", lambda: tab.plan(self.job.folder), needs_control=False)
                self.apply = button("Apply to test", self._apply)
                self.points = button("Points", lambda: tab.points(self.job.folder), needs_control=False)
                self.scene = button("3-D view", lambda: tab.scene(self.job.folder), needs_control=False)
            with ui.element("details").classes("small quiet"):
                text_element("summary", "Log")
                self.output = text_element("pre", "", "output")
            with ui.element("details").classes("small quiet").props("data-commands"):
                text_element("summary", "Command and Python")
                for text in filter(None, (job.command_line, job.python)):
                    text_element("pre", text, "output")
                    button("Copy", lambda text=text: page.copy(text), needs_control=False).style(
                        "margin-top: 4px"
                    )

    def show(self, job: Any) -> None:
        """Show the current state."""
        self.job = job
        state, fraction, text = job.state, job.progress, job.text
        phase, outcome = job.phase, job.outcome
        if (state, fraction, text, phase, outcome) == self.shown:
            return
        self.shown = (state, fraction, text, phase, outcome)
        runs, output = state == "runs", job.output
        self.state.text, tone = label(job, phase)
        self.state.classes(replace=tone).props(f"data-state={state}")
        self.bar.visible = runs
        self.bar.value = fraction or 0.0
        lines = output.splitlines()
        verdict = [line for line in lines if line.startswith(("GO:", "NO-GO:"))]  # verdict of a design
        self.text.text = text if runs or state == "failed" else "\n".join(verdict or lines[:FIRST])
        self.hold.visible, self.resume.visible = phase == "running", phase == "held"
        self.tunables.box.visible = phase in ("running", "held")
        self.stop.visible = can_stop(phase)
        self.skip.visible = phase == "reporting"
        self.resume_run.visible = job.can_resume
        recorded = job.action != "map" and (job.folder / "result.nc").is_file()
        self.signals_button.visible = self.scene.visible = not runs and recorded
        planned = state in ("done", "no-go") and job.action == "design"
        self.plan.visible = self.apply.visible = planned and (job.folder / "test.toml").is_file()
        self.points.visible = job.action == "campaign"
        self.report.visible = report_in(self.page.workspace.runs, job.folder) is not None
        self.output.text = output

    def _hold(self, held: bool) -> None:
        if self.page.check_control():
            fault = self.job.hold(held, self.page.user)
            self.page.show_message(fault or ("Hold sent." if held else "Resume sent."), bad=bool(fault))

    async def _apply(self) -> None:
        """Apply the decisions of the design to the open test."""
        from dovetail.app.design_plan import apply_plan

        if not self.page.check_control() or self.page.workspace.document is None:
            return
        fault = await self.page.workspace.edit(lambda document: apply_plan(document, self.job.folder))
        self.page.show_message(fault or "The plan is applied to the test.", bad=bool(fault))
        if not fault:
            self.page.go("model")

    def _resume_run(self) -> None:
        if self.page.check_control():
            try:
                self.page.workspace.jobs.resume(self.job)
            except (DovetailError, OSError) as error:
                self.page.show_message(str(error), bad=True)
            self.page.workspace.notify("jobs")

    def _skip(self) -> None:
        if self.page.check_control():
            self.job.stop(self.page.user)


def label(job: Any, phase: str) -> tuple[str, str]:
    """Return the name and the style of the state of a job: its outcome once it is known, otherwise its phase."""
    if job.outcome is not None:
        return job.outcome.value, "good" if job.outcome.completed else "caution"
    return (phase, "") if phase and job.live else STATES[job.state]


def can_stop(phase: str) -> bool:
    """Return whether a job in a phase is stopped by *Stop*."""
    return phase in ("computing", "preparing", "running", "held", "stopping")


def stop_button(page: StudioPage, job: Callable[[], Any]) -> Any:
    """Return the button that stops the present job of a row.

    Every user can stop a rig, the user with control also a computation.
    """

    def stop() -> None:
        if job().live or page.check_control():
            fault = job().stop(page.user)
            page.show_message(fault or "Stop sent.", bad=bool(fault))

    return button("Stop", stop, needs_control=not job().live).classes("stop", remove="plain")

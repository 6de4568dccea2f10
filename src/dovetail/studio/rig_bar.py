"""Bar at the bottom of every tab while a rig can move: the phase of each run in large letters, and its Stop."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.jobs import can_stop, stop_button
from dovetail.studio.widgets import text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage


class RigBar:
    """Bar with the runs that move a rig."""

    def __init__(self, page: StudioPage):
        self.page = page
        self.rows: dict[Path, tuple[Any, Any]] = {}  # row and its phase, by run folder
        self.footer = ui.footer(value=False).classes("rig-bar").props("id=rig-bar")

    def show(self) -> None:
        """Show the present phase of each run that moves a rig."""
        jobs = self.page.workspace.jobs.all() if self.page.workspace.jobs is not None else ()
        phases = {job: job.phase for job in jobs if job.live and job.state == "runs"}
        phases = {job: phase for job, phase in phases.items() if can_stop(phase)}
        for folder in set(self.rows) - {job.folder for job in phases}:
            self.rows.pop(folder)[0].delete()
        for job, phase in phases.items():
            if job.folder not in self.rows:
                self.rows[job.folder] = self._add_row(job)
            text = self.rows[job.folder][1]
            text.text = phase.upper()
            text.classes(**{"add" if phase == "held" else "remove": "held"})
        self.footer.value = bool(self.rows)

    def _add_row(self, job: Any) -> tuple[Any, Any]:
        with self.footer, ui.element("div").classes("line").props(f"data-rig='{job.folder.name}'") as row:
            phase = text_element("span", "", "phase").props("data-phase")
            text_element("span", job.folder.name, "grow")
            stop_button(self.page, job)
        return row, phase

"""Bar at the bottom of every tab while a run with a rig continues: its phase or outcome in large letters, and its Stop.

The outcome is shown as soon as it is known, while recording and report are written.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.studio.jobs import can_stop, label, stop_button
from dovetail.studio.widgets import text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage


class RigBar:
    """Bar with the runs that use a rig."""

    def __init__(self, page: StudioPage):
        self.page = page
        self.rows: dict[Path, tuple[Any, Any, Any]] = {}  # row, its phase and its Stop, by run folder
        self.footer = ui.footer(value=False).classes("rig-bar").props("id=rig-bar")

    def show(self) -> None:
        """Show the present phase or the outcome of each run that uses a rig."""
        jobs = self.page.workspace.jobs.all() if self.page.workspace.jobs is not None else ()
        phases = {job: phase for job in jobs if job.live and (phase := job.phase)}
        for folder in set(self.rows) - {job.folder for job in phases}:
            self.rows.pop(folder)[0].delete()
        for job, phase in phases.items():
            if job.folder not in self.rows:
                self.rows[job.folder] = self._add_row(job)
            _, text, stop = self.rows[job.folder]
            name, tone = label(job, phase)
            text.text = name if job.outcome is not None else name.upper()
            text.classes(replace=f"phase {tone} {phase}")
            stop.visible = can_stop(phase)
        self.footer.value = bool(self.rows)

    def _add_row(self, job: Any) -> tuple[Any, Any, Any]:
        with self.footer, ui.element("div").classes("line").props(f"data-rig='{job.folder.name}'") as row:
            phase = text_element("span", "", "phase").props("data-phase")
            text_element("span", f"{job.folder.name}, {job.address or 'simulated cell'}", "grow")
            stop = stop_button(self.page, lambda: job)
        return row, phase, stop

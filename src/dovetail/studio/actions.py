"""What can be done with the test on the desk: a button each, and what it needs to be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.core.errors import DovetailError
from dovetail.studies.registry import studies
from dovetail.studio.widgets import button, words

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

STEPS = {  # of a design: what is decided, and what may be said
    "--model-order": ("1  Identify: poles of the model", ["", "0", "1", "2", "3"]),
    "--compensator": (
        "2  Compensate",
        [
            "",
            "none",
            "keep",
            "forward-prediction",
            "inverse",
            "adaptive-forward-prediction",
            "adaptive-time-series",
        ],
    ),
    "--robustness": (
        "3  Robustify",
        ["", "none", "over-compensation", "phase-advance", "damping", "blending"],
    ),
    "--tolerance": ("4  Verify: largest rms error", ["", "0.01", "0.02", "0.05", "0.1", "0.2"]),
}
ALONE = {"simulate": "Simulate", "map": "Compute the map"}  # what is all that can be done with some files


class Deeds:
    """The buttons."""

    def __init__(self, page: StudioPage):
        self.page, self.desk = page, page.desk
        from dovetail.app.actions import deeds

        can = deeds(self.desk.document.test)
        for what, text in ALONE.items():
            if what in can:
                with ui.element("div").classes("line"):
                    button(text, lambda what=what: self.start(what), strong=True)
        if "rehearse" in can:
            self._modes()
            self._design()
        if not can:
            words("p", f"A robot cell; serve it with: dovetail rig serve {self.desk.document.name}", "quiet")
        self._campaigns()

    def _modes(self) -> None:
        with ui.element("div").classes("line"):
            button("Rehearse", lambda: self.start("rehearse"), strong=True)
            words("span", "against a virtual rig", "quiet small")
            button("Emulate", lambda: self.start("emulate"))
            words("span", "the ideal, without a rig", "quiet small")
        with ui.element("div").classes("line").style("margin-top: 10px"):
            self.rig: Any = ui.input("Rig", value=self.page.memory.get("rig", "udp://localhost:7001"))
            self.rig.props("outlined dense data-field=rig").classes("mine grow")
            self.key: Any = ui.input("Key file, if it has one").props("outlined dense").classes("mine grow")
            button("Run", self._run)
        with ui.element("div").classes("line").style("margin-top: 10px"):
            self.cell: Any = ui.input("Robot cell, tcp://HOST:PORT; empty for a virtual one")
            self.cell.props("outlined dense data-field=cell").classes("mine grow")
            button("Creep", lambda: self.start("creep", rig=str(self.cell.value or "") or None))

    def _run(self) -> None:
        self.page.memory["rig"] = str(self.rig.value)
        self.start("run", rig=str(self.rig.value), key=str(self.key.value or "") or None)

    def _design(self) -> None:
        """The steps of a design, each left to it or decided here."""
        with ui.expansion("Design the test: identify, compensate, robustify, verify").classes("steps"):
            fields = {}
            with ui.element("div").classes("decisions"):
                for option, (label, choices) in STEPS.items():
                    named = {choice: choice or "as it finds best" for choice in choices}
                    fields[option] = ui.select(named, value="", label=label).props(
                        "outlined dense options-dense"
                    )
                    fields[option].classes("mine")

            def start() -> None:
                told = {option: str(field.value) for option, field in fields.items() if field.value}
                self.start("design", options=told)

            with ui.element("div").classes("line").style("margin-top: 8px"):
                button("Design it", start)
                words("span", "ends with a plan, and a go or no-go", "quiet small")

    def _campaigns(self) -> None:
        known = [entry.name for study in studies().values() for entry in study.campaigns]
        with ui.element("div").classes("line").style("margin-top: 10px"):
            chosen: Any = ui.select(
                known, label="Campaign of a study, or a file", value=None, new_value_mode="add"
            )
            chosen.props("outlined dense options-dense data-field=campaign").classes("mine grow")
            button("Compute it", lambda: self.start("campaign", campaign=chosen.value))

    def start(self, what: str, **told: Any) -> None:
        """Start a job."""
        from dovetail.app import Deed

        if not self.page.may():
            return
        document = None if what == "campaign" else self.desk.document
        try:
            self.desk.jobs.start(Deed(what, document, **told))
        except (DovetailError, OSError) as error:
            self.page.say(str(error), bad=True)
        self.desk.tell("jobs")

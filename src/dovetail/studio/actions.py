"""Action buttons of the open test, with their input fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.core.errors import DovetailError
from dovetail.studies.registry import studies
from dovetail.studio.widgets import button, text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

DESIGN_STEPS = {  # design step: label and options
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
    "--max-error": ("4  Verify: maximum rms error", ["", "0.01", "0.02", "0.05", "0.1", "0.2"]),
}
SINGLE_ACTIONS = {"simulate": "Simulate", "map": "Compute map"}  # the only action of some files


class ActionButtons:
    """Action buttons."""

    def __init__(self, page: StudioPage):
        self.page, self.workspace = page, page.workspace
        from dovetail.app.actions import available_actions

        available = available_actions(self.workspace.document.test)
        for name, text in SINGLE_ACTIONS.items():
            if name in available:
                with ui.element("div").classes("line"):
                    button(text, lambda name=name: self.start(name), strong=True)
        if "rehearse" in available:
            self._modes()
            self._design()
        if not available:
            text_element(
                "p", f"Robot cell; serve it with: dovetail rig serve {self.workspace.document.name}", "quiet"
            )
        self._campaigns()

    def _modes(self) -> None:
        with ui.element("div").classes("line"):
            button("Rehearse", lambda: self.start("rehearse"), strong=True)
            text_element("span", "virtual hybrid test (simulated rig)", "quiet small")
            button("Reference", lambda: self.start("reference"))
            text_element("span", "reference solution, without rig", "quiet small")
        with ui.element("div").classes("line").style("margin-top: 10px"):
            button("Pseudo-dynamic test", lambda: self.start("pseudodynamic"))
            text_element("span", "with a simulated cell", "quiet small")

    def _design(self) -> None:
        """Steps of a design, each automatic or set by the user."""
        with ui.expansion("Design the test: identify, compensate, robustify, verify").classes("steps"):
            fields = {}
            with ui.element("div").classes("decisions"):
                for option, (label, choices) in DESIGN_STEPS.items():
                    named = {choice: choice or "automatic" for choice in choices}
                    fields[option] = ui.select(named, value="", label=label).props(
                        "outlined dense options-dense"
                    )
                    fields[option].classes("needs-control")

            def start() -> None:
                options = {option: str(field.value) for option, field in fields.items() if field.value}
                self.start("design", options=options)

            with ui.element("div").classes("line").style("margin-top: 8px"):
                button("Design", start)
                text_element("span", "result: plan and go or no-go", "quiet small")

    def _campaigns(self) -> None:
        names = [entry.name for study in studies().values() for entry in study.campaigns]
        with ui.element("div").classes("line").style("margin-top: 10px"):
            campaign: Any = ui.select(
                names, label="Campaign of a study, or campaign file", value=None, new_value_mode="add"
            )
            campaign.props("outlined dense options-dense data-field=campaign").classes("needs-control grow")
            button("Start campaign", lambda: self.start("campaign", campaign=campaign.value))

    def start(self, name: str, **options: Any) -> None:
        """Start a job."""
        from dovetail.app import Action

        if not self.page.check_control():
            return
        document = None if name == "campaign" else self.workspace.document
        try:
            self.workspace.jobs.start(Action(name, document, **options))
        except (DovetailError, OSError) as error:
            self.page.show_message(str(error), bad=True)
        self.workspace.notify("jobs")

"""The plan of a design: its verdict and checks, what was decided step by step, what to do in the laboratory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nicegui import ui

from dovetail.studio.widgets import section, words

LABORATORY = "## In the laboratory"  # of a plan as a page, before its last part


def plan_card(folder: Path) -> None:
    """The plan in a folder, or that there is none."""
    plan = read_plan(folder)
    with section(f"Plan: {plan['title']}" if plan else "Plan", "plan"):
        if not plan:
            words("p", f"There is no plan in {folder}.", "quiet")
            return
        words("p", plan["verdict"], "good" if plan["go"] else "bad").props("id=verdict")
        with ui.element("table").classes("checks"):
            for check in plan["checks"]:
                with ui.element("tr"):
                    words("td", check["what"])
                    words("td", check["value"], "number")
                    words("td", check["wanted"], "quiet")
                    words("td", *(("holds", "good") if check["holds"] else ("fails", "bad")))
        for number, (step, decided) in enumerate(plan["decisions"].items(), 1):
            if step != "verify":  # whose checks stand above
                words("h3", f"{number}  {step.capitalize()}").style("margin-top: 14px")
                for one in decided:
                    with ui.element("div").classes("decided"):
                        words("span", one["subject"], "quiet")
                        with ui.element("div"):
                            words("b", one["choice"])
                            words("div", one["reason"], "quiet small")
        words("h3", "In the laboratory").style("margin-top: 14px")
        for step in plan["laboratory"]:
            words("p", step)


def read_plan(folder: Path) -> dict[str, Any] | None:
    """What a design has written; None where it has not."""
    try:
        plan = json.loads((folder / "plan.json").read_text("utf-8"))
        page = (folder / "plan.md").read_text("utf-8")
    except (OSError, ValueError):
        return None
    return {**plan, "laboratory": [line for line in page.partition(LABORATORY)[2].splitlines() if line]}

"""Plan of a design: verdict, checks, decisions and laboratory procedure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nicegui import ui

from dovetail.studio.widgets import section, text_element

LABORATORY_HEADING = "## In the laboratory"  # heading of the last section of plan.md


def plan_card(folder: Path) -> None:
    """Show the plan in a folder, or a message if there is none."""
    plan = read_plan(folder)
    with section(f"Plan: {plan['title']}" if plan else "Plan", "plan"):
        if not plan:
            text_element("p", f"No plan in {folder}.", "quiet")
            return
        text_element("p", plan["verdict"], "good" if plan["go"] else "bad").props("id=verdict")
        with ui.element("table").classes("checks"):
            for check in plan["checks"]:
                with ui.element("tr"):
                    text_element("td", check["what"])
                    text_element("td", check["value"], "number")
                    text_element("td", check["limit"], "quiet")
                    text_element("td", *(("passed", "good") if check["passed"] else ("failed", "bad")))
        for number, (step, choices) in enumerate(plan["decisions"].items(), 1):
            if step != "verify":  # its checks are shown above
                text_element("h3", f"{number}  {step.capitalize()}").style("margin-top: 14px")
                for one in choices:
                    with ui.element("div").classes("decided"):
                        text_element("span", one["subject"], "quiet")
                        with ui.element("div"):
                            text_element("b", one["choice"])
                            text_element("div", one["reason"], "quiet small")
        text_element("h3", "In the laboratory").style("margin-top: 14px")
        for step in plan["laboratory"]:
            text_element("p", step)


def read_plan(folder: Path) -> dict[str, Any] | None:
    """Return the plan in a folder; None if there is none."""
    try:
        plan = json.loads((folder / "plan.json").read_text("utf-8"))
        page = (folder / "plan.md").read_text("utf-8")
    except (OSError, ValueError):
        return None
    return {
        **plan,
        "laboratory": [line for line in page.partition(LABORATORY_HEADING)[2].splitlines() if line],
    }

"""Plan of a design, read from its files."""

import json

from dovetail.studio.plan import read_plan


def test_a_plan_contains_the_laboratory_steps(tmp_path):
    assert read_plan(tmp_path) is None
    (tmp_path / "plan.json").write_text(json.dumps({"go": True, "title": "<b>T</b>"}), "utf-8")
    (tmp_path / "plan.md").write_text(
        "# Plan\n\n## In the laboratory\n\n1. Set the limits.\n2. Run.\n", "utf-8"
    )
    assert read_plan(tmp_path) == {
        "go": True,
        "title": "<b>T</b>",
        "laboratory": ["1. Set the limits.", "2. Run."],
    }

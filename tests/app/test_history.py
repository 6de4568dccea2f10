"""Run folders are listed, newest first."""

import json

import numpy as np
import pytest

from dovetail.app import recent_runs
from dovetail.app.history import traces
from dovetail.core.errors import OutputError
from dovetail.testing import run_folder


def test_history_lists_title_mode_and_outcome_of_a_run(jobs, job):
    entry = next(one for one in recent_runs(jobs.runs) if one.folder == job.folder)
    assert (entry.content, entry.mode) == ("run", "rehearse")
    assert entry.title == "CS1: one mass, a spring as specimen"
    assert entry.outcome.startswith("Finished")
    assert entry.report is None


def test_history_lists_designs_and_campaigns_and_omits_damaged_folders(tmp_path):
    for name in ("design", "campaign", "broken", "else"):
        (tmp_path / name).mkdir()
    plan = {"title": "A plan", "verdict": "go"}
    (tmp_path / "design" / "plan.json").write_text(json.dumps(plan), "utf-8")
    (tmp_path / "campaign" / "campaign.toml").write_text('title = "Many"\n[a]\nb = 1\n', "utf-8")
    (tmp_path / "campaign" / "done").mkdir()
    (tmp_path / "campaign" / "done" / "000000.json").write_text("{}", "utf-8")
    (tmp_path / "broken" / "outcome.json").write_text("{", "utf-8")
    found = {one.content: one for one in recent_runs(tmp_path)}
    assert set(found) == {"design", "campaign"}
    assert (found["design"].title, found["design"].outcome) == ("A plan", "go")
    assert (found["campaign"].title, found["campaign"].outcome) == ("Many", "1 chunk computed")
    assert recent_runs(tmp_path / "none") == []


def test_traces_of_a_run_are_those_of_its_recording(job):
    shown = traces(job.folder)
    data = run_folder.read_run(job.folder).data
    assert set(shown) == {"displacement", "achieved_displacement", "measured_force"}
    assert shown["displacement"].y.max() == np.float32(data.displacement.max())
    assert shown["measured_force"].unit == "N"
    with pytest.raises(OutputError):
        traces(job.folder.parent)

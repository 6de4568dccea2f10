"""Progress notes: few, atomic, and none if no file is named."""

import json

from dovetail.app import progress_note as progress


def test_progress_notes_are_rare_and_need_a_path(tmp_path, monkeypatch):
    monkeypatch.delenv(progress.PROGRESS_VARIABLE, raising=False)
    progress.write_note("a", 0.0)
    place = tmp_path / "progress.json"
    monkeypatch.setenv(progress.PROGRESS_VARIABLE, str(place))
    monkeypatch.setattr(progress, "MIN_INTERVAL", 1e9)
    progress.write_note("b", None, "first")
    progress.write_note("b", 0.5, "too soon")
    assert json.loads(place.read_text("utf-8")) == {"task": "b", "fraction": None, "text": "first"}
    progress.write_note("c", 0.1)
    assert json.loads(place.read_text("utf-8"))["task"] == "c"


def test_an_unwritable_progress_path_does_not_end_the_run(tmp_path, monkeypatch):
    monkeypatch.setenv(progress.PROGRESS_VARIABLE, str(tmp_path / "none" / "progress.json"))
    progress.write_note("d", 0.0)

"""Progress is readable by another program, and costs nothing otherwise."""

import json

from typer.testing import CliRunner

from dovetail.cli import progress
from dovetail.cli.main import app


def test_a_command_notes_what_it_does_where_it_is_told_to(tmp_path, monkeypatch):
    noted = []
    monkeypatch.setenv(progress.PROGRESS_VARIABLE, str(tmp_path / "progress.json"))
    monkeypatch.setattr(progress, "MIN_INTERVAL", 0.0)
    write = progress.os.replace

    def replaced(source, target):
        write(source, target)
        noted.append(json.loads((tmp_path / "progress.json").read_text("utf-8")))

    monkeypatch.setattr(progress.os, "replace", replaced)
    words = [
        "run",
        "substructuring/cs1",
        "--set",
        "duration=0.1 s",
        "--no-report",
        "--out",
        str(tmp_path / "run"),
    ]
    assert CliRunner().invoke(app, words).exit_code == 0
    done = [one for one in noted if "task" in one]
    tasks = list(dict.fromkeys(one["task"] for one in done))
    assert tasks[:3] == ["reading", "computing stability", "rehearsing"]
    rehearsing = [one["fraction"] for one in done if one["task"] == "rehearsing"]
    assert rehearsing[0] == 0
    assert rehearsing[-1] == 1
    assert rehearsing == sorted(rehearsing)


def test_notes_are_few_and_none_where_no_place_is_named(tmp_path, monkeypatch):
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


def test_a_place_that_cannot_be_written_ends_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv(progress.PROGRESS_VARIABLE, str(tmp_path / "none" / "progress.json"))
    progress.write_note("d", 0.0)

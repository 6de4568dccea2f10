"""Progress is readable by another program, and costs nothing otherwise."""

import json

from typer.testing import CliRunner

from dovetail.app import progress_note
from dovetail.cli.main import app


def test_a_command_writes_progress_to_the_given_path(tmp_path, monkeypatch):
    noted = []
    monkeypatch.setenv(progress_note.PROGRESS_VARIABLE, str(tmp_path / "progress.json"))
    monkeypatch.setattr(progress_note, "MIN_INTERVAL", 0.0)
    write = progress_note.os.replace

    def replaced(source, target):
        write(source, target)
        noted.append(json.loads((tmp_path / "progress.json").read_text("utf-8")))

    monkeypatch.setattr(progress_note.os, "replace", replaced)
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
    assert tasks[:3] == ["reading", "assessing", "rehearsing"]
    rehearsing = [one["fraction"] for one in done if one["task"] == "rehearsing"]
    assert rehearsing[0] == 0
    assert rehearsing[-1] == 1
    assert rehearsing == sorted(rehearsing)

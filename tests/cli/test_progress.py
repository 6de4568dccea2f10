"""Progress can be read by another program, and costs nothing where nobody asked for it."""

import json

from typer.testing import CliRunner

from dovetail.cli import progress
from dovetail.cli.main import app


def test_a_command_notes_what_it_does_where_it_is_told_to(tmp_path, monkeypatch):
    noted = []
    monkeypatch.setenv(progress.PLACE, str(tmp_path / "progress.json"))
    monkeypatch.setattr(progress, "EVERY", 0.0)
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
    done = [one for one in noted if "doing" in one]
    assert list(dict.fromkeys(one["doing"] for one in done))[:3] == ["reading", "the outlook", "rehearsing"]
    rehearsing = [one["share"] for one in done if one["doing"] == "rehearsing"]
    assert rehearsing[0] == 0
    assert rehearsing[-1] == 1
    assert rehearsing == sorted(rehearsing)


def test_notes_are_few_and_none_where_no_place_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv(progress.PLACE, raising=False)
    progress.note("a", 0.0)
    place = tmp_path / "progress.json"
    monkeypatch.setenv(progress.PLACE, str(place))
    monkeypatch.setattr(progress, "EVERY", 1e9)
    progress.note("b", None, "first")
    progress.note("b", 0.5, "too soon")
    assert json.loads(place.read_text("utf-8")) == {"doing": "b", "share": None, "text": "first"}
    progress.note("c", 0.1)
    assert json.loads(place.read_text("utf-8"))["doing"] == "c"


def test_a_place_that_cannot_be_written_ends_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv(progress.PLACE, str(tmp_path / "none" / "progress.json"))
    progress.note("d", 0.0)

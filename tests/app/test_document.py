"""Edited test: values and text agree, faults are those of the command line, no input is lost."""

import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dovetail import testing
from dovetail.app import Document
from dovetail.app.document import replace_text
from dovetail.app.loading import parse_settings
from dovetail.cli.main import app
from dovetail.core.errors import DovetailError, OutputError, UnknownNameError
from dovetail.studies.registry import find_test

CS1 = "substructuring/cs1"


def test_a_typed_value_changes_text_and_test():
    document = Document.open(CS1)
    assert document.set("rig.actuator.delay", "6.5 ms") == ""
    assert 'delay = "6.5 ms"      # comfortable' in document.text
    assert float(document.test.rig.actuator.delay) == pytest.approx(6.5e-3, rel=1e-12)
    assert document.difference().count("\n+") == 2  # the head and the line
    assert document.settings() == ["rig.actuator.delay=6.5 ms"]


@pytest.mark.parametrize(
    ("path", "typed"),
    [
        ("rig.actuator.delay", "6.5 kg"),
        ("rig.actuator.dela", "6.5 ms"),
        ("numerical.m", "-1"),
        ("numerical", "no such kind"),
        ("rate", "[1, 2]"),
        ("duration", "0.0105 s"),
        ("numerical.m[3]", "1"),
        ("", "1"),
    ],
)
def test_an_invalid_value_gives_the_error_of_the_command_line_and_loses_nothing(path, typed):
    document = Document.open(CS1)
    document.set("seed", "4")
    before = document.text
    fault = document.set(path, typed)
    assert fault
    assert fault == told_by_command_line(f"{path}={typed}")
    assert document.text == before
    assert document.fault == ""


def told_by_command_line(setting):
    try:
        testing.load(find_test(CS1), parse_settings([setting]))
    except DovetailError as error:
        return str(error)
    return ""


def test_edited_text_is_read_and_faulty_text_is_stored_with_its_error():
    document = Document.open(CS1)
    typed = document.text.replace('"3 ms"', '"-3 ms"')
    assert "must be at least 0 s" in document.write(typed)
    assert document.text == typed
    assert float(document.test.rig.actuator.delay) == 3e-3
    assert "is not TOML" in document.write(typed + "[")
    assert document.blocks()
    assert "is not TOML" in document.set("seed", "3")  # nothing can be put into what cannot be read
    assert document.write(typed.replace("-3 ms", "2 ms")) == ""
    assert float(document.test.rig.actuator.delay) == 2e-3


def test_a_value_that_corrects_a_fault_is_accepted():
    document = Document.open(CS1)
    document.write(document.text.replace('"3 ms"', '"3 kg"'))
    assert document.set("rig.actuator.delay", "4 ms") == ""
    assert document.fault == ""


def test_every_change_can_be_undone_and_done_again():
    document = Document.open(CS1)
    document.set("seed", "3")
    document.write(document.text + "[")
    document.exchange("compensator", "forward-prediction")
    texts = [document.text]
    while document.undo():
        texts.append(document.text)
    assert texts[-1] == document.original
    while document.redo():
        pass
    assert document.text == texts[0]
    assert document.fault


def test_a_saved_test_runs_unchanged_from_the_command_line(tmp_path):
    document = Document.open(CS1)
    document.set("rig.actuator.delay", "2 ms")
    document.exchange("compensator", "forward-prediction")
    file = tmp_path / "mine.toml"
    assert document.save(file) == ""
    assert file.read_text("utf-8") == document.text
    done = CliRunner().invoke(app, ["check", str(file)])
    assert done.exit_code == 0
    assert tomllib.loads(done.stdout) == testing.dump(document.test)
    assert "already exists" in document.save(file)
    assert document.save(file, over=True) == ""
    assert ".toml" in document.save(tmp_path / "mine.txt")
    assert "cannot be written (no such file" in document.save(tmp_path / "none" / "mine.toml")
    document.write("[")
    assert document.save(file, over=True) == document.fault


def test_referenced_files_resolve_from_another_folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "ground.csv").write_text("0,0\n1,0.5\n2,0.1\n", "utf-8")
    text = Document.open(CS1).text
    sine = text[text.index("[excitation]") : text.index("[limits]")]
    record = (
        '[excitation]\nkind = "ground-record"\nfile = "ground.csv"\nafter_end = "zero"\nunit = "m/s2"\n\n'
    )
    (tmp_path / "a" / "own.toml").write_text(text.replace(sine, record), "utf-8")
    document = Document.open(str(tmp_path / "a" / "own.toml"))
    assert document.fault == ""
    assert document.resolved_table["excitation"]["file"] == str(tmp_path / "a" / "ground.csv")
    assert testing.dump(testing.parse(document.resolved_table, document.path.name)) == testing.dump(
        document.test
    )
    assert document.save(tmp_path / "mine.toml") == ""
    assert testing.dump(testing.load(tmp_path / "mine.toml")) == testing.dump(document.test)


def test_changes_that_set_cannot_express_have_no_settings():
    document = Document.open(CS1)
    document.write(document.text.replace('force = "100 N"\n', ""))
    assert document.fault == ""
    assert document.settings() is None


def test_a_file_changed_on_disk_is_exported_as_text_only(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(Document.open(CS1).text, "utf-8")
    document = Document.open(str(file))
    document.set("seed", "7")
    assert document.settings() == ["seed=7"]
    assert not document.outdated
    file.write_text(document.text, "utf-8")
    assert document.outdated
    assert document.settings() is None
    assert document.save(file, over=True) == ""  # to its own file: that is the original now
    assert not document.outdated
    assert document.difference() == ""
    file.unlink()
    assert document.outdated


def test_the_drawing_has_the_path_of_every_block():
    document = Document.open(CS1)
    svg = ET.fromstring(document.drawing())
    paths = [group.get("data-path") for group in svg.iter("g") if group.get("class") == "part"]
    assert {block.path for block in document.blocks()} >= set(paths)
    assert Document.open("capture/tow").drawing() == ""


def test_a_file_that_cannot_be_opened_is_reported(tmp_path):
    with pytest.raises(UnknownNameError):
        Document.open("substructuring/cs9")
    with pytest.raises(OutputError, match="cannot be read"):
        Document.open(str(tmp_path / "none.toml"))
    (tmp_path / "own.toml").write_text("title = 3", "utf-8")
    document = Document.open(str(tmp_path / "own.toml"))
    assert document.fault
    assert document.blocks() == []
    assert document.drawing() == ""


def test_a_failed_save_leaves_the_file_unchanged(tmp_path):
    with pytest.raises(IsADirectoryError):
        replace_text(tmp_path, "text")
    assert list(tmp_path.iterdir()) == []
    assert not list(Path(tmp_path.parent).glob("*.part"))


@pytest.mark.parametrize("often", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_any_typed_text_is_answered_and_nothing_is_lost(often):
    """Seeded damage to the text, and values of all sorts at all sorts of places: words, never an exception."""
    random = np.random.default_rng(11)
    document = Document.open(CS1)
    marks = [*list("[]{}\"'=.,#\n\\ 0e-"), "\x00", "µ", "9" * 400, "inf", "nan"]
    for _ in range(often):
        at = int(random.integers(len(document.original)))
        typed = (
            document.original[:at]
            + str(random.choice(marks))
            + document.original[at + int(random.integers(3)) :]
        )
        fault = document.write(typed)
        assert document.text == typed
        assert document.fault == fault
        assert document.blocks()
        assert document.drawing()
    document.write(document.original)
    places = [
        "rig.actuator.delay",
        "rig",
        "numerical.m",
        "a.b",
        "rate",
        "limits[0]",
        '"',
        "excitation.kind",
        "parts",
    ]
    values = [
        "",
        "1e400",
        "[",
        "{",
        "nan",
        "-inf",
        '"',
        "true",
        "1979-05-27",
        "[[1]]",
        "6.5 parsecs",
        "x" * 300,
        "\n",
    ]
    for path in places:
        for typed in random.choice(values, min(often, 13) // 4, replace=False):
            before = document.text
            if document.set(path, str(typed)):
                assert document.text == before
            assert document.fault == ""
            document.write(document.original)


def test_a_parameter_is_made_tunable_in_the_range_of_its_slider_and_fixed_again():
    document = Document.open(CS1)
    assert document.set_tunable("numerical.c", True) == ""
    tunable = document.test.tunable["numerical.c"]
    value = float(document.test.numerical.c)
    assert float(tunable.min) <= value <= float(tunable.max)
    views = {value.path: value for block in document.blocks() for value in block.values}
    assert (views["numerical.c"].tunable, views["numerical.k"].tunable) == (True, False)
    assert views["rate"].tunable is None
    assert "cannot change" in document.set_tunable("rig.actuator.delay", True)
    assert document.set_tunable("numerical.c", False) == ""
    assert document.test.tunable == {}

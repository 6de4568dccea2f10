"""A run's folder: complete, readable, repeatable, never overwritten."""

import json
import os

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import OutputError
from dovetail.testing import load, run_folder


@pytest.fixture
def run(make_cs1):
    return make_cs1(duration=0.3, title="short", limits=dv.Limits(force=1e3)).rehearse()


def test_a_saved_run_is_restored_completely(run, tmp_path):
    saved = run.save(tmp_path / "run")
    again = run_folder.read_run(saved)
    assert again.data.identical(run.data)
    assert again.outcome is run.outcome
    assert again.mode == "rehearse"
    assert {path.name for path in saved.iterdir()} == {"test.toml", "result.nc", "outcome.json", "log.txt"}


def test_the_resolved_test_repeats_the_run_to_the_bit(run, tmp_path):
    saved = run.save(tmp_path / "run")
    assert load(saved / "test.toml").rehearse().data.identical(run.data)


def test_provenance_contains_the_versions(run, tmp_path):
    saved = run.save(tmp_path / "run")
    text = (saved / "test.toml").read_text()
    assert "[provenance.versions]" in text
    assert f'dovetail = "{dv.__version__}"' in text
    assert "seed = 0" in text


def test_a_stopped_run_states_the_reason(make_cs1, tmp_path):
    stopped = make_cs1(limits=dv.Limits(force=5.0)).rehearse()
    saved = stopped.save(tmp_path / "run")
    outcome = json.loads((saved / "outcome.json").read_text())
    assert outcome["outcome"] == "FORCE"
    assert outcome["trip"]["limit"] == 5.0
    assert not outcome["completed"]
    assert run_folder.read_run(saved).trip == stopped.trip
    assert "force" in (saved / "log.txt").read_text()


def test_a_folder_with_something_in_it_is_not_overwritten(run, tmp_path):
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(OutputError, match="exists and is not empty; choose another folder"):
        run.save(tmp_path)
    assert (tmp_path / "kept").read_text() == "mine"
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(OutputError, match="exists"):
        run_folder.create(file)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder_is_reported(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match=r"cannot be written \(permission denied\)"):
        run_folder.create(tmp_path / "run")


def test_a_path_through_a_file_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"cannot be written \(not a directory\); choose another folder"):
        run_folder.create(tmp_path / "file" / "run")


def test_folders_are_numbered(tmp_path):
    assert run_folder.next_folder(tmp_path, "cs1").name == "cs1-001"
    (tmp_path / "cs1-001").mkdir()
    assert run_folder.next_folder(tmp_path, "cs1").name == "cs1-002"


def test_what_is_no_run_is_told(tmp_path):
    with pytest.raises(OutputError, match="contains no result.nc"):
        run_folder.read_run(tmp_path)


def test_signals_keep_their_units_in_the_file(run, tmp_path):
    again = run_folder.read_run(run.save(tmp_path / "run"))
    assert again.data.displacement.attrs["units"] == "m"
    assert np.issubdtype(again.data.displacement.dtype, np.float64)


def test_only_folders_without_run_files_are_removed(tmp_path):
    used, begun, unused = (run_folder.create(tmp_path / name) for name in ("used", "begun", "new/unused"))
    (used / "result.nc").touch()
    (begun / "journal.jsonl").write_text('{"journal": 1}\n{"move": 1}\n')
    (unused / "journal.jsonl").write_text('{"journal": 1}\n')
    (unused / "test.toml").touch()
    (unused / "live").mkdir()
    run_folder.forget_unused()
    assert {path.name for path in tmp_path.iterdir()} == {"used", "begun"}
    run_folder.forget_unused()

"""A run's folder: complete, readable, repeatable, never overwritten."""

import json
import os

import numpy as np
import pytest

import dovetail as dv
import seeded_faults
from dovetail.core.errors import OutputError
from dovetail.testing import cached_reference, load, run_folder, saved_run


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


def test_a_folder_without_a_run_is_reported(tmp_path):
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


@pytest.mark.parametrize("step", range(5))
def test_a_process_killed_while_it_saves_leaves_the_outcome_and_no_incomplete_file(
    run, tmp_path, monkeypatch, step
):
    class Killed(BaseException):
        pass

    replaced, replace = [], os.replace

    def replace_or_end(source, target):
        if len(replaced) == step:
            raise Killed
        replaced.append(os.path.basename(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", replace_or_end)
    with pytest.raises(Killed):
        run.save(tmp_path / "run")
    order = ["outcome.json", "test.toml", "result.nc", "outcome.json", "log.txt"]
    assert replaced == order[:step]
    complete = {path.name for path in (tmp_path / "run").iterdir() if path.suffix != ".partial"}
    assert complete == set(order[:step])
    if step:
        assert json.loads((tmp_path / "run" / "outcome.json").read_text())["outcome"] == "FINISHED"
    if step >= 3:
        assert run_folder.read_run(tmp_path / "run").data.identical(run.data)
    else:
        with pytest.raises(OutputError, match="contains no result.nc|is missing"):
            run_folder.read_run(tmp_path / "run")


@pytest.mark.parametrize("name", ["outcome.json", "result.nc", "test.toml"])
@pytest.mark.parametrize("target", ["/dev/zero", "pipe", "file"])
def test_links_devices_and_pipes_in_a_run_folder_are_rejected(run, tmp_path, name, target):
    folder = run.save(tmp_path / "run")
    if target == "pipe":
        seeded_faults.replace_by_pipe(folder / name)
    else:
        (tmp_path / "file").write_bytes((folder / name).read_bytes())
        seeded_faults.replace_by_link(folder / name, tmp_path / target)
    with pytest.raises(OutputError, match=f"{name}: cannot be read .(is a link|is a device, a pipe)"):
        run_folder.read_run(folder)


def test_a_recording_that_declares_more_than_the_memory_is_rejected_before_it_is_loaded(run, tmp_path):
    import h5netcdf

    folder = run.save(tmp_path / "run")
    with h5netcdf.File(folder / "result.nc", "w") as file:
        file.dimensions["row"] = file.dimensions["column"] = 10**7
        size = {"chunks": (1000, 1000), "compression": "gzip"}
        file.create_variable("huge", ("row", "column"), "f8", **size)
    assert (folder / "result.nc").stat().st_size < 1e6
    stored = json.loads((folder / "outcome.json").read_text())
    for sums in ({}, {**stored["sha256"], "result.nc": saved_run.checksum(folder / "result.nc")}):
        (folder / "outcome.json").write_text(json.dumps({**stored, "sha256": sums}))
        with pytest.raises(OutputError, match=r"result.nc: is damaged or not a recording .*(declares|needs)"):
            run_folder.read_run(folder)


def test_a_linked_folder_of_the_cached_reference_is_neither_read_nor_written(run, tmp_path):
    folder = run.save(tmp_path / "run")
    (tmp_path / "empty").mkdir()
    (folder / "reference").symlink_to(tmp_path / "empty")
    assert cached_reference.reference_of(run, folder) is not None
    assert not list((tmp_path / "empty").iterdir())

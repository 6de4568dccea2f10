"""A run is saved elsewhere if the disk is full, and completely before an interrupt takes effect."""

import os
import signal

import pytest

import dovetail as dv
import seeded_faults
from dovetail.cli import saving
from dovetail.core.errors import OutputError
from dovetail.testing import run_folder


@pytest.fixture(scope="module")
def run():
    return dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen=dv.specimens.Spring(k=2250.0)),
        duration=0.1,
    ).rehearse()


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Two other folders in which a run can be saved."""
    (tmp_path / "other").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "other"))
    monkeypatch.setenv("HOME", str(tmp_path / "missing"))
    monkeypatch.setattr(saving, "MEMORY", tmp_path / "missing")
    return tmp_path / "other"


def full(monkeypatch, *folders):
    """Let the disk with these folders have no space for more than 3 kB."""
    save = run_folder.save_run

    def limited(run, folder):
        if not folder.is_relative_to(folders[0]) and folder.parent not in folders:
            return save(run, folder)
        with seeded_faults.disk_full_at(3000):
            return save(run, folder)

    monkeypatch.setattr(run_folder, "save_run", limited)


def test_on_a_full_disk_the_outcome_remains_and_the_run_is_saved_elsewhere(
    run, tmp_path, places, monkeypatch, capsys
):
    full(monkeypatch, tmp_path / "full")
    saved = saving.save_or_elsewhere(run, tmp_path / "full")
    assert saved.parent == places
    assert run_folder.read_run(saved).data.identical(run.data)
    text = capsys.readouterr().out
    assert f"{tmp_path / 'full'}: the run cannot be written completely (file too large)" in text
    assert f"the run is saved in {saved}" in text
    assert (tmp_path / "full" / "outcome.json").is_file()


def test_if_there_is_no_space_anywhere_the_error_contains_the_outcome(run, tmp_path, places, monkeypatch):
    full(monkeypatch, tmp_path / "full", places)
    with pytest.raises(OutputError, match=f"the run is lost. It ended: {run.outcome.value}"):
        saving.save_or_elsewhere(run, tmp_path / "full")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_takes_effect_after_the_run_is_saved(run, tmp_path, monkeypatch, number):
    save = run_folder.save_run

    def interrupted(run, folder):
        os.kill(os.getpid(), number)
        return save(run, folder)

    def stop(received, frame):
        raise KeyboardInterrupt

    monkeypatch.setattr(run_folder, "save_run", interrupted)
    handler = signal.signal(number, stop)
    try:
        with pytest.raises(KeyboardInterrupt):
            saving.save_or_elsewhere(run, tmp_path / "run")
    finally:
        signal.signal(number, handler)
    assert run_folder.read_run(tmp_path / "run").data.identical(run.data)

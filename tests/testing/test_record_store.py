"""Records that go to disk as they come: equal to those in memory, read in bounded memory, complete after any end."""

import subprocess
import sys

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import OutputError, TestFileError
from dovetail.core.recording_file import MARGIN, StoredRecording, read_recording
from dovetail.testing import Outcome, begin_run, read_run, record_store, save_run
from dovetail.testing.recorder import largest_of
from seeded_faults import disk_full_at


def rehearse(test, folder, **options):
    return test.rehearse(store=begin_run(test, "rehearse", folder), **options)


@pytest.mark.parametrize("every", [1, 7])
def test_stored_records_are_those_in_memory(make_cs1, tmp_path, every):
    test = make_cs1(duration=4.2, record_every=every)
    run, expected = rehearse(test, tmp_path / "run"), test.rehearse()
    assert run.data.identical(expected.data)
    assert save_run(run, tmp_path / "run") == tmp_path / "run"
    again = read_run(tmp_path / "run")
    assert again.data.identical(expected.data)
    assert again.outcome is Outcome.FINISHED
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == [
        "log.txt",
        "outcome.json",
        "result.nc",
        "test.toml",
    ]


@pytest.fixture
def small(monkeypatch):
    """Any recording of more than 100 kB is read as every n-th sample."""
    monkeypatch.setattr(record_store, "MAX_LOADED", 100_000)


def test_a_large_recording_is_read_as_every_nth_sample_with_all_peaks(make_cs1, tmp_path, small):
    test = make_cs1(duration=4.0)
    whole, run = test.rehearse(), rehearse(test, tmp_path / "run")
    every = run.recording.attrs["record_every"]
    assert every == 5  # 4001 samples of 12 values; the next round number that divides 4000
    for name in whole.recording:
        np.testing.assert_array_equal(run.recording[name].values, whole.recording[name].values[::every])
        assert largest_of(run.recording, [name]) == float(np.abs(whole.recording[name].values).max())
    error = np.abs(whole.recording["displacement"].values - whole.recording["measured_displacement"].values)
    assert largest_of(run.recording, ["tracking_error"]) == error.max()
    for folder in ("run", "copy"):
        save_run(run, tmp_path / folder)
        assert read_recording(tmp_path / folder / "result.nc").sizes["time"] == 4001
        assert "record_every" not in read_recording(tmp_path / folder / "result.nc").attrs
        assert read_run(tmp_path / folder).data.identical(run.data)
    reference = read_run(tmp_path / "run").reference()
    np.testing.assert_array_equal(reference.recording.time.values, run.recording.time.values)


def test_a_specimen_that_ends_a_run_cuts_its_file(make_cs1, tmp_path, small, monkeypatch):
    test = make_cs1(duration=4.0)
    specimen = type(test.rig.specimen)
    monkeypatch.setattr(specimen, "end_event", lambda self, displacement: (2501, "latched"))
    run = rehearse(test, tmp_path / "run")
    assert run.outcome is Outcome.LATCHED
    assert run.recording.last_time == 2.5
    save_run(run, tmp_path / "run")
    assert read_recording(tmp_path / "run" / "result.nc").last_time == 2.501


def test_an_interrupted_rehearsal_keeps_its_records(make_cs1, tmp_path):
    def stop(share, text):
        if share >= 0.4:
            raise KeyboardInterrupt

    test = make_cs1(duration=10.0)
    run = rehearse(test, tmp_path / "run", progress=stop)
    assert run.outcome is Outcome.INTERRUPTED
    save_run(run, tmp_path / "run")
    assert 4.0 <= read_run(tmp_path / "run").recording.last_time < 6.0


def test_a_run_that_was_not_saved_is_read_as_unfinished(make_cs1, tmp_path):
    run = rehearse(make_cs1(duration=1.0), tmp_path / "run")
    again = read_run(tmp_path / "run")
    assert again.outcome is Outcome.UNFINISHED
    assert "1 of 1 s. Not finished" in str(again)
    assert again.data.identical(run.data)
    (save_run(run, tmp_path / "run") / "outcome.json").unlink()
    with pytest.raises(OutputError, match="outcome.json: is missing"):  # a finished run has one
        read_run(tmp_path / "run")


KILLED = """
import os, sys, dovetail as dv
test = dv.load(sys.argv[1])
def kill(share, text):
    if share > 0.5:
        os.kill(os.getpid(), 9)
test.rehearse(progress=kill, store=dv.testing.begin_run(test, "rehearse", sys.argv[2]))
"""


@pytest.mark.slow
def test_a_killed_rehearsal_is_read_up_to_its_last_chunk(make_cs1, tmp_path):
    save_run(make_cs1(duration=10.0).rehearse(), tmp_path / "whole")
    command = [sys.executable, "-c", KILLED, tmp_path / "whole" / "test.toml", tmp_path / "run"]
    assert subprocess.run(command, check=False).returncode == -9
    run = read_run(tmp_path / "run")
    assert run.outcome is Outcome.UNFINISHED
    count = run.recording.sizes["time"]
    assert 5001 <= count <= 7001
    np.testing.assert_array_equal(
        run.recording["displacement"].values,
        read_run(tmp_path / "whole").recording["displacement"].values[:count],
    )


@pytest.mark.parametrize("size", [100, 70_000, 200_000])
def test_a_disk_that_is_full_leaves_all_records_in_memory_and_the_file_readable(make_cs1, tmp_path, size):
    test = make_cs1(duration=4.0)
    store = begin_run(test, "rehearse", tmp_path / "run")
    with disk_full_at(size):
        run = test.rehearse(store=store)
        with pytest.raises(OutputError, match="cannot be written"):
            save_run(run, tmp_path / "run")
    assert run.data.identical(test.rehearse().data)
    if size > MARGIN + 20_000:
        with StoredRecording(tmp_path / "run" / "result.nc") as stored:
            assert stored.count % 1000 == 1
    assert read_run(save_run(run, tmp_path / "elsewhere")).data.identical(run.data)


def test_records_that_fit_neither_disk_nor_memory_end_the_run(make_cs1, tmp_path, monkeypatch):
    monkeypatch.setattr(record_store, "MAX_KEPT", 100_000)
    test = make_cs1(duration=10.0)
    store = begin_run(test, "rehearse", tmp_path / "run")
    with disk_full_at(100), pytest.raises(OutputError, match="free disk space"):
        test.rehearse(store=store)


def test_a_recording_that_does_not_fit_on_the_disk_is_refused(make_cs1, tmp_path):
    with pytest.raises(TestFileError, match=r"on the disk of .*record_every = \d+ records"):
        begin_run(make_cs1(duration=3e6), "rehearse", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_power_cut_zeros_at_the_end_are_no_samples(make_cs1, tmp_path):
    rehearse(make_cs1(duration=1.0), tmp_path / "run")
    path = tmp_path / "run" / "result.nc"
    data = bytearray(path.read_bytes())
    data[-5000:] = bytes(5000)
    path.write_bytes(data)
    run = read_run(tmp_path / "run")
    assert run.recording.sizes["time"] == pytest.approx(1001 - 5000 / 96, abs=2)
    assert np.all(run.recording["measured_force"].values[20:] != 0)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_duration(tmp_path):
    """Peak memory of a process after a run of 0.2 million and of 2 million ticks with 22 values."""
    code = """
import sys, dovetail as dv
test = dv.load(sys.argv[1], {"duration": float(sys.argv[2])})
run = test.rehearse(store=dv.testing.begin_run(test, "rehearse", sys.argv[3]))
run.save(sys.argv[3])
dv.testing.read_run(sys.argv[3])
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=[2.2] * 2, c=[60.0] * 2, k=[2250.0] * 2),
        rig=dv.Rig(dv.transfer.Delay(0.002), dv.specimens.Spring(k=500.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        rate=1000.0,
        duration=1.0,
    )
    save_run(test.rehearse(), tmp_path / "short")

    def peak(seconds):
        arguments = [tmp_path / "short" / "test.toml", str(seconds), tmp_path / f"run-{seconds}"]
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, check=True)
        return int(done.stdout) / 1024  # [MB]

    assert peak(2000) - peak(200) < 200

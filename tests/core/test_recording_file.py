"""The file of a recording is one that xarray and scipy read, and is complete after each append."""

import random

import numpy as np
import pytest
import xarray as xr
from scipy.io import netcdf_file

from dovetail.core.recording import RecordedSignal, Recording
from dovetail.core.recording_file import (
    MARGIN,
    UNFINISHED,
    RecordingFile,
    StoredRecording,
    copy_samples,
    read_recording,
    write_recording,
)
from seeded_faults import disk_full_at

AXIS = np.array(["x", "roll"])
ABOUT = {"units": "m", "axis_units": ["m", "rad"]}
RECORDING = Recording(
    {
        "z": RecordedSignal(np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]]), ("time", "axis"), ABOUT),
        "single": RecordedSignal(np.arange(3, dtype="float32")),
        "count": RecordedSignal(np.arange(3), ("time",), {"none": None}),
        "touched": RecordedSignal(np.array([True, False, True])),
        "nodes": RecordedSignal(np.zeros((3, 4, 2)), ("time", "node", "xyz")),
    },
    {
        "time": RecordedSignal(0.1 * np.arange(3), ("time",), {"units": "s"}),
        "axis": RecordedSignal(AXIS, ("axis",)),
        "axis_kind": RecordedSignal(np.array(["length", "angle"]), ("axis",)),
    },
    {"mode": "rehearse", "seed": 3, "flag": True, "title": "é", "note": None, "gain": 1.5},
)


def test_a_written_recording_is_read_again(tmp_path):
    write_recording(RECORDING, tmp_path / "a.nc")
    again = read_recording(tmp_path / "a.nc")
    assert again.to_dataset().identical(RECORDING.to_dataset())
    types = {name: signal.values.dtype for name, signal in RECORDING.signals.items()}
    assert {name: signal.values.dtype for name, signal in again.signals.items()} == types


def test_a_recording_that_needs_more_memory_than_available_is_not_read(tmp_path):
    write_recording(RECORDING, tmp_path / "a.nc")
    with pytest.raises(MemoryError, match="bytes of memory"):
        read_recording(tmp_path / "a.nc", 100)


def test_xarray_reads_a_written_recording(tmp_path):
    write_recording(RECORDING, tmp_path / "a.nc")
    with xr.open_dataset(tmp_path / "a.nc", engine="scipy") as data:
        assert set(data.coords) == set(RECORDING.coords)
        assert data.attrs.pop("other_attributes") == '{"flag": true, "note": null}'
        xr.testing.assert_equal(data.load(), RECORDING.to_dataset())
        assert data.z.attrs["units"] == "m"
        assert data.attrs["title"] == "é"


def test_scipy_reads_the_same_numbers_at_the_same_places(tmp_path):
    write_recording(RECORDING, tmp_path / "a.nc")
    with netcdf_file(tmp_path / "a.nc", mmap=False) as file:
        assert file.version_byte == 2
        for name in ("time", "z", "single", "count", "touched", "nodes"):
            np.testing.assert_array_equal(file.variables[name][:], RECORDING[name].values)


def test_a_file_of_xarray_is_read(tmp_path):
    plain = RECORDING.to_dataset().drop_attrs()
    plain.to_netcdf(tmp_path / "b.nc", engine="h5netcdf")
    assert read_recording(tmp_path / "b.nc").to_dataset().identical(plain)


def test_a_classic_file_of_xarray_is_read(tmp_path):
    plain = RECORDING.to_dataset().drop_attrs().drop_vars("count")
    plain.to_netcdf(tmp_path / "b.nc", engine="scipy")
    xr.testing.assert_equal(read_recording(tmp_path / "b.nc").to_dataset(), plain)


def test_a_fill_value_of_another_program_means_no_value(tmp_path):
    data = xr.Dataset({"z": ("time", [1.0, np.nan])}, {"time": [0.0, 1.0]})
    data.to_netcdf(tmp_path / "c.nc", engine="h5netcdf", encoding={"z": {"_FillValue": -999.0}})
    np.testing.assert_array_equal(read_recording(tmp_path / "c.nc")["z"].values, [1.0, np.nan])


LONG = Recording(
    {
        "z": RecordedSignal(np.random.default_rng(3).normal(size=(500, 2)), ("time", "axis")),
        "touched": RecordedSignal(np.arange(500) % 3 == 0),
    },
    {"time": RecordedSignal(0.1 * np.arange(500)), "axis": RECORDING.coords["axis"]},
    {"mode": "rehearse", UNFINISHED: 1},
)
AT_ONCE = LONG.to_dataset()


def write_in_pieces(path, sizes):
    """Write the recording in pieces of these sizes."""
    with RecordingFile(path, LONG.isel(time=slice(0, sizes[0])), MARGIN) as file:
        done = sizes[0]
        for size in sizes[1:]:
            file.append({name: LONG[name].values[done : done + size] for name in ("time", "z", "touched")})
            done += size
    return done


def test_appended_samples_are_those_of_a_file_written_at_once(tmp_path):
    assert write_in_pieces(tmp_path / "a.nc", [1, 200, 0, 7, 292]) == 500
    assert read_recording(tmp_path / "a.nc").to_dataset().identical(AT_ONCE)


def test_an_unfinished_file_that_ends_at_any_byte_has_all_complete_samples(tmp_path):
    path, rng = tmp_path / "a.nc", random.Random(1)
    write_in_pieces(path, [100, 400])
    whole = path.read_bytes()
    with StoredRecording(path) as stored:
        begin, size = stored.header.data_begin, stored.dtype.itemsize
    for length in (begin, begin + 1, begin + size, *(rng.randrange(begin, len(whole)) for _ in range(20))):
        path.write_bytes(whole[:length])
        data = read_recording(path).to_dataset()
        assert data.sizes["time"] == (length - begin) // size
        assert data.identical(AT_ONCE.isel(time=slice(0, (length - begin) // size)))


def test_a_disk_that_is_full_at_any_byte_leaves_the_samples_before(tmp_path):
    path, rng = tmp_path / "a.nc", random.Random(2)
    write_in_pieces(path, [100])
    begin = path.stat().st_size
    for size in (begin, begin + 1, *(rng.randrange(begin, begin + 400 * 28) for _ in range(10))):
        path.unlink()
        with pytest.raises(OSError, match="File too large"), disk_full_at(size):
            write_in_pieces(path, [100, 100, 100, 200])
        data = read_recording(path).to_dataset()
        assert data.sizes["time"] % 100 == 0
        assert data.sizes["time"] >= 100
        assert data.identical(AT_ONCE.isel(time=slice(0, data.sizes["time"])))


def test_a_recording_is_written_completely_or_not_at_all(tmp_path):
    path, rng = tmp_path / "a.nc", random.Random(3)
    write_recording(RECORDING, path)
    before = path.read_bytes()
    for size in (0, 1, *(rng.randrange(len(before)) for _ in range(6))):
        with disk_full_at(size), pytest.raises(OSError, match="File too large"):
            write_recording(LONG, path)
        assert path.read_bytes() == before
        assert [file.name for file in tmp_path.iterdir()] == ["a.nc"]


@pytest.mark.parametrize("note", ["short", "long" * MARGIN])
@pytest.mark.parametrize("name", ["a.nc", "b.nc"])
def test_attributes_at_the_end_need_no_second_copy_unless_they_are_long(tmp_path, name, note):
    write_in_pieces(tmp_path / "a.nc", [250, 250])
    file, end = (tmp_path / "a.nc").stat().st_ino, LONG.isel(time=slice(0, 300)).with_attrs(note=note)
    copy_samples(tmp_path / "a.nc", end, tmp_path / name, 300)
    assert read_recording(tmp_path / name).to_dataset().identical(end.to_dataset())
    assert ((tmp_path / name).stat().st_ino == file) == (note == "short" and name == "a.nc")


def test_a_damaged_file_is_an_error_or_other_values(tmp_path):
    path, rng = tmp_path / "a.nc", random.Random(4)
    write_recording(RECORDING, path)
    whole = path.read_bytes()
    errors = 0
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 1, 3])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data[: rng.choice([len(data), rng.randrange(len(data))])])
        try:
            read_recording(path, 1e6)
        except (ValueError, MemoryError, OSError):
            errors += 1
    assert errors > 50

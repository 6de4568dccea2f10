"""The file of a recording is the one that xarray writes and reads."""

import numpy as np
import pytest
import xarray as xr

from dovetail.core.recording import RecordedSignal, Recording
from dovetail.core.recording_file import read_recording, write_recording

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
    with xr.open_dataset(tmp_path / "a.nc", engine="h5netcdf") as data:
        assert set(data.coords) == set(RECORDING.coords)
        assert data.attrs.pop("other_attributes") == '{"flag": true, "note": null}'
        xr.testing.assert_equal(data.load(), RECORDING.to_dataset())
        assert data.z.attrs == ABOUT


def test_a_file_of_xarray_is_read(tmp_path):
    plain = RECORDING.to_dataset().drop_attrs()
    plain.to_netcdf(tmp_path / "b.nc", engine="h5netcdf")
    assert read_recording(tmp_path / "b.nc").to_dataset().identical(plain)


def test_a_fill_value_of_another_program_means_no_value(tmp_path):
    data = xr.Dataset({"z": ("time", [1.0, np.nan])}, {"time": [0.0, 1.0]})
    data.to_netcdf(tmp_path / "c.nc", engine="h5netcdf", encoding={"z": {"_FillValue": -999.0}})
    np.testing.assert_array_equal(read_recording(tmp_path / "c.nc")["z"].values, [1.0, np.nan])

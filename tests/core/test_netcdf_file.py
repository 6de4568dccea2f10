"""A netCDF file is written whole, or not at all with the reason."""

import random

import numpy as np
import pytest
import xarray as xr

import seeded_faults
from dovetail.core import netcdf_file
from dovetail.core.recording import Recording
from dovetail.core.recording_file import read_recording

RNG = np.random.default_rng(5)
DATA = xr.Dataset(
    {name: ("time", RNG.normal(size=2000), {"units": "m"}) for name in ("displacement", "command")},
    {"time": np.arange(2000) * 1e-3},
    {"title": "a run", "seed": 7},
)


def test_a_file_is_read_back_as_it_was_written(tmp_path):
    netcdf_file.write(DATA, tmp_path / "result.nc")
    with xr.open_dataset(tmp_path / "result.nc", engine="h5netcdf") as stored:
        assert stored.identical(DATA)
    assert [file.name for file in tmp_path.iterdir()] == ["result.nc"]


def test_names_of_axes_are_written(tmp_path):
    """The HDF5 library reads the file while it writes texts."""
    data = DATA.expand_dims({"axis": ["x", "roll"]})
    netcdf_file.write(data, tmp_path / "a.nc")
    netcdf_file.write(Recording.from_dataset(data), tmp_path / "b.nc")
    for name in ("a.nc", "b.nc"):
        assert read_recording(tmp_path / name).axis.values.tolist() == ["x", "roll"]


def test_a_disk_that_is_full_at_any_byte_is_an_error_and_leaves_the_earlier_file(tmp_path):
    path = tmp_path / "result.nc"
    netcdf_file.write(DATA, path)
    before, rng = path.read_bytes(), random.Random(3)
    for size in (0, 1, len(before) - 1, *(rng.randrange(len(before)) for _ in range(8))):
        with seeded_faults.disk_full_at(size), pytest.raises(OSError, match="File too large"):
            netcdf_file.write(DATA.roll(time=1), path)
        assert path.read_bytes() == before
        assert [file.name for file in tmp_path.iterdir()] == ["result.nc"]

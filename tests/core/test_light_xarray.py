"""A dataset is made without the libraries that nobody uses, and with those that somebody does."""

import subprocess
import sys

CODE = """
import sys
import numpy as np
from dovetail.core.light_xarray import xarray as xr

data = xr.Dataset({"z": (["time"], np.arange(3.0))}, coords={"time": np.arange(3) * 0.5})
data = data.isel(time=slice(1, None)).assign(twice=2 * data.z)
data.to_netcdf(sys.argv[1], engine="h5netcdf")
with xr.open_dataset(sys.argv[1], engine="h5netcdf") as stored:
    xr.testing.assert_identical(stored.load(), data)
print(*(name for name in ("pint", "dask", "cupy", "sparse", "distributed") if name in sys.modules), "none")

import dask.array
import pint

lengths = xr.DataArray(pint.UnitRegistry().Quantity([1.0, 2.0], "m"), dims="time")
print(type(lengths.data).__name__, lengths.mean().data)
lazy = xr.DataArray(dask.array.arange(4, chunks=2), dims="time")
print(lazy.chunks, int(lazy.sum()))
"""


def test_a_dataset_loads_optional_libraries_only_after_their_import(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "data.nc")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert first == "none"
    assert second == "Quantity 1.5 meter"
    assert third == "((2, 2),) 6"

"""The header of a classic netCDF file: that of the specification, of scipy, and of any damaged bytes."""

import io

import numpy as np
import pytest
from scipy.io import netcdf_file

from dovetail.core.classic_netcdf import FormatError, Header, Variable, decoded


def header():
    variables = {
        "time": Variable(("time",), np.dtype(">f8"), {"units": "s"}),
        "flag": Variable(("time", "axis"), np.dtype(">i1")),
        "name": Variable(("axis", "string2"), np.dtype("S1")),
    }
    made = Header(
        {"time": 0, "axis": 3, "string2": 2}, variables, {"title": "é", "row": [1, 2], "gain": 0.5}, 7
    )
    made.place(100)
    return made


def test_a_header_is_read_as_it_was_written():
    made = header()
    again = decoded(made.encoded() + b"anything")
    assert again.dims == made.dims
    assert again.records == 7
    assert again.attrs["title"] == "é"
    assert again.attrs["gain"] == 0.5
    np.testing.assert_array_equal(again.attrs["row"], [1, 2])
    assert {name: (v.dims, v.dtype, v.begin) for name, v in again.variables.items()} == {
        name: (v.dims, v.dtype, v.begin) for name, v in made.variables.items()
    }


def test_variables_lie_behind_the_margin_and_records_behind_them():
    made = header()
    assert made.variables["name"].begin >= len(made.encoded()) + 100
    assert made.data_begin >= made.variables["name"].begin + 6
    assert made.record_dtype.itemsize == 8 + 4  # three flags are padded to four bytes
    assert made.variables["flag"].begin == made.data_begin + 8


def test_an_empty_file_of_the_specification():
    """The smallest file of the NetCDF Users' Guide has 32 bytes."""
    empty = Header({}, {})
    assert empty.encoded() == b"CDF\x02" + bytes(28)
    assert decoded(empty.encoded()).variables == {}


def test_the_header_that_scipy_writes_is_read():
    file = io.BytesIO()
    other = netcdf_file(file, "w", version=2)
    other.createDimension("time", None)
    other.createVariable("z", "f8", ("time",))[:] = np.arange(3.0)
    other.title = "a run"
    other.flush()
    again = decoded(file.getvalue())
    assert again.records == 3
    assert again.attrs == {"title": "a run"}
    at = again.variables["z"].begin
    np.testing.assert_array_equal(np.frombuffer(file.getvalue()[at : at + 24], ">f8"), [0, 1, 2])


@pytest.mark.parametrize("length", range(0, 240, 13))
def test_a_header_that_ends_early_is_an_error(length):
    assert len(header().encoded()) > 240
    with pytest.raises(FormatError, match="damaged"):
        decoded(header().encoded()[:length])

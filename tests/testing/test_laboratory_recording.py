"""Recordings of a laboratory: the same numbers from every format, units and names as they are said."""

import h5py
import numpy as np
import pytest
import xarray as xr
from scipy.io import savemat

from dovetail.core.errors import DovetailError
from dovetail.testing import read_recording

RNG = np.random.default_rng(24)
N = 40
T = 0.5 + 0.002 * np.arange(N)
U, Y = RNG.normal(0, 0.01, (2, N))  # [m]
SAID = {"time": "t [ms]", "command": "x_cmd [mm]", "measured": "lvdt [um]"}
ARRAYS = {"t": 1e3 * T, "x_cmd": 1e3 * U, "lvdt": 1e6 * Y, "force": RNG.normal(size=N)}


def same(data, t=T, u=U, y=Y):
    np.testing.assert_allclose(data.time, t, rtol=1e-9)
    np.testing.assert_allclose(data.command, u, rtol=1e-9, atol=1e-18)
    np.testing.assert_allclose(data.measured_displacement, y, rtol=1e-9, atol=1e-18)


def text(names, columns, mark=",", comma=False, before=""):
    rows = [mark.join(names)] + [mark.join(f"{v:.17g}" for v in row) for row in np.transpose(list(columns))]
    made = before + "\n".join(rows) + "\n"
    return made.replace(".", ",") if comma else made


def hdf(path, arrays, at="", char="a word"):
    """A MAT file of version 7.3 as MATLAB writes it: 512 bytes before, matrices transposed, words as numbers."""
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_group("#refs#")["a"] = np.zeros(N)
        for name, values in arrays.items():
            file[f"{at}{name}"] = np.atleast_2d(values)
            file[f"{at}{name}"].attrs["MATLAB_class"] = np.bytes_("double")
        file["about"] = np.array([[ord(c) for c in char]], dtype="uint16").T
        file["about"].attrs["MATLAB_class"] = np.bytes_("char")
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


WRITERS = {
    "comma.csv": lambda p: p.write_text(text(ARRAYS, ARRAYS.values())),
    "german.txt": lambda p: p.write_text(
        "\ufeff" + text(ARRAYS, ARRAYS.values(), ";", comma=True, before="# a sweep\n")
    ),
    "tabs.dat": lambda p: p.write_text(text(ARRAYS, ARRAYS.values(), "\t")),
    "modern.nc": lambda p: xr.Dataset({k: ("sample", v) for k, v in ARRAYS.items()}).to_netcdf(
        p, engine="h5netcdf"
    ),
    "classic.nc": lambda p: xr.Dataset({k: ("sample", v) for k, v in ARRAYS.items()}).to_netcdf(
        p, engine="scipy"
    ),
    "five.mat": lambda p: savemat(p, {**ARRAYS, "note": "by hand"}),
    "seven.mat": lambda p: hdf(p, ARRAYS),
    "arrays.npz": lambda p: np.savez(p, **ARRAYS),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_recording(tmp_path, name):
    WRITERS[name](tmp_path / name)
    same(read_recording(tmp_path / name, **SAID))


def test_arrays_and_datasets_are_accepted_unchanged():
    same(read_recording(ARRAYS, **SAID))
    same(read_recording(xr.Dataset({k: ("time", v) for k, v in ARRAYS.items()}), **SAID))
    same(read_recording(np.stack([T, U, Y], axis=1)))
    same(read_recording(np.stack([Y, U], axis=1), command=2, measured=1, sample_time=0.002), t=T - 0.5)


def test_structs_and_matrix_columns_are_addressed_by_dot_and_colon(tmp_path):
    matrix = np.stack([1e3 * U, 1e3 * Y], axis=1)
    savemat(tmp_path / "five.mat", {"rec": {"t": T, "x": matrix}})
    hdf(tmp_path / "seven.mat", {"t": T, "x": matrix.T}, at="rec/")
    for name in ("five.mat", "seven.mat"):
        said = {"time": "rec.t", "command": "rec.x:1 [mm]", "measured": "rec.x:2 [mm]"}
        same(read_recording(tmp_path / name, **said))


def test_units_come_from_headings_and_attributes_by_default(tmp_path):
    (tmp_path / "a.csv").write_text(
        text(["Time [ms]", "Command (mm)", "Measured [cm]"], [1e3 * T, 1e3 * U, 1e2 * Y])
    )
    same(read_recording(tmp_path / "a.csv"))
    (tmp_path / "b.csv").write_text(text(["a", "b", "c"], [T, U, Y]))
    same(read_recording(tmp_path / "b.csv"))
    data = xr.Dataset(
        {
            "command": ("time", 1e3 * U, {"units": "mm"}),
            "measured_displacement": ("time", Y, {"units": "m"}),
            "other": ("time", Y),
        },
        {"time": ("time", T)},
    )
    data.to_netcdf(tmp_path / "c.nc", engine="h5netcdf")
    same(read_recording(tmp_path / "c.nc"))


def test_several_axes_are_side_by_side():
    arrays = {"t": T, "u1": U, "u2": 2 * U, "y1": Y, "y2": 3 * Y}
    data = read_recording(arrays, command=["u1", "u2"], measured=["y1", "y2"])
    assert data.command.dims == ("time", "axis")
    np.testing.assert_array_equal(data.command, np.stack([U, 2 * U], axis=1))
    np.testing.assert_array_equal(data.measured_displacement, np.stack([Y, 3 * Y], axis=1))


def test_a_recorded_run_is_a_recording(make_cs1, tmp_path):
    run = make_cs1(duration=0.1).rehearse()
    run.save(tmp_path / "run")
    data = read_recording(tmp_path / "run" / "result.nc")
    np.testing.assert_array_equal(data.command, run.data.command)


@pytest.mark.parametrize(
    ("name", "content", "said", "words"),
    [
        ("no.csv", None, {}, r"no.csv: cannot be read \(no such file"),
        ("no.mat", None, {}, "no.mat: no such file"),
        ("a.xls", "1", {}, "unknown recording format; .*.csv"),
        ("a.csv", "t,a,b,c\n0,1,2,3\n1,1,2,3\n", {}, r'4 columns \(t, a, b, c\); .* command'),
        ("a.csv", "t,a,b\n0,1,2\n1,1,2\n", {"command": "aa"}, 'no column for the command in .*did you mean "a"'),
        ("a.csv", "t,a,b\n0,1,2\n1,1,2\n3,1,2\n", {}, "from 1 to 2 s; equal steps"),
        ("a.csv", "t,a [V],b\n0,1,2\n1,1,2\n", {}, r'"a" .* unit "V"; .* length .*"a \[mm\]"'),
        ("a.csv", "t,a,b\n0,1,2\n1,x,2\n", {}, r'a.csv, line 3: got "1,x,2"'),
        ("a.csv", "t,a,b\n0,1,2\n", {}, "has 1 samples"),
        ("a.csv", "t,a,b\n0,1,2\n1,1,2\n", {"command": ["a", "b"]}, "2 commands and 1 measured"),
        ("a.nc", "no netCDF", {}, "is damaged or not a .nc file"),
        ("a.mat", "no MAT", {}, "is damaged or not a .mat file"),
        ("a.mat", "MATLAB 7.3 MAT-file", {}, "is damaged or not a .mat file"),
        ("a.npz", "no NPZ", {}, "cannot read the recording"),
    ],
)  # fmt: skip
def test_unreadable_and_incomplete_recordings_are_reported(tmp_path, name, content, said, words):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(DovetailError, match=words):
        read_recording(tmp_path / name, **said)


def test_arrays_of_different_lengths_and_gaps_are_reported():
    with pytest.raises(DovetailError, match="columns have 39, 40 samples"):
        read_recording({"t": T, "command": U, "measured": Y[1:]})
    with pytest.raises(DovetailError, match='"command" has no finite number at sample 4'):
        read_recording({"t": T, "command": np.where(np.arange(N) == 3, np.nan, U), "measured": Y})

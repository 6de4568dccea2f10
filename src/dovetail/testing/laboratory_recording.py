"""Recordings that a laboratory made: command and measured displacement from CSV, netCDF, MAT and NPZ files, or arrays.

A column is said by its name as the file has it, with the unit where the file says none: `"x_cmd [mm]"`. A table of text
may have its columns counted from 1; an array of several columns in a MAT or NPZ file is `"data:2"`, an entry of a
struct `"rec.command"`. Units may be any of a length or an angle; what has none is in m (and times in s).

>>> read_recording("sweep.csv", command="x_cmd [mm]", measured="lvdt [mm]")       # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from dovetail.core.errors import OutputError, ParameterError, UnknownNameError
from dovetail.core.isolated_read import tried
from dovetail.core.table_file import FOUND, TableFile, parted, read_lines
from dovetail.core.units import to_si

TEXTS = (".csv", ".txt", ".tsv", ".dat", ".asc")
USUAL = {  # how columns are called where nothing is said
    "time": ("time", "t"),
    "command": ("command",),
    "measured": ("measured_displacement", "measured"),
}
UNEVEN = 1e-3  # of a step: how far times may be from equal spacing
TRY_HDF = """
import h5py
with h5py.File(sys.argv[1], "r") as file:
    file.visititems(lambda name, node: node[()] if isinstance(node, h5py.Dataset) else None)
"""
TRY_MAT = "import scipy.io\nscipy.io.loadmat(sys.argv[1], simplify_cells=True)"
Column = str | int
Source = str | Path | xr.Dataset | Mapping[str, Any] | np.ndarray


def read_recording(
    source: Source,
    *,
    time: Column = "",
    command: Column | Sequence[Column] = "",
    measured: Column | Sequence[Column] = "",
    spacing: float = 0.0,
    separator: str = FOUND,
) -> xr.Dataset:
    """Command and measured displacement of a rig, in SI over equally spaced times, as `design` takes them.

    Parameters
    ----------
    source
        A file (`.csv` and other text, `.nc`, `.mat` of version 5 or 7.3, `.npz`), a dataset, arrays by name, or one
        array with a column for each signal.
    time, command, measured
        Columns, each by name or number, with a unit in brackets. Left out, they are those called `time` (or `t`),
        `command` and `measured_displacement` (or `measured`), else the first, second and third of three columns.
        Several commands and as many measurements are the axes of a rig.
    spacing
        Time between samples [s] where there are no times, or where they are not to be used.
    separator
        Of the columns of a text: semicolon, tab, comma, space; found where it is not said.

    Raises
    ------
    OutputError
        If the file cannot be read, or leaves open what must be said.
    UnknownNameError
        If there is no such column.
    """
    columns = _Columns.of(source, separator)
    commands, measures = (_listed(column) for column in (command, measured))
    if len(commands) != len(measures):
        raise ParameterError(
            f"{columns.where}: got {len(commands)} commands and {len(measures)} measured displacements; "
            "give as many of each, one for each axis"
        )
    pairs = {
        name: [columns.values(role, column, "m") for column in asked]
        for name, role, asked in (
            ("command", "command", commands),
            ("measured_displacement", "measured", measures),
        )
    }
    lengths = {len(values) for each in pairs.values() for values in each}
    if not spacing:
        times = columns.values("time", time, "s")
        lengths.add(len(times))
    if len(lengths) > 1:
        raise OutputError(
            f"{columns.where}: its columns have {', '.join(map(str, sorted(lengths)))} samples; as many in each"
        )
    step, first = (float(spacing), 0.0) if spacing else _even(columns.where, times)
    if not step > 0:
        raise ParameterError(f"spacing: got {spacing:g} s; must be above 0")
    shape, dims = (lambda each: each[0]), ["time"]
    if len(commands) > 1:
        shape, dims = (lambda each: np.stack(each, axis=1)), ["time", "axis"]
    about = {"units": "m"}
    data = {name: (dims, shape(each), about) for name, each in pairs.items()}
    (length,) = lengths
    times = first + step * np.arange(length)
    return xr.Dataset(data, {"time": ("time", times, {"units": "s"})}, {"source": columns.where})


def _listed(column: Any) -> list[Column]:
    return [column] if isinstance(column, str | int) else list(column)


def _even(where: str, times: np.ndarray) -> tuple[float, float]:
    """Step and first of equally spaced times."""
    if len(times) < 2:
        raise OutputError(f"{where}: holds {len(times)} samples; a recording has two or more")
    steps = np.diff(times)
    if not steps.min() > 0 or np.ptp(steps) > UNEVEN * steps.mean():
        raise OutputError(
            f"{where}: its times are {steps.min():g} to {steps.max():g} s apart; they must be equally spaced. Where "
            "the clock was even and its times were rounded, give the spacing of the samples [s]"
        )
    return float((times[-1] - times[0]) / (len(times) - 1)), float(times[0])


class _Columns:
    """Named columns of numbers, from wherever they come."""

    def __init__(
        self, where: str, names: Sequence[str], unit: Callable[[str], str], read: Callable[[str], Any]
    ):
        self.where, self.names, self._unit, self._read = where, list(names), unit, read

    @classmethod
    def of(cls, source: Source, separator: str) -> _Columns:
        """The columns of a file, a dataset, or arrays."""
        if isinstance(source, xr.Dataset):
            units = {str(name): str(array.attrs.get("units", "")) for name, array in source.variables.items()}
            return cls._arrays("the dataset", {str(n): a.values for n, a in source.variables.items()}, units)
        if isinstance(source, Mapping):
            return cls._arrays("the arrays", {str(name): values for name, values in source.items()}, {})
        if isinstance(source, np.ndarray):
            if source.ndim != 2:
                raise ParameterError(f"got an array of shape {source.shape}; needs a column for each signal")
            return cls._arrays("the array", {str(i + 1): v for i, v in enumerate(source.T)}, {})
        path = Path(source)
        if path.suffix.lower() in (".nc", ".mat", ".npz"):
            if not path.is_file():
                raise OutputError(f"{path}: there is no such file; give a recording, or the folder of a run")
            arrays, units = {".nc": _netcdf, ".mat": _mat, ".npz": _npz}[path.suffix.lower()](path)
            return cls._arrays(str(path), arrays, units)
        if path.suffix.lower() not in TEXTS:
            raise OutputError(
                f"{path}: is no recording that is known by its name; one of {', '.join(TEXTS)}, .nc, .mat, .npz"
            )
        table = TableFile(path, read_lines(path, "the file of a recording"), separator)
        names = [name for name, _ in table.names] or [str(i + 1) for i in range(table.width)]
        return cls(
            str(path),
            names,
            lambda name: table.names[table.place(name)][1] if table.names else "",
            lambda name: table.columns([table.place(name)])[:, 0],
        )

    @classmethod
    def _arrays(cls, where: str, arrays: dict[str, Any], units: Mapping[str, str]) -> _Columns:
        flat = {}
        for name, values in _flattened(arrays):
            array = np.asarray(values)
            if array.dtype.kind not in "fiub" or array.size < 2:
                continue
            array = np.squeeze(array.astype(float))
            if array.ndim == 1:
                flat[name] = array
            elif array.ndim == 2:
                flat |= {f"{name}:{i + 1}": column for i, column in enumerate(array.T)}
        return cls(where, list(flat), lambda name: units.get(name.partition(":")[0], ""), flat.__getitem__)

    def values(self, role: str, column: Column, unit: str) -> np.ndarray:
        """Numbers of a column in SI, whose unit is a length's or an angle's, or a time's."""
        name, said = parted(str(column)) if column != "" else (self._usual(role), "")
        name = self._named(role, name)
        array = np.asarray(self._read(name), dtype=float)
        if not np.isfinite(array).all():
            raise OutputError(
                f'{self.where}: "{name}" holds no number at sample {int(np.argmin(np.isfinite(array))) + 1}'
            )
        said = said or self._unit(name)
        return array if not said else array * self._factor(name, said, unit)

    def _factor(self, name: str, said: str, unit: str) -> float:
        try:
            return np.asarray(to_si(f"1 {said}", unit)).item()
        except ParameterError as error:
            if unit == "m":
                try:
                    return np.asarray(to_si(f"1 {said}", "rad")).item()
                except ParameterError:
                    pass
            raise OutputError(
                f'{self.where}: "{name}" is in "{said}"; say another unit of {"length" if unit == "m" else "time"} in '
                f'brackets, as in "{name} [{"mm" if unit == "m" else "ms"}]"'
            ) from error

    def _usual(self, role: str) -> str:
        lower = {name.lower(): name for name in self.names}
        for name in USUAL[role]:
            if name in lower:
                return lower[name]
        if len(self.names) == 3:
            return self.names[list(USUAL).index(role)]
        words = f'{role} = "{(self.names or ["NAME"])[0]}"'
        raise OutputError(
            f"{self.where}: has {len(self.names)} columns ({', '.join(self.names[:12])}); say which holds the "
            f"{role}, {words}"
            + (", or the spacing of the samples where there are no times" if role == "time" else "")
        )

    def _named(self, role: str, wanted: str) -> str:
        if wanted in self.names:
            return wanted
        same = [name for name in self.names if name.lower() == wanted.lower()]
        if same:
            return same[0]
        if wanted.isdecimal() and 1 <= int(wanted) <= len(self.names):
            return self.names[int(wanted) - 1]
        raise UnknownNameError(f"column for the {role} in {self.where}", wanted, self.names)


def _flattened(node: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    """Arrays by name; those of a struct with its name before a dot."""
    for name, value in node.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{at}{name}.")
        else:
            yield f"{at}{name}", value


def _netcdf(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    classic = _begins(path, b"CDF")

    def read() -> tuple[dict[str, Any], dict[str, str]]:
        with xr.open_dataset(path, engine="scipy" if classic else "h5netcdf", decode_times=False) as file:
            file.load()
            units = {str(name): str(array.attrs.get("units", "")) for name, array in file.variables.items()}
            return {str(name): array.values for name, array in file.variables.items()}, units

    return _told(path, read, "" if classic else TRY_HDF)


def _mat(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    hdf = _begins(path, b"MATLAB 7.3")

    def read() -> tuple[dict[str, Any], dict[str, str]]:
        if hdf:
            import h5py

            with h5py.File(path, "r") as file:
                return _hdf(file), {}
        from scipy.io import loadmat

        with path.open("rb") as file:  # here, as SciPy leaves one open that it cannot read
            stored = loadmat(file, simplify_cells=True)
        return {name: value for name, value in stored.items() if not name.startswith("__")}, {}

    return _told(path, read, TRY_HDF if hdf else TRY_MAT)


def _begins(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _hdf(node: Any) -> dict[str, Any]:
    """Numbers of a MAT file of version 7.3, which keeps matrices transposed and words as numbers."""
    import h5py

    found: dict[str, Any] = {}
    for name, value in node.items():
        if isinstance(value, h5py.Group):
            found |= {} if name == "#refs#" else {name: _hdf(value)}
        elif value.attrs.get("MATLAB_class") not in (b"char", b"cell") and value.dtype.kind in "fiub":
            found[name] = np.asarray(value[()]).T
    return found


def _npz(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    from dovetail.core.arrays_file import read_arrays

    return dict(read_arrays(path, (), "recording")), {}


def _told(path: Path, read: Callable[[], Any], trial: str) -> Any:
    """What a reader gives; a file that it cannot read is told."""
    why = tried(path, trial) if trial else ""
    if not why:
        try:
            return read()
        except (
            Exception
        ) as error:  # of many kinds: the libraries that read such files have no error of their own
            why = (str(error).splitlines() or [type(error).__name__])[0][:120]
    raise OutputError(f"{path}: is damaged, or no {path.suffix} file ({why})")

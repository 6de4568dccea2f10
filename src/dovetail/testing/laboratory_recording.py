"""Laboratory recordings: command and measured displacement from CSV, netCDF, MAT and NPZ files, or arrays.

A column is given by its name in the file, with the unit if the file contains none: `"x_cmd [mm]"`. Columns of a text
table can also be given by number, counted from 1. A column of an array in a MAT or NPZ file is `"data:2"`, an entry of
a struct `"rec.command"`. Units are those of a length or an angle; the default is m (and s for times).

>>> read_recording("sweep.csv", command="x_cmd [mm]", measured="lvdt [mm]")       # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import xarray as xr

from dovetail.core.errors import OutputError, ParameterError, UnknownNameError
from dovetail.core.isolated_read import run_isolated
from dovetail.core.table_file import AUTO, TableFile, read_lines, split_heading
from dovetail.core.units import to_si

TEXTS = (".csv", ".txt", ".tsv", ".dat", ".asc")
DEFAULT_NAMES = {  # default column names
    "time": ("time", "t"),
    "command": ("command",),
    "measured": ("measured_displacement", "measured"),
}
STEP_TOLERANCE = 1e-3  # tolerance of equal steps, as a fraction of a step
T = TypeVar("T")
READ_HDF = """
import h5py
with h5py.File(sys.argv[1], "r") as file:
    file.visititems(lambda name, node: node[()] if isinstance(node, h5py.Dataset) else None)
"""
READ_MAT = "import scipy.io\nscipy.io.loadmat(sys.argv[1], simplify_cells=True)"
Column = str | int
Source = str | Path | xr.Dataset | Mapping[str, Any] | np.ndarray


def read_recording(
    source: Source,
    *,
    time: Column = "",
    command: Column | Sequence[Column] = "",
    measured: Column | Sequence[Column] = "",
    sample_time: float = 0.0,
    separator: str = AUTO,
) -> xr.Dataset:
    """Return command and measured displacement of a rig in SI over equally spaced times, for `design`.

    Parameters
    ----------
    source
        A file (`.csv` and other text, `.nc`, `.mat` of version 5 or 7.3, `.npz`), a dataset, arrays by name, or one
        array with a column for each signal.
    time, command, measured
        Columns, by name or number, with a unit in brackets. Default: the columns `time` (or `t`), `command` and
        `measured_displacement` (or `measured`), or the first, second and third of three columns. Give several
        commands and as many measurements for a rig with several axes.
    sample_time
        Sample time [s], if there are no times or they should not be used.
    separator
        Column separator of a text: semicolon, tab, comma or space; detected by default.

    Raises
    ------
    OutputError
        If the file cannot be read, or a column, unit or sample time must be given.
    UnknownNameError
        If a column does not exist.
    """
    columns = _Columns.from_source(source, separator)
    commands, measures = (
        ([column] if isinstance(column, str | int) else list(column)) for column in (command, measured)
    )
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
    if not sample_time:
        times = columns.values("time", time, "s")
        lengths.add(len(times))
    if len(lengths) > 1:
        raise OutputError(
            f"{columns.where}: columns have {', '.join(map(str, sorted(lengths)))} samples; give columns of "
            "equal length"
        )
    step, first = (float(sample_time), 0.0) if sample_time else _step_and_start(columns.where, times)
    if not step > 0:
        raise ParameterError(f"sample time: got {sample_time:g} s; give a value above 0")
    several, about = len(commands) > 1, {"units": "m"}
    dims = ["time", "axis"] if several else ["time"]
    data = {
        name: (dims, np.stack(each, axis=1) if several else each[0], about) for name, each in pairs.items()
    }
    (length,) = lengths
    times = first + step * np.arange(length)
    return xr.Dataset(data, {"time": ("time", times, {"units": "s"})}, {"source": columns.where})


def _step_and_start(where: str, times: np.ndarray) -> tuple[float, float]:
    """Return step and first value of equally spaced times."""
    if len(times) < 2:
        raise OutputError(f"{where}: has {len(times)} samples; a recording needs at least two")
    steps = np.diff(times)
    if not steps.min() > 0 or np.ptp(steps) > STEP_TOLERANCE * steps.mean():
        raise OutputError(
            f"{where}: time steps vary from {steps.min():g} to {steps.max():g} s; equal steps are needed. If the times "
            "are only rounded, give the sample time [s]"
        )
    return float((times[-1] - times[0]) / (len(times) - 1)), float(times[0])


class _Columns:
    """Named columns of numbers of a file, a dataset or arrays."""

    def __init__(
        self, where: str, names: Sequence[str], unit: Callable[[str], str], read: Callable[[str], Any]
    ) -> None:
        self.where, self.names, self._unit, self._read = where, list(names), unit, read

    @classmethod
    def from_source(cls, source: Source, separator: str) -> _Columns:
        """Return the columns of a file, a dataset or arrays."""
        if isinstance(source, xr.Dataset):
            units = {str(name): str(array.attrs.get("units", "")) for name, array in source.variables.items()}
            return cls._arrays("the dataset", {str(n): a.values for n, a in source.variables.items()}, units)
        if isinstance(source, Mapping):
            return cls._arrays("the arrays", {str(name): values for name, values in source.items()}, {})
        if isinstance(source, np.ndarray):
            if source.ndim != 2:
                raise ParameterError(f"got an array of shape {source.shape}; give a column for each signal")
            return cls._arrays("the array", {str(i + 1): v for i, v in enumerate(source.T)}, {})
        path = Path(source)
        if path.suffix.lower() in (".nc", ".mat", ".npz"):
            if not path.is_file():
                raise OutputError(f"{path}: no such file; give a recording or a run folder")
            arrays, units = {".nc": _netcdf, ".mat": _mat, ".npz": _npz}[path.suffix.lower()](path)
            return cls._arrays(str(path), arrays, units)
        if path.suffix.lower() not in TEXTS:
            raise OutputError(
                f"{path}: unknown recording format; supported extensions: {', '.join(TEXTS)}, .nc, .mat, .npz"
            )
        table = TableFile(path, read_lines(path, "recording"), separator)
        names = [name for name, _ in table.names] or [str(i + 1) for i in range(table.width)]
        return cls(
            str(path),
            names,
            lambda name: table.names[table.column_index(name)][1] if table.names else "",
            lambda name: table.columns([table.column_index(name)])[:, 0],
        )

    @classmethod
    def _arrays(cls, where: str, arrays: dict[str, Any], units: Mapping[str, str]) -> _Columns:
        flat = {}
        for name, values in _flatten(arrays):
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
        """Return the numbers of a column in SI; its unit is a length or an angle, or a time."""
        name, unit_text = split_heading(str(column)) if column != "" else (self._default_name(role), "")
        name = self._find_name(role, name)
        array = np.asarray(self._read(name), dtype=float)
        if not np.isfinite(array).all():
            raise OutputError(
                f'{self.where}: "{name}" has no finite number at sample {int(np.argmin(np.isfinite(array))) + 1}'
            )
        unit_text = unit_text or self._unit(name)
        return array if not unit_text else array * self._factor(name, unit_text, unit)

    def _factor(self, name: str, unit_text: str, unit: str) -> float:
        try:
            return float(np.asarray(to_si(f"1 {unit_text}", unit)))
        except ParameterError as error:
            if unit == "m":
                try:
                    return float(np.asarray(to_si(f"1 {unit_text}", "rad")))
                except ParameterError:
                    pass
            raise OutputError(
                f'{self.where}: "{name}" has the unit "{unit_text}"; give a unit of '
                f"{'length' if unit == 'm' else 'time'} in brackets, for example "
                f'"{name} [{"mm" if unit == "m" else "ms"}]"'
            ) from error

    def _default_name(self, role: str) -> str:
        lower = {name.lower(): name for name in self.names}
        for name in DEFAULT_NAMES[role]:
            if name in lower:
                return lower[name]
        if len(self.names) == 3:
            return self.names[list(DEFAULT_NAMES).index(role)]
        words = f'{role} = "{(self.names or ["NAME"])[0]}"'
        raise OutputError(
            f"{self.where}: has {len(self.names)} columns ({', '.join(self.names[:12])}); give the column of the "
            f"{role}, for example {words}"
            + (", or the sample time if there are no times" if role == "time" else "")
        )

    def _find_name(self, role: str, wanted: str) -> str:
        if wanted in self.names:
            return wanted
        same = [name for name in self.names if name.lower() == wanted.lower()]
        if same:
            return same[0]
        if wanted.isdecimal() and 1 <= int(wanted) <= len(self.names):
            return self.names[int(wanted) - 1]
        raise UnknownNameError(f"column for the {role} in {self.where}", wanted, self.names)


def _flatten(node: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    """Return arrays by name; entries of a struct are prefixed by its name and a dot."""
    for name, value in node.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{at}{name}.")
        else:
            yield f"{at}{name}", value


def _netcdf(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    classic = _starts_with(path, b"CDF")

    def read() -> tuple[dict[str, Any], dict[str, str]]:
        with xr.open_dataset(path, engine="scipy" if classic else "h5netcdf", decode_times=False) as file:
            file.load()
            units = {str(name): str(array.attrs.get("units", "")) for name, array in file.variables.items()}
            return {str(name): array.values for name, array in file.variables.items()}, units

    return _read(path, read, "" if classic else READ_HDF)


def _mat(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    hdf = _starts_with(path, b"MATLAB 7.3")

    def read() -> tuple[dict[str, Any], dict[str, str]]:
        if hdf:
            import h5py

            with h5py.File(path, "r") as file:
                return _hdf(file), {}
        from scipy.io import loadmat

        with path.open("rb") as file:  # opened here, because SciPy does not close a file that it cannot read
            stored = loadmat(file, simplify_cells=True)
        return {name: value for name, value in stored.items() if not name.startswith("__")}, {}

    return _read(path, read, READ_HDF if hdf else READ_MAT)


def _starts_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _hdf(node: Any) -> dict[str, Any]:
    """Return the arrays of a MAT file of version 7.3, which stores matrices transposed and strings as numbers."""
    import h5py

    arrays: dict[str, Any] = {}
    for name, value in node.items():
        if isinstance(value, h5py.Group):
            arrays |= {} if name == "#refs#" else {name: _hdf(value)}
        elif value.attrs.get("MATLAB_class") not in (b"char", b"cell") and value.dtype.kind in "fiub":
            arrays[name] = np.asarray(value[()]).T
    return arrays


def _npz(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    from dovetail.core.arrays_file import read_arrays

    return dict(read_arrays(path, (), "recording")), {}


def _read(path: Path, read: Callable[[], T], trial: str) -> T:
    """Return the result of a reader; raise `OutputError` if the file cannot be read."""
    why = run_isolated(path, trial) if trial else ""
    if not why:
        try:
            return read()
        except Exception as error:  # the libraries that read such files raise many types of errors
            why = (str(error).splitlines() or [type(error).__name__])[0][:120]
    raise OutputError(f"{path}: is damaged or not a {path.suffix} file ({why})")

"""A recorded run, read back from its folder: the one reader for all that look at what was run.

Each file is read by itself, and all that is wrong is told at once: which file is missing, damaged or of another run,
and what the rest is still good for. `outcome.json` holds the checksums of the others, so that a bit that was lost, or a
file that was exchanged, is told and not taken for a measurement.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.core.errors import DovetailError, OutputError
from dovetail.core.isolated_read import tried
from dovetail.core.renamed import new_name, remark, section
from dovetail.testing.limit_monitor import MODES
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.pseudodynamic.journal import NAME as JOURNAL
from dovetail.testing.run import Run
from dovetail.testing.runnable import Runnable
from dovetail.testing.test_file import load

if TYPE_CHECKING:
    import xarray as xr

TEST, RESULT, OUTCOME, AFTERMATH = "test.toml", "result.nc", "outcome.json", "aftermath.nc"
TRY = """
import h5netcdf
with h5netcdf.File(sys.argv[1], "r") as file:
    for values in file.variables.values():
        values[...]
"""
OTHERS = "other_attributes"  # in which those are kept that a netCDF file cannot hold
SIGNALS = ("displacement", "measured_force")  # of a hybrid test, whatever its mode


def read(folder: str | Path) -> Run:
    """A saved run, with its test.

    Raises
    ------
    OutputError
        With every file that is missing or damaged, and what can be done with the others.
    """
    folder = Path(folder)
    if not any((folder / name).exists() for name in (RESULT, OUTCOME, JOURNAL)):
        raise OutputError(f"{folder}: holds no {RESULT}; give the folder that a run wrote, or a test")
    faults = renamed_files(folder)

    def part(name: str, reader: Callable[[Path], Any]) -> Any:
        try:
            return reader(folder / name)
        except DovetailError as error:
            faults[name] = str(error).replace(f"{folder / name}: ", "", 1)
            return None

    told = part(OUTCOME, outcome)
    sums = {} if told is None else told[2]
    test = part(TEST, lambda path: whole_test(path, sums))
    data = part(RESULT, lambda path: recording(path, sums))
    after = part(AFTERMATH, lambda path: recording(path, sums)) if (folder / AFTERMATH).exists() else None
    if AFTERMATH in sums and after is None and AFTERMATH not in faults:
        faults[AFTERMATH] = "is missing"
    if test is not None and data is not None and not {TEST, RESULT} <= set(sums):  # whose sums vouch for them
        fault = _of_another(test, data)
        if fault:
            faults[RESULT] = fault
    if faults:
        raise OutputError(_told(folder, faults))
    return Run(test, told[3] or data.attrs["mode"], data, told[0], told[1], after)


def renamed_files(folder: Path) -> dict[str, str]:
    """Return the files of a run folder that have a name from before a change of names, each with its remark."""
    return {
        old: remark(new)
        for old, new in section("files").items()
        if (folder / old).exists() and not (folder / new).exists()
    }


def recording(path: str | Path, sums: dict[str, str] | None = None) -> xr.Dataset:
    """The recording in a netCDF file, over `time`; `sums` are the checksums that its folder names.

    Raises
    ------
    OutputError
        If there is none, or it is damaged or no recording.
    """
    path = Path(path)
    _unchanged(path, sums or {})
    why = "" if path.name in (sums or {}) else tried(path, TRY)
    data, why = (None, why) if why else _opened(path)
    if data is None:
        raise OutputError(f"{path}: is damaged, or no recording ({why})")
    data = restored(data)
    if path.name in (sums or {}):  # it is what was saved, whatever that was
        return data
    times = data.coords.get("time")
    if times is None or times.dims != ("time",) or times.dtype.kind != "f" or not times.size:
        raise OutputError(f"{path}: is damaged: it has no times")
    if not (np.isfinite(times).all() and np.all(np.diff(times) > 0)):
        raise OutputError(f"{path}: is damaged: its times do not increase")
    if not isinstance(data.attrs.get("mode"), str):
        raise OutputError(f"{path}: is damaged: it does not say in which mode it was recorded")
    wrong = [str(name) for name, values in data.data_vars.items() if values.dtype.kind not in "fiub"]
    if wrong:
        raise OutputError(f"{path}: is damaged: {', '.join(wrong)} hold no numbers")
    return data


def _opened(path: Path) -> tuple[xr.Dataset | None, str]:
    """What is in a netCDF file; or None, and why."""
    from dovetail.core.light_xarray import xarray

    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None  # h5netcdf closes what it could not open
    try:
        with xarray.open_dataset(path, engine="h5netcdf") as stored:
            return stored.load(), ""
    except Exception as error:  # of many kinds: the netCDF and HDF5 libraries have no error of their own
        why = _short(error)
    finally:
        sys.unraisablehook = hook
    return None, why


def readings(folder: str | Path) -> xr.Dataset:
    """The recording of a run's folder, for a replay: what else is in the folder may be gone."""
    folder = Path(folder)
    try:
        sums = outcome(folder / OUTCOME)[2]
    except OutputError:
        sums = {}
    return recording(folder / RESULT, sums)


def storable(data: xr.Dataset) -> xr.Dataset:
    """A recording whose attributes a netCDF file can hold: what it cannot, such as None, is kept as JSON in one."""

    def kept(attributes: dict[Any, Any]) -> dict[str, Any]:
        plain = {str(key): value for key, value in attributes.items() if _plain(value)}
        others = {str(key): value for key, value in attributes.items() if not _plain(value)}
        return plain | ({OTHERS: json.dumps(others, default=str)} if others else {})

    data = data.copy()
    data.attrs = kept(data.attrs)
    for array in data.variables.values():
        array.attrs = kept(array.attrs)
    return data


def restored(data: xr.Dataset) -> xr.Dataset:
    """The recording that was made storable."""
    for attributes in (data.attrs, *(array.attrs for array in data.variables.values())):
        if OTHERS in attributes:
            try:
                attributes |= dict(json.loads(attributes.pop(OTHERS)))
            except (ValueError, TypeError, RecursionError):
                continue  # of another, who calls something so
    return data


def _plain(value: Any) -> bool:
    """Whether a netCDF attribute can be this."""
    if isinstance(value, list | tuple):
        return bool(value) and all(_plain(v) and not isinstance(v, list | tuple | np.ndarray) for v in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiu" and value.ndim == 1 and value.size > 0
    return isinstance(value, str | int | float | np.number) and not isinstance(value, bool | np.bool_)


def outcome(path: Path) -> tuple[Outcome, Trip | None, dict[str, str], str]:
    """How a run ended, what it met, the checksums of the files beside it, and its mode where that is said."""
    try:
        table = json.loads(_bytes(path))
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{path}: is damaged ({_short(error)})") from error
    table = table if isinstance(table, dict) else {}
    name, trip, sums = table.get("outcome"), table.get("trip"), table.get("sha256", {})
    mode = table.get("mode", "")
    if not isinstance(name, str) or name not in Outcome.__members__:
        if new := new_name("outcomes", str(name)):
            raise OutputError(f'{path}: outcome "{name}": {remark(new)}')
        raise OutputError(f"{path}: is damaged: it names no outcome")
    if not isinstance(sums, dict) or not all(isinstance(value, str) for value in sums.values()):
        raise OutputError(f"{path}: is damaged: its checksums are no table of words")
    if not isinstance(mode, str):
        raise OutputError(f"{path}: is damaged: its mode is no word")
    if mode not in MODES and (new := new_name("modes", mode)):
        raise OutputError(f'{path}: mode "{mode}": {remark(new)}')
    return Outcome[name], None if trip is None else _trip(path, trip), sums, mode


def _trip(path: Path, table: Any) -> Trip:
    words, fields = ("signal", "unit"), [field.name for field in dataclasses.fields(Trip)]
    right = isinstance(table, dict) and set(table) == set(fields)
    right = right and all(isinstance(table[name], str) for name in words)
    numbers = [table[name] for name in fields if name not in words] if right else [None]
    if not all(isinstance(v, float) or (type(v) is int and abs(v) < 2**53) for v in numbers):
        raise OutputError(f"{path}: is damaged: what tripped is not {', '.join(fields)}")
    return Trip(**table)


def whole_test(path: Path, sums: dict[str, str]) -> Runnable:
    """The test of a folder."""
    _unchanged(path, sums)
    test = load(path)
    if not isinstance(test, Runnable):
        raise OutputError(f"{path}: is a {type(test).__name__}, of which there is no run")
    return test


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unchanged(path: Path, sums: dict[str, str]) -> None:
    _bytes(path, 1)
    if path.name in sums and checksum(path) != sums[path.name]:
        raise OutputError(
            f"{path}: is not the one that the run wrote (its checksum is another): damaged, or exchanged. If you "
            f"changed it on purpose, take its line out of {OUTCOME}"
        )


def _bytes(path: Path, most: int = -1) -> bytes:
    """What a file begins with."""
    try:
        with path.open("rb") as file:
            return file.read(most)
    except FileNotFoundError as error:
        raise OutputError(f"{path}: is missing") from error
    except OSError as error:
        raise OutputError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from error


def _of_another(test: Runnable, data: xr.Dataset) -> str:
    """Why a recording cannot be of a test; nothing if it can."""
    if test.rig is None:
        return ""
    missing = [name for name in SIGNALS if name not in data]
    if missing:
        return f"is damaged, or of another test: it lacks {', '.join(missing)}"
    axes, recorded = math.prod(test.shape), data.sizes.get("axis", 1)
    return "" if axes == recorded else f"is of another test: it has {recorded} axes, {TEST} {axes}"


def _told(folder: Path, faults: dict[str, str]) -> str:
    """All faults, and what the folder is still good for."""
    lines = [f"{folder}: the run cannot be shown"]
    for name, text in faults.items():
        lines += [
            f"  {name}: {line}" if i == 0 else f"    {line}" for i, line in enumerate(text.splitlines())
        ]
    sound = [name for name in (TEST, RESULT) if name not in faults]
    if RESULT in sound:
        again = f"dovetail run TEST --mode replay --recording {folder}"
        lines.append(f"  {RESULT} is whole: open it with xarray, or replay it with {again}")
    if TEST in sound:
        lines.append(f"  {TEST} is whole: run it again with dovetail run {folder / TEST}")
    if (folder / JOURNAL).is_file():
        lines.append(f"  the journal of its moves is there: dovetail run TEST --mode creep --resume {folder}")
    if (folder / "report.html").is_file():
        lines.append("  the report that was written with it is there: report.html")
    return "\n".join(lines)


def _short(error: BaseException) -> str:
    return str(error).splitlines()[0][:120] if str(error).strip() else type(error).__name__

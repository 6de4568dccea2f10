"""Reader of run folders.

Each file is read separately, and all faults are reported at once: missing or damaged files, files of another run, and
what the other files can still be used for. `outcome.json` contains the checksums of the other files, so that damaged
or replaced files are detected.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core import plain_file
from dovetail.core.errors import DovetailError, OutputError, reason
from dovetail.core.isolated_read import run_isolated
from dovetail.core.recording import Recording
from dovetail.core.recording_file import UNFINISHED, is_classic, read_recording
from dovetail.core.renamed import new_name, remark, section
from dovetail.testing.memory_estimate import available_memory
from dovetail.testing.modes import all_modes
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.pseudodynamic.journal import NAME as JOURNAL
from dovetail.testing.record_store import load as load_recording
from dovetail.testing.run import Run
from dovetail.testing.test import Test
from dovetail.testing.test_file import load

TEST, RESULT, OUTCOME, RETURN_TO_REST = "test.toml", "result.nc", "outcome.json", "return_to_rest.nc"
MAX_OUTCOME = 2**20  # [B] of `outcome.json`
READ_PROGRAM = """
import h5netcdf, math
with h5netcdf.File(sys.argv[1], "r") as file:
    size = sum(math.prod(values.shape) * values.dtype.itemsize for values in file.variables.values())
    if size > float(sys.argv[3]):
        raise MemoryError(f"it declares {size:.3g} bytes, {float(sys.argv[3]):.3g} are available")
    for values in file.variables.values():
        values[...]
"""
SIGNALS = ("displacement", "measured_force")  # signals of a hybrid test in every mode


def read_run(folder: str | Path) -> Run:
    """Return a saved run with its test.

    Raises
    ------
    OutputError
        With all missing or damaged files, and what can be done with the others.
    """
    folder = Path(folder)
    if not any((folder / name).exists() for name in (RESULT, OUTCOME, JOURNAL)):
        raise OutputError(f"{folder}: contains no {RESULT}; give a run folder or a test")
    faults = renamed_files(folder)

    def part(name: str, reader: Callable[[Path], Any]) -> Any:
        try:
            return reader(folder / name)
        except DovetailError as error:
            faults[name] = str(error).replace(f"{folder / name}: ", "", 1)
            return None

    is_ended = (folder / OUTCOME).exists()
    stored = part(OUTCOME, outcome) if is_ended else (Outcome.UNFINISHED, None, {}, "")
    sums = {} if stored is None else stored[2]
    test = part(TEST, lambda path: read_test(path, sums))
    data = part(RESULT, lambda path: recording(path, sums, test))
    if not is_ended and not (data is not None and UNFINISHED in data.attrs):
        faults[OUTCOME] = "is missing"
    after = (
        part(RETURN_TO_REST, lambda path: recording(path, sums))
        if (folder / RETURN_TO_REST).exists()
        else None
    )
    if RETURN_TO_REST in sums and after is None and RETURN_TO_REST not in faults:
        faults[RETURN_TO_REST] = "is missing"
    if (
        test is not None and data is not None and not {TEST, RESULT} <= set(sums)
    ):  # no checksums to identify them
        fault = _mismatch(test, data)
        if fault:
            faults[RESULT] = fault
    if faults:
        raise OutputError(_message(folder, faults))
    known = {name: value for name, value in data.attrs.items() if name != UNFINISHED}
    data = dataclasses.replace(data, attrs=known)
    return Run(test, stored[3] or data.attrs["mode"], data, stored[0], stored[1], after)


def renamed_files(folder: Path) -> dict[str, str]:
    """Return the files of a run folder that have an old name, each with a remark on the new name."""
    return {
        old: remark(new)
        for old, new in section("files").items()
        if (folder / old).exists() and not (folder / new).exists()
    }


def recording(path: str | Path, sums: dict[str, str] | None = None, test: Test | None = None) -> Recording:
    """Return the recording in a netCDF file, over `time`; `sums` are the checksums of its folder.

    If the file is large and the `test` is given, every n-th sample is returned (`record_store.load`).

    Raises
    ------
    OutputError
        If the file does not exist, is damaged or is not a recording.
    """
    path = Path(path)
    _check_checksum(path, sums or {})
    is_safe = path.name in (sums or {}) or is_classic(path)
    why = "" if is_safe else run_isolated(path, READ_PROGRAM, f"{available_memory():.0f}")
    data, why = (None, why) if why else _open(path, test)
    if data is None:
        raise OutputError(f"{path}: is damaged or not a recording ({why})")
    if path.name in (sums or {}):  # the checksum is correct, so no further checks are needed
        return data
    times = data.coords.get("time")
    if times is None or times.dims != ("time",) or times.values.dtype.kind != "f" or not times.size:
        raise OutputError(f"{path}: is damaged: it has no time coordinate")
    if not (np.isfinite(times.values).all() and np.all(np.diff(times.values) > 0)):
        raise OutputError(f"{path}: is damaged: its times are not increasing")
    if not isinstance(data.attrs.get("mode"), str):
        raise OutputError(f'{path}: is damaged: the attribute "mode" is missing')
    wrong = [name for name, signal in data.signals.items() if signal.values.dtype.kind not in "fiub"]
    if wrong:
        raise OutputError(f"{path}: is damaged: no numbers in {', '.join(wrong)}")
    return data


def _open(path: Path, test: Test | None) -> tuple[Recording | None, str]:
    """Return the contents of a netCDF file, or None and the reason."""
    hook, sys.unraisablehook = (
        sys.unraisablehook,
        lambda _: None,
    )  # h5netcdf fails to close a file that it could not open
    try:
        if test is not None and is_classic(path):
            return load_recording(path, test), ""
        return read_recording(path, available_memory()), ""
    except Exception as error:  # the netCDF and HDF5 libraries raise many types of errors
        why = _short(error)
    finally:
        sys.unraisablehook = hook
    return None, why


def readings(folder: str | Path) -> Recording:
    """Return the recording of a run folder for a replay; other files of the folder may be missing."""
    folder = Path(folder)
    try:
        sums = outcome(folder / OUTCOME)[2]
    except OutputError:
        sums = {}
    return recording(folder / RESULT, sums)


def outcome(path: Path) -> tuple[Outcome, Trip | None, dict[str, str], str]:
    """Return outcome, trip, checksums of the other files, and mode (empty if missing)."""
    try:
        with _read_errors(path):
            table = json.loads(plain_file.read(path, MAX_OUTCOME))
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{path}: is damaged ({_short(error)})") from error
    table = table if isinstance(table, dict) else {}
    name, trip, sums = table.get("outcome"), table.get("trip"), table.get("sha256", {})
    mode = table.get("mode", "")
    if not isinstance(name, str) or name not in Outcome.__members__:
        if new := new_name("outcomes", str(name)):
            raise OutputError(f'{path}: outcome "{name}": {remark(new)}')
        raise OutputError(f"{path}: is damaged: the outcome is missing or unknown")
    if not isinstance(sums, dict) or not all(isinstance(value, str) for value in sums.values()):
        raise OutputError(f"{path}: is damaged: sha256 is not a table of strings")
    if not isinstance(mode, str):
        raise OutputError(f"{path}: is damaged: mode is not a string")
    if mode not in all_modes() and (new := new_name("modes", mode)):
        raise OutputError(f'{path}: mode "{mode}": {remark(new)}')
    return Outcome[name], None if trip is None else _trip(path, trip), sums, mode


def _trip(path: Path, table: Any) -> Trip:
    words, fields = ("signal", "unit"), [field.name for field in dataclasses.fields(Trip)]
    right = isinstance(table, dict) and set(table) == set(fields)
    right = right and all(isinstance(table[name], str) for name in words)
    numbers = [table[name] for name in fields if name not in words] if right else [None]
    if not all(isinstance(v, float) or (type(v) is int and abs(v) < 2**53) for v in numbers):
        raise OutputError(f"{path}: is damaged: trip does not contain {', '.join(fields)}")
    return Trip(**table)


def read_test(path: Path, sums: dict[str, str]) -> Test:
    """Return the test of a run folder."""
    _check_checksum(path, sums)
    test = load(path)
    if not isinstance(test, Test):
        raise OutputError(f"{path}: is a {type(test).__name__}, not a test")
    return test


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with plain_file.open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_checksum(path: Path, sums: dict[str, str]) -> None:
    with _read_errors(path):
        plain_file.open_plain(path).close()
    if path.name in sums and checksum(path) != sums[path.name]:
        raise OutputError(
            f"{path}: its checksum differs from that of the run: damaged or replaced. If you changed it on purpose, "
            f"remove its line from {OUTCOME}"
        )


@contextmanager
def _read_errors(path: Path) -> Iterator[None]:
    """Raise errors of the system as `OutputError`."""
    try:
        yield
    except FileNotFoundError as error:
        raise OutputError(f"{path}: is missing") from error
    except OSError as error:
        raise OutputError(f"{path}: cannot be read ({reason(error)})") from error


def _mismatch(test: Test, data: Recording) -> str:
    """Return why a recording cannot belong to a test, or an empty string."""
    if test.rig is None:
        return ""
    missing = [name for name in SIGNALS if name not in data]
    if missing:
        return f"is damaged or of another test: {', '.join(missing)} missing"
    axes, recorded = math.prod(test.shape), data.sizes.get("axis", 1)
    return "" if axes == recorded else f"is of another test: it has {recorded} axes, {TEST} has {axes}"


def _message(folder: Path, faults: dict[str, str]) -> str:
    """Return a message with all faults and the files that can still be used."""
    lines = [f"{folder}: the run cannot be read"]
    for name, text in faults.items():
        lines += [
            f"  {name}: {line}" if i == 0 else f"    {line}" for i, line in enumerate(text.splitlines())
        ]
    sound = [name for name in (TEST, RESULT) if name not in faults]
    if RESULT in sound:
        again = f"dovetail run TEST --mode replay --recording {folder}"
        lines.append(f"  {RESULT} is valid: open it with xarray, or replay it with {again}")
    if TEST in sound:
        lines.append(f"  {TEST} is valid: run it again with dovetail run {folder / TEST}")
    if (folder / JOURNAL).is_file():
        lines.append(
            f"  {JOURNAL} exists: continue with dovetail run TEST --mode pseudodynamic --resume {folder}"
        )
    if (folder / "report.html").is_file():
        lines.append("  report.html exists: open it in a browser")
    return "\n".join(lines)


def _short(error: BaseException) -> str:
    return str(error).splitlines()[0][:120] if str(error).strip() else type(error).__name__

"""Measured traces of a user's own: read with their units, checked, smoothed, differentiated.

A file is CSV with one header line; each column is a signal with its unit, `force [N]`, `displacement [um]`.
What a dataset of a run has, this has afterwards: SI units, one time base.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import scipy
import xarray as xr

from dovetail.core.errors import AnalysisError, OutputError, ParameterError
from dovetail.core.signals import known
from dovetail.core.units import to_si

HEADER = re.compile(r"^\s*(?P<name>\w+)\s*\[(?P<unit>[^\]]+)\]\s*$")
SPREAD = 0.01  # of the mean step, by which steps may differ before a record counts as having gaps


def read_traces(path: str | Path) -> xr.Dataset:
    """Traces of a CSV file as a dataset over time, in SI units.

    Raises
    ------
    OutputError
        If the file cannot be read.
    ParameterError
        With all that is wrong: columns without unit, a unit of another kind than the signal's, gaps, values
        that are no numbers.
    """
    path = Path(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            rows = [row for row in csv.reader(stream) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise OutputError(f"{path}: cannot be read ({error}); give a CSV file of traces") from error
    if len(rows) < 3:
        raise ParameterError(f"{path.name}: {len(rows)} lines; needs a header and at least two samples")
    faults: list[str] = []
    columns = [_column(cell, faults) for cell in rows[0]]
    values = _values(rows[1:], len(columns), faults)
    if faults:
        raise ParameterError(_told(path, faults))
    scales = [_scale(name, unit, faults) for name, unit in columns]
    traces = {
        name: scale * column for (name, _), scale, column in zip(columns, scales, values.T, strict=True)
    }
    time = traces.pop("time", None)
    if time is None:
        faults.append('no column "time [s]"')
    else:
        faults += [] if faults else _gaps(time)
    if faults or time is None:
        raise ParameterError(_told(path, faults))
    table = known()
    variables = {
        name: ("time", trace, {"units": table[name].unit, "long_name": table[name].label})
        for name, trace in traces.items()
    }
    return xr.Dataset(variables, {"time": time})


def smoothed(trace: xr.DataArray, window: float, *, derivative: bool = False) -> xr.DataArray:
    """A trace, or its rate, by local cubics over a window [s] (Savitzky and Golay): no phase, peaks kept.

    The peak of a half-sine of duration T loses less than 1 % while the window is below T/3.
    """
    step = float(np.mean(np.diff(trace.time)))
    count = max(5, 2 * round(window / step / 2) + 1)
    if count >= trace.sizes["time"]:
        raise AnalysisError(
            f"a window of {window:g} s is longer than the record of {step * trace.sizes['time']:g} s"
        )
    values = scipy.signal.savgol_filter(trace.values, count, 3, deriv=int(derivative), delta=step)
    return trace.copy(data=values)


def _column(cell: str, faults: list[str]) -> tuple[str, str]:
    match = HEADER.match(cell)
    if match is None:
        faults.append(f'column "{cell.strip()}" names no unit; write it as "force [N]"')
        return cell.strip(), "1"
    if match["name"] not in known():
        faults.append(f'column "{match["name"]}" is no known signal, as time, force, displacement, depth are')
    return match["name"], match["unit"]


def _values(rows: list[list[str]], count: int, faults: list[str]) -> np.ndarray:
    values = np.full((len(rows), count), np.nan)
    for i, row in enumerate(rows):
        try:
            values[i] = [float(cell) for cell in row]
        except ValueError:
            faults.append(f"line {i + 2}: {','.join(row)[:40]!r} is not {count} numbers")
            break
    if not faults and not np.isfinite(values).all():
        line = int(np.argmin(np.isfinite(values).all(1))) + 2
        faults.append(f"line {line}: a value is missing or not finite; fill the gap or cut the record there")
    return values


def _scale(name: str, unit: str, faults: list[str]) -> float:
    """How many SI units one of a column's is."""
    try:
        return float(to_si(f"1 {unit}", known()[name].unit))
    except ValueError as error:
        faults.append(f'column "{name}": {error}')
        return float("nan")


def _gaps(time: np.ndarray) -> list[str]:
    steps = np.diff(time)
    middle = float(np.median(steps))
    if np.any(steps <= 0):
        return [f"time does not rise at sample {int(np.argmax(steps <= 0)) + 1}"]
    wide = np.abs(steps - middle) > SPREAD * middle
    if wide.any():
        at = int(np.argmax(wide))
        return [
            f"a gap at t = {time[at]:g} s: {steps[at]:.3g} s where the others are {middle:.3g} s; "
            "cut the record there or fill it"
        ]
    return []


def _told(path: Path, faults: list[str]) -> str:
    return f"{path.name}: {len(faults)} problem{'s' if len(faults) > 1 else ''}\n  " + "\n  ".join(faults)

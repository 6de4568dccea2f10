"""Read measured signals from CSV files: units, checks, smoothing, differentiation.

A file has one header line; each column is a signal with its unit, for example `measured_force [N]` or
`displacement [um]`. The result has SI units and one time base, like the dataset of a run.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import scipy
import xarray as xr

from dovetail.core.errors import AnalysisError, OutputError, ParameterError
from dovetail.core.signals import all_signals
from dovetail.core.units import to_si

HEADER = re.compile(r"^\s*(?P<name>\w+)\s*\[(?P<unit>[^\]]+)\]\s*$")
MAX_STEP_DEVIATION = (
    0.01  # largest deviation of a time step, as a fraction of the median step; beyond it the record has a gap
)


def read_traces(path: str | Path) -> xr.Dataset:
    """Return the signals of a CSV file as a dataset over time, in SI units.

    Raises
    ------
    OutputError
        If the file cannot be read.
    ParameterError
        With all faults: columns without unit, wrong units, gaps, values that are not numbers.
    """
    path = Path(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            rows = [row for row in csv.reader(stream) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise OutputError(f"{path}: cannot be read ({error}); expected a CSV file of signals") from error
    if len(rows) < 3:
        raise ParameterError(
            f"{path.name}: got {len(rows)} lines; expected a header and at least two samples"
        )
    faults: list[str] = []
    columns = [_column(cell, faults) for cell in rows[0]]
    values = _values(rows[1:], len(columns), faults)
    if faults:
        raise ParameterError(_fault_list(path, faults))
    scales = [_scale(name, unit, faults) for name, unit in columns]
    traces = {
        name: scale * column for (name, _), scale, column in zip(columns, scales, values.T, strict=True)
    }
    time = traces.pop("time", None)
    if time is None:
        faults.append('no time column; add a column "time [s]"')
    else:
        faults += [] if faults else _gaps(time)
    if faults or time is None:
        raise ParameterError(_fault_list(path, faults))
    table = all_signals()
    variables = {
        name: ("time", trace, {"units": table[name].unit, "long_name": table[name].label})
        for name, trace in traces.items()
    }
    return xr.Dataset(variables, {"time": time})


def smooth(trace: xr.DataArray, window: float, *, derivative: bool = False) -> xr.DataArray:
    """Return a signal or its rate, smoothed by local cubics over a window [s] (Savitzky and Golay), zero phase.

    The peak of a half-sine of duration T decreases by less than 1 % if the window is below T/3.
    """
    step = float(np.mean(np.diff(trace.time)))
    count = max(5, 2 * round(window / step / 2) + 1)
    if count >= trace.sizes["time"]:
        raise AnalysisError(
            f"window: got {window:g} s, longer than the record of {step * trace.sizes['time']:g} s; shorten it"
        )
    values = scipy.signal.savgol_filter(trace.values, count, 3, deriv=int(derivative), delta=step)
    return trace.copy(data=values)


def _column(cell: str, faults: list[str]) -> tuple[str, str]:
    match = HEADER.match(cell)
    if match is None:
        faults.append(f'column "{cell.strip()}" has no unit; write it as "measured_force [N]"')
        return cell.strip(), "1"
    if match["name"] not in all_signals():
        faults.append(
            f'column "{match["name"]}" is not a known signal; use for example time, measured_force or displacement'
        )
    return match["name"], match["unit"]


def _values(rows: list[list[str]], count: int, faults: list[str]) -> np.ndarray:
    values = np.full((len(rows), count), np.nan)
    for i, row in enumerate(rows):
        try:
            values[i] = [float(cell) for cell in row]
        except ValueError:
            faults.append(f"line {i + 2}: {','.join(row)[:40]!r} does not have {count} numbers")
            break
    if not faults and not np.isfinite(values).all():
        line = int(np.argmin(np.isfinite(values).all(1))) + 2
        faults.append(f"line {line}: a value is missing or not finite; fill the gap or cut the record there")
    return values


def _scale(name: str, unit: str, faults: list[str]) -> float:
    """Return the factor from the unit of a column to SI."""
    try:
        return float(to_si(f"1 {unit}", all_signals()[name].unit))
    except ValueError as error:
        faults.append(f'column "{name}": {error}')
        return float("nan")


def _gaps(time: np.ndarray) -> list[str]:
    steps = np.diff(time)
    middle = float(np.median(steps))
    if np.any(steps <= 0):
        return [f"time does not increase at sample {int(np.argmax(steps <= 0)) + 1}; sort the samples"]
    wide = np.abs(steps - middle) > MAX_STEP_DEVIATION * middle
    if wide.any():
        at = int(np.argmax(wide))
        return [
            f"gap at t = {time[at]:g} s: step {steps[at]:.3g} s, median step {middle:.3g} s; "
            "cut the record there or fill it"
        ]
    return []


def _fault_list(path: Path, faults: list[str]) -> str:
    return f"{path.name}: {len(faults)} problem{'s' if len(faults) > 1 else ''}\n  " + "\n  ".join(faults)

"""Files of recorded ground accelerations: PEER format and tables of numbers.

Tables are read by `dovetail.core.table_file`. Information that the file does not contain must be given: the column if
there are several, an unknown unit, missing times.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dovetail.core.errors import OutputError
from dovetail.core.table_file import AUTO, SEPARATORS, TableFile, is_number, read_lines

__all__ = ["AUTO", "SEPARATORS", "UNITS", "G", "read_record"]

G = 9.80665  # [m/s^2] standard gravity
UNITS = {"m/s2": 1.0, "cm/s2": 0.01, "mm/s2": 0.001, "g": G}  # [m/s^2]
TIMES = {"s": 1.0, "sec": 1.0, "ms": 1e-3}  # [s]


def read_record(
    path: str | Path, column: str = "", unit: str = AUTO, separator: str = AUTO, sample_time: float = 0.0
) -> tuple[float, float, np.ndarray]:
    """Return time of the first sample [s], sample time [s] and accelerations [m/s^2] of a record.

    `.at2`: the PEER ground-motion format, with three lines of text, a line with `NPTS=` and `DT=`, then accelerations
    from 0 s on, in g unless `unit` is given. Other files: a table with times [s] in the first column, or without times
    if the `sample_time` [s] of the samples is given. `column` is the column of the accelerations, as a number counted
    from 1 or a heading; it is optional if there is only one. The unit is that of the heading, `NS [g]`, or m/s^2.

    Raises
    ------
    OutputError
        If the file cannot be read, does not have the expected format, or needs a column, unit or sample time.
    """
    path = Path(path)
    lines = read_lines(path, "ground motion file")
    if path.suffix.lower() == ".at2":
        if column or separator != AUTO or sample_time:
            raise OutputError(f"{path}: is a PEER record; remove column, separator and sample_time")
        return _at2(path, lines, unit)
    return _table(
        TableFile(path, lines, separator, "a time [s] and an acceleration"), column, unit, float(sample_time)
    )


def _at2(path: Path, lines: list[str], unit: str) -> tuple[float, float, np.ndarray]:
    # "NPTS= 5372, DT= .0100 SEC", or the older "5372 0.0100 NPTS, DT"
    header = lines[3].replace(",", " ").replace("=", " ").split() if len(lines) > 4 else []
    numbers = [word for word in header if is_number(word)]
    try:
        count, sample_time = int(numbers[0]), float(numbers[1])
        values = np.array([float(word) for line in lines[4:] for word in line.split()])
    except (ValueError, IndexError) as error:
        raise OutputError(
            f"{path}: is not a PEER record; line 4 must contain NPTS and DT, followed by numbers"
        ) from error
    if len(values) < count or sample_time <= 0 or not np.isfinite(values).all():
        raise OutputError(
            f"{path}: its header has {count} samples every {sample_time:g} s, but the file contains "
            f"{len(values)} values; it is incomplete"
        )
    return 0.0, sample_time, UNITS.get(unit, G) * values[:count]


def _table(file: TableFile, column: str, unit: str, sample_time: float) -> tuple[float, float, np.ndarray]:
    path = file.path
    index = _column(file, column, timed=not sample_time) if file.width else 0
    table = file.columns((index,) if sample_time else (0, index))
    if len(table) < 2:
        raise OutputError(f"{path}: has {len(table)} samples; a record needs at least two")
    values = table[:, -1] * (UNITS[unit] if unit != AUTO else _factor(file, index, UNITS))
    if sample_time:
        return 0.0, sample_time, values
    times = table[:, 0] * _factor(file, 0, TIMES)
    steps = np.diff(times)
    if steps.min() <= 0 or np.ptp(steps) > 1e-3 * steps.mean():
        raise OutputError(
            f"{path}: time steps vary from {steps.min():g} to {steps.max():g} s; equal steps are needed. For a file "
            "without times give the sample time [s], for example sample_time = 0.01"
        )
    return float(times[0]), float(steps.mean()), values


def _column(file: TableFile, column: str, timed: bool) -> int:
    """Return the index of the column of the accelerations."""
    path, width, first = file.path, file.width, 1 if timed else 0
    if not column:
        if width == first + 1:
            return first
        if width <= first:
            raise OutputError(
                f"{path}: has one column; give the sample time [s], for example "
                "sample_time = 0.01, or a file with times"
            )
        raise OutputError(
            f"{path}: has {width} columns ({file.column_names}); give the column of the accelerations, for example "
            f'column = {first + 1}, or the separator, for example separator = "space" for one number with a decimal '
            "comma"
        )
    index = file.column_index(column)
    if index < first:
        raise OutputError(
            f'{path}: got column "{column}"; the columns are {file.column_names}; give a heading or a number from '
            f"{first + 1} to {width}"
        )
    return index


def _factor(file: TableFile, index: int, units: dict[str, float]) -> float:
    """Return the factor from the unit in a heading to SI; 1 if the heading has no unit."""
    text = file.names[index][1] if file.names else ""
    unit = text.lower().replace("²", "2").replace("^", "").replace("**", "").replace(" ", "")
    unit = "cm/s2" if unit == "gal" else unit
    if unit and unit not in units:
        raise OutputError(
            f'{file.path}: column "{file.names[index][0]}" has the unit "{text}"; known units: {", ".join(units)}'
            + ("; give one as unit" if units is UNITS else "")
        )
    return units.get(unit, 1.0)

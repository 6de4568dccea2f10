"""Files of recorded ground accelerations: PEER's, and tables of numbers as instruments and spreadsheets write them.

How a table is read is in `dovetail.core.table_file`. What cannot be told from the file is asked for, not guessed: which
of several columns, a unit that is not known, times that are not there.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dovetail.core.errors import OutputError
from dovetail.core.table_file import FOUND, SEPARATORS, TableFile, is_number, read_lines

__all__ = ["FOUND", "SEPARATORS", "UNITS", "G", "read_record"]

G = 9.80665  # [m/s^2] standard gravity
UNITS = {"m/s2": 1.0, "cm/s2": 0.01, "mm/s2": 0.001, "g": G}  # [m/s^2]
TIMES = {"s": 1.0, "sec": 1.0, "ms": 1e-3}  # [s]


def read_record(
    path: str | Path, column: str = "", unit: str = FOUND, separator: str = FOUND, spacing: float = 0.0
) -> tuple[float, float, np.ndarray]:
    """Time of the first sample [s], spacing [s] and accelerations [m/s^2] of a record.

    `.at2`: the PEER ground-motion format, three lines of text, a line with `NPTS=` and `DT=`, then accelerations from
    0 s on, in units of gravity unless `unit` says another. Anything else: a table, its times [s] in the first column,
    or without times where the `spacing` [s] of its samples is given. The `column` of the accelerations is named by
    its number, counted from 1, or by its heading; it need not be said where there is but one. Their unit is that of
    the heading, `NS [g]`, else m/s^2.

    Raises
    ------
    OutputError
        If the file cannot be read, is not what its name says, or leaves open what must be said.
    """
    path = Path(path)
    lines = read_lines(path, "the file of a ground motion")
    if path.suffix.lower() == ".at2":
        if column or separator != FOUND or spacing:
            raise OutputError(f"{path}: is a PEER record, which has no columns and names its own spacing")
        return _at2(path, lines, unit)
    return _table(
        TableFile(path, lines, separator, "a time [s] and an acceleration"), column, unit, float(spacing)
    )


def _at2(path: Path, lines: list[str], unit: str) -> tuple[float, float, np.ndarray]:
    # "NPTS= 5372, DT= .0100 SEC", or the older "5372 0.0100 NPTS, DT": the same two numbers in both
    header = lines[3].replace(",", " ").replace("=", " ").split() if len(lines) > 4 else []
    numbers = [word for word in header if is_number(word)]
    try:
        count, spacing = int(numbers[0]), float(numbers[1])
        values = np.array([float(word) for line in lines[4:] for word in line.split()])
    except (ValueError, IndexError) as error:
        raise OutputError(
            f"{path}: is not a PEER record; its fourth line gives NPTS and DT, and numbers follow"
        ) from error
    if len(values) < count or spacing <= 0 or not np.isfinite(values).all():
        raise OutputError(
            f"{path}: announces {count} samples every {spacing:g} s and holds {len(values)}; the file is cut"
        )
    return 0.0, spacing, UNITS.get(unit, G) * values[:count]


def _table(file: TableFile, column: str, unit: str, spacing: float) -> tuple[float, float, np.ndarray]:
    path = file.path
    at = _column(file, column, timed=not spacing) if file.width else 0
    table = file.columns((at,) if spacing else (0, at))
    if len(table) < 2:
        raise OutputError(f"{path}: holds {len(table)} samples; a record has two or more")
    values = table[:, -1] * (UNITS[unit] if unit != FOUND else _factor(file, at, UNITS))
    if spacing:
        return 0.0, spacing, values
    times = table[:, 0] * _factor(file, 0, TIMES)
    steps = np.diff(times)
    if steps.min() <= 0 or np.ptp(steps) > 1e-3 * steps.mean():
        raise OutputError(
            f"{path}: its times are {steps.min():g} to {steps.max():g} s apart; they must be equally spaced. A file "
            "without times needs the spacing of its samples, spacing = 0.01"
        )
    return float(times[0]), float(steps.mean()), values


def _column(file: TableFile, column: str, timed: bool) -> int:
    """The place of the accelerations."""
    path, width, least = file.path, file.width, 1 if timed else 0
    if not column:
        if width == least + 1:
            return least
        if width <= least:
            raise OutputError(
                f"{path}: has one column; give the spacing of its samples, spacing = 0.01, or a file with times"
            )
        raise OutputError(
            f"{path}: has {width} columns ({file.told}); say which holds the accelerations, column = {least + 1}, or "
            f'how they are separated, separator = "space" for one number with a decimal comma'
        )
    place = file.place(column)
    if not least <= place < width:
        raise OutputError(
            f'{path}: got column "{column}"; its columns are {file.told}, give a heading or a number from '
            f"{least + 1} to {width}"
        )
    return place


def _factor(file: TableFile, at: int, known: dict[str, float]) -> float:
    """What the unit in a heading is in SI; one where the heading says none."""
    said = file.names[at][1] if file.names else ""
    unit = said.lower().replace("²", "2").replace("^", "").replace("**", "").replace(" ", "")
    unit = "cm/s2" if unit == "gal" else unit
    if unit and unit not in known:
        raise OutputError(
            f'{file.path}: its column "{file.names[at][0]}" is in "{said}"; known: {", ".join(known)}'
            + ("; say it by unit" if known is UNITS else "")
        )
    return known.get(unit, 1.0)

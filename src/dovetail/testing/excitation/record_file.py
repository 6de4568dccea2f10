"""Files of recorded ground accelerations: PEER's, and tables of numbers as instruments and spreadsheets write them.

A table has a line for each sample and a column for each thing recorded. How its columns are separated is found from
its first line of numbers: the first of semicolon, tab, comma and space under which all of that line is numbers. Where
the comma does not separate columns it is the decimal comma. What cannot be told from the file is asked for, not
guessed: which of several columns, a unit that is not known, times that are not there.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import NoReturn

import numpy as np

from dovetail.core.errors import OutputError

G = 9.80665  # [m/s^2] standard gravity
FOUND = "found"  # a unit or a separator that is taken from the file
UNITS = {"m/s2": 1.0, "cm/s2": 0.01, "mm/s2": 0.001, "g": G}  # [m/s^2]
SEPARATORS = {
    "semicolon": ";",
    "tab": "\t",
    "comma": ",",
    "space": None,
}  # in the order in which they are tried
TIMES = {"s": 1.0, "sec": 1.0, "ms": 1e-3}  # [s]
COMMENT = ("#", "%", "!")
_UNIT = re.compile(r"^(.*?)\s*[\[(]([^\])]*)[\])]$")


def read_record(
    path: str | Path, column: str = "", unit: str = FOUND, separator: str = FOUND, spacing: float = 0.0
) -> tuple[float, float, np.ndarray]:
    """Time of the first sample [s], spacing [s] and accelerations [m/s^2] of a record.

    `.at2`: the PEER ground-motion format, three lines of text, a line with `NPTS=` and `DT=`, then accelerations from
    0 s on, in units of gravity unless `unit` says another. Anything else: a table, its times [s] in the first column,
    or without times where the `spacing` [s] of its samples is given. The `column` of the accelerations is named by
    its number, counted from 1, or by its heading; it need not be said where there is but one. Their unit is that of
    the heading, `NS [g]`, else m/s^2. Lines above the numbers that hold none are headings, the last that of the
    columns; lines that begin with #, % or ! are passed over, and so is a byte-order mark.

    Raises
    ------
    OutputError
        If the file cannot be read, is not what its name says, or leaves open what must be said.
    """
    path = Path(path)
    try:
        lines = path.read_text("utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"{path}: cannot be read ({reason}); give the file of a ground motion") from error
    if path.suffix.lower() == ".at2":
        if column or separator != FOUND or spacing:
            raise OutputError(f"{path}: is a PEER record, which has no columns and names its own spacing")
        return _at2(path, lines, unit)
    return _table(path, lines, column, unit, separator, float(spacing))


def _at2(path: Path, lines: list[str], unit: str) -> tuple[float, float, np.ndarray]:
    # "NPTS= 5372, DT= .0100 SEC", or the older "5372 0.0100 NPTS, DT": the same two numbers in both
    header = lines[3].replace(",", " ").replace("=", " ").split() if len(lines) > 4 else []
    numbers = [word for word in header if _is_number(word)]
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


def _table(
    path: Path, lines: list[str], column: str, unit: str, separator: str, spacing: float
) -> tuple[float, float, np.ndarray]:
    rows = [(i, line) for i, line in enumerate(lines, 1) if line.strip() and not _comment(line)]
    split, first = _layout(rows, separator)
    width = len(split(rows[first][1])) if first < len(rows) else 0
    names = _names(rows[first - 1][1], split, width) if 0 < first < len(rows) else []
    at = _column(path, column, names, width, timed=not spacing) if width else 0
    used = (at,) if spacing else (0, at)
    for number, line in rows[:first]:
        if any(_is_number(cell) for cell in split(line)):
            _refuse(path, number, line)
    table = np.empty((len(rows) - first, len(used)))
    for i, (number, line) in enumerate(rows[first:]):
        cells = split(line)
        if len(cells) <= max(used) or not all(_is_number(cells[k]) for k in used):
            _refuse(path, number, line)
        table[i] = [float(cells[k]) for k in used]
    if len(table) < 2:
        raise OutputError(f"{path}: holds {len(table)} samples; a record has two or more")
    values = table[:, -1] * (UNITS[unit] if unit != FOUND else _factor(path, names, at, UNITS))
    if spacing:
        return 0.0, spacing, values
    times = table[:, 0] * _factor(path, names, 0, TIMES)
    steps = np.diff(times)
    if steps.min() <= 0 or np.ptp(steps) > 1e-3 * steps.mean():
        raise OutputError(
            f"{path}: its times are {steps.min():g} to {steps.max():g} s apart; they must be equally spaced. A file "
            "without times needs the spacing of its samples, spacing = 0.01"
        )
    return float(times[0]), float(steps.mean()), values


def _layout(rows, separator: str):
    """How a line is split into cells, and the place of the first line of numbers alone."""
    mark: str | None
    tried = [separator] if separator != FOUND else list(SEPARATORS)
    for place, (_, line) in enumerate(rows):
        for name in tried:
            mark = SEPARATORS[name]
            if mark is not None and mark not in line and separator == FOUND:
                continue
            if (cells := _cells(line, mark)) and all(_is_number(cell) for cell in cells):
                return lambda text, mark=mark: _cells(text, mark), place
    mark = SEPARATORS[separator] if separator != FOUND else ","
    return lambda text: _cells(text, mark), len(rows)


def _cells(line: str, mark: str | None) -> list[str]:
    """What stands between the separators of a line, without those at its end; a decimal comma made a point."""
    cells = [cell.strip() for cell in line.strip().split(mark)]
    while cells and not cells[-1]:
        cells.pop()
    return cells if mark == "," else [cell.replace(",", ".") for cell in cells]


def _names(line: str, split, width: int) -> list[tuple[str, str]]:
    """Name and unit of each column by the heading; nothing where it has other columns than the numbers."""
    cells = split(re.sub(r"\s+(?=[\[(])", "", line))  # "NS [g]" is one word
    parts = [_UNIT.match(cell.strip("\"' ")) for cell in cells]
    names = [
        (m[1].strip(), m[2].strip()) if m else (c.strip("\"' "), "")
        for m, c in zip(parts, cells, strict=True)
    ]
    return names if len(names) == width else []


def _column(path: Path, column: str, names: list[tuple[str, str]], width: int, timed: bool) -> int:
    """The place of the accelerations."""
    least = 1 if timed else 0
    heads = [name for name, _ in names]
    told = ", ".join(heads) if heads else f"{width}"
    if not column:
        if width == least + 1:
            return least
        if width <= least:
            raise OutputError(
                f"{path}: has one column; give the spacing of its samples, spacing = 0.01, or a file with times"
            )
        raise OutputError(
            f"{path}: has {width} columns ({told}); say which holds the accelerations, column = {least + 1}, or "
            f'how they are separated, separator = "space" for one number with a decimal comma'
        )
    lower = [head.lower() for head in heads]
    place = lower.index(column.lower()) if column.lower() in lower else _whole(column) - 1
    if not least <= place < width:
        raise OutputError(
            f'{path}: got column "{column}"; its columns are {told}, give a heading or a number from '
            f"{least + 1} to {width}"
        )
    return place


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _factor(path: Path, names: list[tuple[str, str]], at: int, known: dict[str, float]) -> float:
    """What the unit in a heading is in SI; one where the heading says none."""
    said = names[at][1] if names else ""
    unit = said.lower().replace("²", "2").replace("^", "").replace("**", "").replace(" ", "")
    unit = "cm/s2" if unit == "gal" else unit
    if unit and unit not in known:
        raise OutputError(
            f'{path}: its column "{names[at][0]}" is in "{said}"; known: {", ".join(known)}'
            + ("; say it by unit" if known is UNITS else "")
        )
    return known.get(unit, 1.0)


def _refuse(path: Path, number: int, line: str) -> NoReturn:
    raise OutputError(f'{path}, line {number}: got "{line}"; needs a time [s] and an acceleration')


def _comment(line: str) -> bool:
    return line.lstrip().startswith(COMMENT)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False

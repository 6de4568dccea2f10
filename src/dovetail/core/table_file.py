"""Tables of numbers as instruments and spreadsheets write them: a line for each sample, a column for each signal.

How columns are separated is found from the first line of numbers: the first of semicolon, tab, comma and space under
which all of that line is numbers. Where the comma does not separate columns it is the decimal comma. Lines above the
numbers that hold none are headings, the last that of the columns, each with its unit where it has one, `NS [g]`; lines
that begin with #, % or ! are passed over, and so is a byte-order mark.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from dovetail.core.errors import OutputError

FOUND = "found"  # a unit or a separator that is taken from the file
SEPARATORS = {
    "semicolon": ";",
    "tab": "\t",
    "comma": ",",
    "space": None,
}  # in the order in which they are tried
COMMENT = ("#", "%", "!")
_UNIT = re.compile(r"^(.*?)\s*[\[(]([^\])]*)[\])]$")


class TableFile:
    """A text with a table of numbers; its columns have names and units where a heading says them."""

    def __init__(self, path: Path, lines: Sequence[str], separator: str = FOUND, needs: str = "numbers"):
        self.path, self.needs = path, needs
        self._rows = [(i, line) for i, line in enumerate(lines, 1) if line.strip() and not _comment(line)]
        self._split, self._first = _layout(self._rows, separator)
        there = self._first < len(self._rows)
        self.width = len(self._split(self._rows[self._first][1])) if there else 0
        head = self._rows[self._first - 1][1] if self._first and there else None
        self.names = _names(head, self._split, self.width) if head is not None else []

    def place(self, column: str) -> int:
        """The place of a column, counted from 0, by its heading or by its number, counted from 1; -1 of none."""
        heads = [name.lower() for name, _ in self.names]
        if column.lower() in heads:
            return heads.index(column.lower())
        number = int(column) if column.isdecimal() else 0
        return number - 1 if number <= self.width else -1

    @property
    def told(self) -> str:
        """Its columns, for a message."""
        return ", ".join(name for name, _ in self.names) if self.names else f"{self.width}"

    def columns(self, places: Sequence[int]) -> np.ndarray:
        """Numbers in some columns, (samples, columns); `OutputError` with the line at which there are none."""
        for number, line in self._rows[: self._first]:
            if any(is_number(cell) for cell in self._split(line)):
                self._refuse(number, line)
        table = np.empty((len(self._rows) - self._first, len(places)))
        for i, (number, line) in enumerate(self._rows[self._first :]):
            cells = self._split(line)
            if len(cells) <= max(places) or not all(is_number(cells[k]) for k in places):
                self._refuse(number, line)
            table[i] = [float(cells[k]) for k in places]
        return table

    def _refuse(self, number: int, line: str) -> NoReturn:
        raise OutputError(f'{self.path}, line {number}: got "{line}"; needs {self.needs}')


def read_lines(path: Path, what: str) -> list[str]:
    """The lines of a text; `OutputError` where it cannot be read, with `what` would be right."""
    try:
        return path.read_text("utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"{path}: cannot be read ({reason}); give {what}") from error


def parted(heading: str) -> tuple[str, str]:
    """Name and unit of a heading: `NS [g]` is NS in g; the unit is empty where there is none."""
    heading = heading.strip("\"' ")
    match = _UNIT.match(heading)
    return (match[1].strip(), match[2].strip()) if match else (heading, "")


def is_number(text: str) -> bool:
    """Whether a cell holds a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _layout(rows, separator: str):
    """How a line is split into cells, and the place of the first line of numbers alone."""
    mark: str | None
    tried = [separator] if separator != FOUND else list(SEPARATORS)
    for place, (_, line) in enumerate(rows):
        for name in tried:
            mark = SEPARATORS[name]
            if mark is not None and mark not in line and separator == FOUND:
                continue
            if (cells := _cells(line, mark)) and all(is_number(cell) for cell in cells):
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
    names = [parted(cell) for cell in cells]
    return names if len(names) == width else []


def _comment(line: str) -> bool:
    return line.lstrip().startswith(COMMENT)

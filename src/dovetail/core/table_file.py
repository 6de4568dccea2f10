"""Reader for tables of numbers in text files: one line for each sample, one column for each signal.

The separator is found from the first line of numbers: the first of semicolon, tab, comma and space that splits the
line into numbers only. If the comma is not the separator, it is the decimal comma. Lines without numbers above the
table are headings; the last of them names the columns, optionally with units, `NS [g]`. Lines that begin with #, % or !
and a byte-order mark are skipped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from dovetail.core import plain_file
from dovetail.core.errors import OutputError

MAX_SIZE = 2**30  # [B] of a text file
AUTO = "auto"  # unit or separator is taken from the file
SEPARATORS = {
    "semicolon": ";",
    "tab": "\t",
    "comma": ",",
    "space": None,
}  # in the order in which they are tried
COMMENT = ("#", "%", "!")
_UNIT = re.compile(r"^(.*?)\s*[\[(]([^\])]*)[\])]$")


class TableFile:
    """Text file with a table of numbers; columns have names and units if there is a heading."""

    def __init__(
        self, path: Path, lines: Sequence[str], separator: str = AUTO, needs: str = "numbers"
    ) -> None:
        self.path, self.needs = path, needs
        self._rows = [(i, line) for i, line in enumerate(lines, 1) if line.strip() and not _comment(line)]
        self._split, self._first = _layout(self._rows, separator)
        has_numbers = self._first < len(self._rows)
        self.width = len(self._split(self._rows[self._first][1])) if has_numbers else 0
        head = self._rows[self._first - 1][1] if self._first and has_numbers else None
        self.names = _names(head, self._split, self.width) if head is not None else []

    def column_index(self, column: str) -> int:
        """Return the index of a column, given by heading or by number from 1; -1 if there is none."""
        headings = [name.lower() for name, _ in self.names]
        if column.lower() in headings:
            return headings.index(column.lower())
        number = int(column) if column.isdecimal() else 0
        return number - 1 if number <= self.width else -1

    @property
    def column_names(self) -> str:
        """Names of the columns, or their number, for a message."""
        return ", ".join(name for name, _ in self.names) if self.names else f"{self.width}"

    def columns(self, indices: Sequence[int]) -> np.ndarray:
        """Return the numbers of some columns, (samples, columns); `OutputError` for a line without numbers."""
        for number, line in self._rows[: self._first]:
            if any(is_number(cell) for cell in self._split(line)):
                self._refuse(number, line)
        table = np.empty((len(self._rows) - self._first, len(indices)))
        for i, (number, line) in enumerate(self._rows[self._first :]):
            cells = self._split(line)
            if len(cells) <= max(indices) or not all(is_number(cells[k]) for k in indices):
                self._refuse(number, line)
            table[i] = [float(cells[k]) for k in indices]
        return table

    def _refuse(self, number: int, line: str) -> NoReturn:
        raise OutputError(f'{self.path}, line {number}: got "{line}"; needs {self.needs}')


def read_lines(path: Path, content: str) -> list[str]:
    """Return the lines of a text file; `OutputError` with the expected `content` if it cannot be read."""
    try:
        return plain_file.read(path, MAX_SIZE, follow=True).decode("utf-8-sig", "replace").splitlines()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"{path}: cannot be read ({reason}); give {content}") from error


def split_heading(heading: str) -> tuple[str, str]:
    """Return name and unit of a heading, for example NS and g of `NS [g]`; the unit may be empty."""
    heading = heading.strip("\"' ")
    match = _UNIT.match(heading)
    return (match[1].strip(), match[2].strip()) if match else (heading, "")


def is_number(text: str) -> bool:
    """Return whether a cell contains a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _layout(rows: Sequence[tuple[int, str]], separator: str) -> tuple[Callable[[str], list[str]], int]:
    """Return a function that splits a line into cells, and the index of the first line of numbers."""
    mark: str | None
    candidates = [separator] if separator != AUTO else list(SEPARATORS)
    for index, (_, line) in enumerate(rows):
        for name in candidates:
            mark = SEPARATORS[name]
            if mark is not None and mark not in line and separator == AUTO:
                continue
            if (cells := _cells(line, mark)) and all(is_number(cell) for cell in cells):
                return lambda text, mark=mark: _cells(text, mark), index
    mark = SEPARATORS[separator] if separator != AUTO else ","
    return lambda text: _cells(text, mark), len(rows)


def _cells(line: str, mark: str | None) -> list[str]:
    """Return the cells of a line, without empty ones at its end; a decimal comma becomes a point."""
    cells = [cell.strip() for cell in line.strip().split(mark)]
    while cells and not cells[-1]:
        cells.pop()
    return cells if mark == "," else [cell.replace(",", ".") for cell in cells]


def _names(line: str, split: Callable[[str], list[str]], width: int) -> list[tuple[str, str]]:
    """Return name and unit of each column from the heading; empty if its number of columns differs."""
    cells = split(re.sub(r"\s+(?=[\[(])", "", line))  # "NS [g]" is one word
    names = [split_heading(cell) for cell in cells]
    return names if len(names) == width else []


def _comment(line: str) -> bool:
    return line.lstrip().startswith(COMMENT)

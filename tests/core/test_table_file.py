"""Tables of numbers in text files: separators, decimal commas, headings with units, faulty lines."""

from pathlib import Path

import numpy as np
import pytest

from dovetail.core.errors import OutputError
from dovetail.core.table_file import SEPARATORS, TableFile, read_lines, split_heading

RNG = np.random.default_rng(24)


@pytest.mark.parametrize("mark", SEPARATORS)
@pytest.mark.parametrize("comma", [False, True])
def test_numbers_are_read_with_any_separator_and_decimal_mark(mark, comma):
    if mark == "comma" and comma:
        return  # 0,5,1,3 is ambiguous
    values = RNG.normal(size=(5, 3))
    separator = SEPARATORS[mark] or "  "
    lines = ["# a note", "station", separator.join(["t[s]", "x[mm]", "y"])]
    lines += [separator.join(f"{v:.17g}" for v in row) for row in values]
    table = TableFile(Path("r.txt"), [line.replace(".", ",") if comma else line for line in lines])
    assert table.names == [("t", "s"), ("x", "mm"), ("y", "")]
    np.testing.assert_array_equal(table.columns([2, 0]), values[:, [2, 0]])
    assert [table.column_index(word) for word in ("X", "2", "z", "4")] == [1, 1, -1, -1]


@pytest.mark.parametrize(
    ("heading", "expected"), [("NS [g]", ("NS", "g")), ('"x (mm)"', ("x", "mm")), ("plain", ("plain", ""))]
)
def test_a_heading_is_split_into_name_and_unit(heading, expected):
    assert split_heading(heading) == expected


def test_a_faulty_line_and_a_missing_file_are_rejected(tmp_path):
    table = TableFile(Path("r.csv"), ["1,2", "3,x"], needs="two numbers")
    with pytest.raises(OutputError, match='r.csv, line 2: got "3,x"; needs two numbers'):
        table.columns([0, 1])
    assert len(table.columns([0])) == 2
    with pytest.raises(
        OutputError, match=r"none.csv: cannot be read \(no such file or directory\); give a table"
    ):
        read_lines(tmp_path / "none.csv", "a table")

"""Tables of numbers in text: any separator, decimal commas, headings with units; a line that is none is told."""

from pathlib import Path

import numpy as np
import pytest

from dovetail.core.errors import OutputError
from dovetail.core.table_file import SEPARATORS, TableFile, parted, read_lines

RNG = np.random.default_rng(24)


@pytest.mark.parametrize("mark", SEPARATORS)
@pytest.mark.parametrize("comma", [False, True])
def test_numbers_come_back_whatever_the_separator_and_the_decimal_mark(mark, comma):
    if mark == "comma" and comma:
        return  # 0,5,1,3 could be anything
    values = RNG.normal(size=(5, 3))
    between = SEPARATORS[mark] or "  "
    lines = ["# a note", "station", between.join(["t[s]", "x[mm]", "y"])]
    lines += [between.join(f"{v:.17g}" for v in row) for row in values]
    table = TableFile(Path("r.txt"), [line.replace(".", ",") if comma else line for line in lines])
    assert table.names == [("t", "s"), ("x", "mm"), ("y", "")]
    np.testing.assert_array_equal(table.columns([2, 0]), values[:, [2, 0]])
    assert [table.place(word) for word in ("X", "2", "z", "4")] == [1, 1, -1, -1]


@pytest.mark.parametrize(
    ("heading", "expected"), [("NS [g]", ("NS", "g")), ('"x (mm)"', ("x", "mm")), ("plain", ("plain", ""))]
)
def test_a_heading_is_parted_into_name_and_unit(heading, expected):
    assert parted(heading) == expected


def test_a_line_that_is_none_and_a_file_that_is_not_there_are_told(tmp_path):
    table = TableFile(Path("r.csv"), ["1,2", "3,x"], needs="two numbers")
    with pytest.raises(OutputError, match='r.csv, line 2: got "3,x"; needs two numbers'):
        table.columns([0, 1])
    assert len(table.columns([0])) == 2
    with pytest.raises(
        OutputError, match=r"none.csv: cannot be read \(no such file or directory\); give a table"
    ):
        read_lines(tmp_path / "none.csv", "a table")

"""Files that ask for a map are read, checked and written back like tests."""

import pytest

from dovetail import testing
from dovetail.core.errors import TestFileError
from dovetail.studies.registry import find_test


def test_a_map_file_is_read_and_written_back():
    file = testing.load(find_test("docking/map"))
    assert isinstance(file, testing.MapFile)
    table = testing.dump(file)
    assert table["kind"] == "map"
    again = testing.parse(table)
    assert testing.dump(again) == table


def test_a_chart_may_find_fault_with_its_grid():
    with pytest.raises(TestFileError, match=r"map.height .* overlap of tip and wall: 14.4 mm"):
        testing.load(find_test("docking/map"), {"map.height": [0.0, 0.12]})


def test_an_unknown_map_kind_lists_the_known_ones():
    with pytest.raises(TestFileError, match='kind .* got "mapp"; .*test, map, cell'):
        testing.parse({"kind": "mapp"})

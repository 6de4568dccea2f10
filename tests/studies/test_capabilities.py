"""The capability list: what it says, and that only a test makes a capability work."""

import pytest

from dovetail.core.errors import UnknownNameError
from dovetail.studies import capabilities

COUNTS = {"SUB": 50, "DCK": 66, "DRG": 68, "ROP": 78, "SHP": 64}  # rows of the five specifications
STUDY = {"SUB": "substructuring", "DCK": "docking", "DRG": "refuelling", "ROP": "capture", "SHP": "shipboard"}


@pytest.mark.parametrize("prefix", COUNTS)
def test_every_row_of_a_specification_is_listed_once_in_order(prefix):
    rows = [row for row in capabilities() if row.id.startswith(prefix)]
    assert [row.id for row in rows] == [f"{prefix}-{i:02d}" for i in range(1, COUNTS[prefix] + 1)]
    assert {row.study for row in rows} == {STUDY[prefix]}
    assert all(row.text for row in rows)
    assert rows == capabilities(STUDY[prefix])


def test_nothing_else_is_listed():
    assert len(capabilities()) == sum(COUNTS.values())


def test_a_capability_works_only_when_a_test_proves_it(tmp_path):
    source = tmp_path / "capabilities.toml"
    row = '[[capability]]\nid = "SUB-01"\nstudy = "substructuring"\ncore = true\ntext = "loops"\ntests = {}\n'
    source.write_text(row.format("[]"))
    assert capabilities(source=source)[0].record() == {
        "id": "SUB-01",
        "study": "substructuring",
        "core": True,
        "text": "loops",
        "works": False,
        "tests": [],
    }
    source.write_text(row.format('["tests/a/test_b.py::test_c"]'))
    assert capabilities(source=source)[0].works


def test_an_unknown_study_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match='no study "dokking"; did you mean "docking"'):
        capabilities("dokking")

"""One CS1 under two knobs for all tests of the studio, so that it is compiled once."""

import pytest

from dovetail.studies.registry import find_test
from dovetail.studio import Feel
from dovetail.testing.file import read_table

CS1 = "substructuring/cs1"


@pytest.fixture(scope="session")
def table():
    return read_table(find_test(CS1), {"duration": "2 s"})


@pytest.fixture(scope="session")
def feel(table):
    return Feel(table, ["rig.actuator.delay", "numerical.c", "substeps"], "cs1.toml")

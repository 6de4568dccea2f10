"""CS1 with two sliders, shared by all tests of the studio, so that it is compiled once."""

import pytest

from dovetail.app import Action, Document, Explorer, Jobs
from dovetail.studies.registry import find_test
from dovetail.testing.test_file import read_table

CS1 = "substructuring/cs1"


@pytest.fixture(scope="session")
def table():
    return read_table(find_test(CS1), {"duration": "2 s"})


@pytest.fixture(scope="session")
def explorer(table):
    return Explorer(table, ["rig.actuator.delay", "numerical.c", "substeps"], "cs1.toml")


@pytest.fixture(scope="session")
def edited():
    """CS1 with another delay, half a second of it."""
    document = Document.open(CS1)
    assert document.set("rig.actuator.delay", "2 ms") == ""
    assert document.set("duration", "0.5 s") == ""
    return document


@pytest.fixture(scope="session")
def jobs(tmp_path_factory):
    return Jobs(tmp_path_factory.mktemp("studio") / "runs")


@pytest.fixture(scope="session")
def job(jobs, edited):
    """A rehearsal that was done in a process of its own."""
    started = jobs.start(Action("rehearse", edited, options={"--no-report": ""}))
    started.wait()
    return started

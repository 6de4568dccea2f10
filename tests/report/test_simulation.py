"""The page on a simulation."""

import pytest

from dovetail import testing
from dovetail.report.simulation import write_simulation

TABLE = {
    "kind": "simulation",
    "title": "a rope that falls",
    "rate": "20 Hz",
    "duration": "0.5 s",
    "system": {
        "kind": "towed-rope",
        "air": "off",
        "chain": {"kind": "link-chain", "n": 3, "length": "3 m", "mass": "1 kg"},
    },
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    run = testing.parse(TABLE).simulate()
    return write_simulation(run, tmp_path_factory.mktemp("report") / "report.html").read_text("utf-8")


def test_it_says_how_it_ended_and_what_was_measured(page):
    assert "The test ran to its end." in page
    assert "largest tension" in page
    assert "link-chain" in page  # the resolved simulation

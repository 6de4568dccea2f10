"""Every ready campaign of every study is read, and runs in a small form."""

import pytest

from dovetail.campaign import load, open_results, run
from dovetail.studies.registry import find_campaign, studies

READY = {entry.name: entry for study in studies().values() for entry in study.campaigns}

# what makes each small: settings as on the command line
SMALL = {
    "docking/chapter-5": {"parameter.9.values": ["flores", "hunt-crossley"]},
    "docking/chapter-8": {},
    "docking/impact-space": {"design.count": 64, "chunk": 64, "batch": 64, "set.steps": 600},
    "docking/impact-sensitivity": {"design.count": 8, "chunk": 64, "batch": 64, "set.steps": 600},
    "docking/chapter-7": {"parameter.0.values": [0.004], "parameter.1.values": [1e-6]},
    "substructuring/delay-damping": {"parameter.0.count": 2, "parameter.1.count": 2, "set.duration": 0.5},
    "substructuring/robustness": {"design.count": 4, "set.duration": 0.5},
    "capture/rope-selection": {
        "parameter.0.values": ["uhmwpe-24"],
        "parameter.1.count": 2,
        "set.duration": 2.0,
        "set.links": 5,
    },
    "refuelling/strike-matrix": {
        "parameter.0.values": [1.0],
        "parameter.1.values": [15],
        "parameter.2.values": [0, 1],
    },
    "refuelling/outcome-map": {
        "parameter.0.count": 2,
        "parameter.1.count": 2,
        "parameter.2.count": 2,
        "chunk": 4,
        "batch": 4,
    },
    "shipboard/envelope": {
        "parameter.0.values": [4.0, 6.0],
        "parameter.1.count": 2,
        "parameter.2.values": [5.0],
        "set.duration": 10.0,
        "chunk": 4,
        "batch": 4,
    },
}
HEAVY = {
    "capture/rope-selection",
    "docking/chapter-7",
    "refuelling/outcome-map",
    "refuelling/strike-matrix",
    "shipboard/envelope",
    "docking/impact-sensitivity",
    "docking/impact-space",
    "substructuring/robustness",
}


def test_every_ready_campaign_has_a_small_form():
    assert set(SMALL) == set(READY)


@pytest.mark.parametrize("name", sorted(READY))
def test_a_shipped_campaign_is_read_and_has_a_title(name):
    campaign = load(find_campaign(name))
    assert campaign.title
    assert campaign.source
    assert campaign.analyses


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in HEAVY else n for n in sorted(SMALL)]
)
def test_a_ready_campaign_runs(name, tmp_path):
    done = run(load(find_campaign(name), SMALL[name]), tmp_path / "out")
    assert done.done == done.total
    assert done.failed == 0
    assert open_results(tmp_path / "out").attrs["computed"] == done.total


def test_the_scenarios_of_chapter_8_are_qualified_as_published(tmp_path):
    run(load(find_campaign("docking/chapter-8")), tmp_path / "out")
    stroke = open_results(tmp_path / "out").stroke_needed
    assert int((stroke < 239.5e-6).sum()) == 23
    assert int((stroke < 0.8 * 239.5e-6).sum()) == 12

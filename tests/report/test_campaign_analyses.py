"""Answers of a campaign in sentences, and how its runs ended as a map."""

import re

import numpy as np
import pytest

from dovetail import campaign, testing
from dovetail.campaign.analysis_results import rows as flat_rows
from dovetail.core.si_prefix import FRACTION
from dovetail.report.campaign import _rounded, campaign_page
from dovetail.report.campaign_analyses import _up_to, in_words, outcome_map, place, quantity, stopped
from dovetail.report.page import Picture, Text
from dovetail.report.style import COLOURS
from dovetail.studies.registry import find_test

FILE = """
title = "CS1: how much delay the damping carries"
test = "substructuring/cs1"
measures = ["peak displacement", "rms e1"]
modes = ["emulate", "rehearse"]

[set]
duration = "1.5 s"

[[axis]]
path = "rig.actuator.delay"
from = "1 ms"
to = "13 ms"
count = 4

[[axis]]
path = "numerical.c"
name = "damping"
from = 3
to = 30
count = 3

[[answers]]
kind = "probability"
rule = "outcome == 0"

[[answers]]
kind = "worst"
measure = "peak_displacement"

[[answers]]
kind = "trade-off"
measure = "rms_e1"
along = "delay"
other = "damping"

[[answers]]
kind = "largest"
of = "delay"
measure = "peak_displacement"
below = 0.03
share = 0.3
"""


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    where = tmp_path_factory.mktemp("campaign")
    (where / "c.toml").write_text(FILE)
    campaign.run(campaign.load(where / "c.toml"), where / "out")
    return where / "out"


def test_answers_come_first_as_sentences(computed):
    page = campaign_page(computed)
    assert page.blocks[0].title == "Answers"
    said = [block.text for block in page.blocks[0].blocks if isinstance(block, Text)]
    assert len(said) == 4
    assert "outcome is finished" in said[0]
    assert said[1].startswith("The worst peak displacement is ")
    assert " mm, at delay " in said[1]
    assert re.match(r"Damping (never matters to rms e1|matters to rms e1 up to delay \S+ ms)", said[2])
    assert said[3].startswith("Up to delay ")
    assert "ms" in said[3]
    ranges = next(block for block in page.blocks if block.title == "What came of it").blocks[0]
    assert next(row[6] for row in ranges.rows if row[0] == "rms e1") == "%"  # as in a report on a run


def test_a_campaign_whose_runs_met_limits_is_not_green(computed):
    table = flat_rows(campaign.open_results(computed, flat=True))
    share, why = stopped(table)
    codes = np.asarray(table["outcome"], float)
    assert share == pytest.approx(np.mean(codes != 0))
    assert share > 0
    verdict = campaign_page(computed).verdict
    assert verdict.tone == "caution"
    assert f"{100 * share:.3g} % of the runs were stopped" in verdict.sentence
    assert why in verdict.sentence
    assert stopped({"outcome": np.zeros(5)}) == (0.0, "")
    assert stopped({"height": np.zeros(5)}) == (0.0, "")


def test_the_limit_on_the_map_is_that_of_the_tests_stability(computed):
    store = campaign.Store.resume(computed)
    (picture,) = outcome_map(store, flat_rows(campaign.open_results(computed, flat=True)))
    assert isinstance(picture, Picture)
    ax = picture.figure.axes[0]
    assert ax.get_xlabel() == "delay [ms]"
    names = [text.get_text() for text in picture.figure.legends[0].get_texts()]
    assert names[0] == "to its end"
    assert all(name.startswith("stopped: ") for name in names[1:-1])
    drawn = picture.figure.legends[0].legend_handles[-1].get_color()
    assert drawn == COLOURS["ink"]  # a variable of the page: beside the map it stands on the dark
    line = next(line for line in ax.lines if line.get_label() == "limit of stability")
    for delay, damping in zip(*line.get_data(), strict=True):
        test = testing.load(
            find_test("substructuring/cs1"), {"rig.actuator.delay": delay / 1e3, "numerical.c": damping}
        )
        assert abs(float(test.stability().margin)) < 2e-5  # [s] at that delay nothing is left


def test_numbers_are_in_units_that_suit_them():
    assert quantity(0.008749999999999999, "s") == "8.75 ms"
    assert place({"delay": 0.01, "rope": "steel"}, {"delay": "s"}) == "delay 10 ms, rope steel"
    command = "dovetail run x --set a=0.008749999999999999 --set b=-1.2000000000000002e-05 --set n=3"
    assert _rounded(command) == "dovetail run x --set a=0.00875 --set b=-1.2e-05 --set n=3"
    assert in_words("outcome == 0 and rms_e1 < 0.1") == "outcome is finished and rms e1 < 0.1"
    assert in_words("outcome == 0", tested=False) == "outcome == 0"
    assert quantity(0.0513, FRACTION) == "5.13 %"
    assert place({"specimen_stiffness": 2e3}, {"specimen_stiffness": "N/m"}) == "specimen stiffness 2 kN/m"


def test_a_bound_that_none_or_all_of_an_axis_keeps_is_said_with_its_units():
    table = {"sea_state": np.repeat([3.0, 4.0], 3), "load": np.repeat([106.2, 120.0], 3)}
    asked = {"of": "sea_state", "measure": "load", "below": 100.0}
    said = _up_to(table, asked, {"load": "N"})
    assert said == (
        "No value of sea state keeps load below 100 N in 95 % of the points: already at 3 it is 106.2 N."
    )
    said = _up_to(table, asked | {"below": 2000.0}, {"load": "N"})
    assert said == (
        "All values of sea state, up to 4, keep load below 2 kN in 95 % of the points: there it is 120 N."
    )

"""Analyses of a campaign as sentences, and outcomes of its runs as a map."""

import re

import numpy as np
import pytest

from dovetail import campaign, testing
from dovetail.campaign.analysis_results import rows as flat_rows
from dovetail.core.si_prefix import FRACTION
from dovetail.report.campaign import _round_command, campaign_page
from dovetail.report.campaign_analyses import (
    _largest_admissible,
    format_condition,
    format_point,
    outcome_map,
    quantity,
    stopped_fraction,
)
from dovetail.report.page import FigureBlock, Paragraph
from dovetail.report.style import COLOURS
from dovetail.studies.registry import find_test

FILE = """
title = "CS1: how much delay the damping carries"
test = "substructuring/cs1"
measures = ["peak displacement", "rms e1"]
modes = ["reference", "rehearse"]

[set]
duration = "1.5 s"

[[parameter]]
path = "rig.actuator.delay"
min = "1 ms"
max = "13 ms"
count = 4

[[parameter]]
path = "numerical.c"
name = "damping"
min = 3
max = 30
count = 3

[[analysis]]
kind = "probability"
condition = "outcome == 0"

[[analysis]]
kind = "worst-cases"
measure = "peak_displacement"

[[analysis]]
kind = "saturation"
measure = "rms_e1"
parameter = "delay"
other_parameter = "damping"

[[analysis]]
kind = "largest-admissible"
parameter = "delay"
measure = "peak_displacement"
limit = 0.03
fraction = 0.3
"""


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    where = tmp_path_factory.mktemp("campaign")
    (where / "c.toml").write_text(FILE)
    campaign.run(campaign.load(where / "c.toml"), where / "out")
    return where / "out"


def test_analyses_come_first_as_sentences(computed):
    page = campaign_page(computed)
    assert page.blocks[0].title == "Analyses"
    texts = [block.text for block in page.blocks[0].blocks if isinstance(block, Paragraph)]
    assert len(texts) == 4
    assert "outcome is finished" in texts[0]
    assert texts[1].startswith("The worst peak displacement is ")
    assert " mm, at delay " in texts[1]
    assert re.match(r"Damping (has no influence on rms e1|influences rms e1 up to delay \S+ ms)", texts[2])
    assert re.match(r"peak displacement < 30 mm up to delay = \S+ ms", texts[3])
    assert "30 % of points" in texts[3]
    ranges = next(block for block in page.blocks if block.title == "Results").blocks[0]
    assert next(row[6] for row in ranges.rows if row[0] == "rms e1") == "%"  # as in a report on a run


def test_a_campaign_with_runs_stopped_by_limits_is_not_green(computed):
    table = flat_rows(campaign.open_results(computed, flat=True))
    fraction, reason = stopped_fraction(table)
    codes = np.asarray(table["outcome"], float)
    assert fraction == pytest.approx(np.mean(codes != 0))
    assert fraction > 0
    verdict = campaign_page(computed).verdict
    assert verdict.tone == "caution"
    assert f"{100 * fraction:.3g} % of the runs were stopped" in verdict.sentence
    assert reason in verdict.sentence
    assert stopped_fraction({"outcome": np.zeros(5)}) == (0.0, "")
    assert stopped_fraction({"height": np.zeros(5)}) == (0.0, "")


def test_the_limit_on_the_map_is_that_of_the_tests_stability(computed):
    store = campaign.Store.resume(computed)
    (picture,) = outcome_map(store, flat_rows(campaign.open_results(computed, flat=True)))
    assert isinstance(picture, FigureBlock)
    ax = picture.figure.axes[0]
    assert ax.get_xlabel() == "delay [ms]"
    names = [text.get_text() for text in picture.figure.legends[0].get_texts()]
    assert names[0] == "finished"
    assert all(name.startswith("stopped: ") for name in names[1:-1])
    drawn = picture.figure.legends[0].legend_handles[-1].get_color()
    assert drawn == COLOURS["ink"]  # a variable of the page: beside the map it stands on the dark
    line = next(line for line in ax.lines if line.get_label() == "stability limit")
    for delay, damping in zip(*line.get_data(), strict=True):
        test = testing.load(
            find_test("substructuring/cs1"), {"rig.actuator.delay": delay / 1e3, "numerical.c": damping}
        )
        assert abs(float(test.stability().margin)) < 2e-5  # [s] at that delay nothing is left


def test_numbers_are_in_units_that_suit_them():
    assert quantity(0.008749999999999999, "s") == "8.75 ms"
    assert format_point({"delay": 0.01, "rope": "steel"}, {"delay": "s"}) == "delay 10 ms, rope steel"
    command = "dovetail run x --set a=0.008749999999999999 --set b=-1.2000000000000002e-05 --set n=3"
    assert _round_command(command) == "dovetail run x --set a=0.00875 --set b=-1.2e-05 --set n=3"
    assert format_condition("outcome == 0 and rms_e1 < 0.1") == "outcome is finished and rms e1 < 0.1"
    assert format_condition("outcome == 0", of_test=False) == "outcome == 0"
    assert quantity(0.0513, FRACTION) == "5.13 %"
    assert (
        format_point({"specimen_stiffness": 2e3}, {"specimen_stiffness": "N/m"})
        == "specimen stiffness 2 kN/m"
    )


def test_a_limit_met_at_no_or_all_values_is_reported_with_units():
    table = {"sea_state": np.repeat([3.0, 4.0], 3), "load": np.repeat([106.2, 120.0], 3)}
    analysis = {"parameter": "sea_state", "measure": "load", "limit": 100.0}
    text = _largest_admissible(table, analysis, {"load": "N"})
    assert all(words in text for words in ("load < 100 N", "95 %", "not met", "106.2 N at 3"))
    text = _largest_admissible(table, analysis | {"limit": 2000.0}, {"load": "N"})
    assert all(words in text for words in ("load < 2 kN", "95 %", "is met", "120 N at 4"))

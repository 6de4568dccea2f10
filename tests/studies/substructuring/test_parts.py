"""The benchmark's table as a file that can be run."""

import pytest

import dovetail as dv
from dovetail.core.errors import TestFileError
from dovetail.studies.registry import find_test

TABLE = find_test("substructuring/rths-table")


def test_the_file_asks_for_every_compensator_on_twenty_perturbed_plants():
    chart = dv.load(TABLE).chart
    assert chart.cases == (1, 2, 3, 4)
    assert chart.perturbed == 20
    assert {"none", "adaptive time series", "Smith predictor"} <= set(chart.compensators)


def test_an_unknown_compensator_or_case_is_named_with_those_there_are():
    with pytest.raises(TestFileError, match="there is no 'magic'; there are none, forward prediction"):
        dv.load(TABLE, {"chart.compensators": ["magic"]})
    with pytest.raises(TestFileError, match="there is no 7; there are 1, 2, 3, 4"):
        dv.load(TABLE, {"chart.cases": [7]})


@pytest.mark.slow
def test_the_summary_says_what_each_compensator_trades_away():
    chart = dv.load(
        TABLE, {"chart.compensators": ["second-order inverse"], "chart.cases": [1], "chart.perturbed": 0}
    ).chart
    data = chart.compute()
    text = chart.summary(data)
    assert data["criteria"].sizes == {"compensator": 1, "case": 1, "plant": 1, "criterion": 13}
    assert "gives away the third mode" in text
    assert "1/1" in text  # stable runs

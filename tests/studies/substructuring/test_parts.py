"""The benchmark's table as a file that can be run."""

import pytest

import dovetail as dv
from dovetail.core.errors import TestFileError
from dovetail.studies.registry import find_test

TABLE = find_test("substructuring/rths-table")


def test_the_campaign_has_every_compensator_on_twenty_perturbed_plants():
    parameter_map = dv.load(TABLE).map
    assert parameter_map.cases == (1, 2, 3, 4)
    assert parameter_map.perturbed_count == 20
    assert {"none", "adaptive time series", "Smith predictor"} <= set(parameter_map.compensators)


def test_an_unknown_compensator_or_case_lists_the_known_ones():
    with pytest.raises(TestFileError, match="'magic'; use none, forward prediction"):
        dv.load(TABLE, {"map.compensators": ["magic"]})
    with pytest.raises(TestFileError, match="7; use 1, 2, 3, 4"):
        dv.load(TABLE, {"map.cases": [7]})


@pytest.mark.slow
def test_the_summary_states_the_drawback_of_each_compensator():
    parameter_map = dv.load(
        TABLE, {"map.compensators": ["second-order inverse"], "map.cases": [1], "map.perturbed_count": 0}
    ).map
    data = parameter_map.compute()
    text = parameter_map.summary(data)
    assert data["criteria"].sizes == {"compensator": 1, "case": 1, "plant": 1, "criterion": 13}
    assert "third mode" in text
    assert "1/1" in text  # stable runs

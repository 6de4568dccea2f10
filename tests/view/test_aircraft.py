"""An aircraft on its gear as a stage."""

import pytest

import dovetail as dv
from dovetail.studies.registry import find_test
from dovetail.view import stage_of


def test_an_aircraft_has_its_gear_its_deck_and_a_force_on_each_foot(recorded):
    run = recorded(dv.load(find_test("shipboard/case-6-drop")))
    stage = stage_of(run)
    names = [line.name for line in stage.lines]
    assert "gear" in names
    assert any(name.startswith("platforms/") for name in names)
    assert len(stage.arrows) == run.data["contact_force"].shape[1]
    gear = next(line for line in stage.lines if line.name == "gear").points(3)
    assert gear[:, 1].min() == pytest.approx(run.data["node_position"].values[3][:, 0].min())

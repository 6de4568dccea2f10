"""What a stage shows is what was recorded."""

import dataclasses

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.errors import AnalysisError
from dovetail.scene import stage_of
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def run():
    return dv.load(find_test("substructuring/cs1"), {"duration": 1.0}).rehearse()


def test_between_two_samples_the_earlier_one_holds(run):
    stage = stage_of(run)
    assert stage.at(0.0104999) == 10
    assert stage.at(-1.0) == 0
    assert stage.at(99.0) == len(stage.times) - 1


def test_a_long_recording_is_thinned(run):
    count = 100_001
    data = xr.Dataset({"displacement": ("time", np.zeros(count))}, {"time": np.arange(count) * 1e-4})
    stage = stage_of(dataclasses.replace(run, data=data))
    assert len(stage.times) <= 20_001
    assert stage.duration == pytest.approx(10.0, abs=1e-3)


def test_a_recording_without_a_place_in_space_is_said_to_be_one(run):
    data = run.data[["force"]]
    with pytest.raises(AnalysisError, match="nothing in the recording has a place in space"):
        stage_of(dataclasses.replace(run, data=data))


def test_the_ideal_has_a_specimen_and_nothing_that_moves_or_measures_it(run):
    rehearsed, ideal = stage_of(run), stage_of(run.test.emulate())
    with_rig, without = ({solid.name for solid in stage.solids} for stage in (rehearsed, ideal))
    assert "on the rig/specimen" in without
    assert {"on the rig/actuator", "on the rig/rod", "on the rig/load cell"} <= with_rig - without
    assert [text for text, _ in ideal.marks] == ["simulated", "specimen, attached"]

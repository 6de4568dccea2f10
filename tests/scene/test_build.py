"""A scene shows the recorded motion."""

import dataclasses

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.errors import AnalysisError
from dovetail.core.recording import Recording
from dovetail.scene import build_scene
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def run():
    return dv.load(find_test("substructuring/cs1"), {"duration": 1.0}).rehearse()


def test_between_two_samples_the_earlier_one_holds(run):
    scene = build_scene(run)
    assert scene.at(0.0104999) == 10
    assert scene.at(-1.0) == 0
    assert scene.at(99.0) == len(scene.times) - 1


def test_a_long_recording_is_thinned(run):
    count = 100_001
    data = xr.Dataset({"displacement": ("time", np.zeros(count))}, {"time": np.arange(count) * 1e-4})
    scene = build_scene(dataclasses.replace(run, recording=Recording.from_dataset(data)))
    assert len(scene.times) <= 20_001
    assert scene.duration == pytest.approx(10.0, abs=1e-3)


def test_a_recording_without_geometry_is_reported(run):
    data = run.recording.to_dataset()[["feedback_force"]]
    with pytest.raises(AnalysisError, match="no signal with a position"):
        build_scene(dataclasses.replace(run, recording=Recording.from_dataset(data)))


def test_the_reference_has_a_specimen_without_actuator_and_sensor(run):
    rehearsed, ideal = build_scene(run), build_scene(run.test.reference())
    with_rig, without = ({solid.name for solid in scene.solids} for scene in (rehearsed, ideal))
    assert "rig/specimen" in without
    assert {"rig/actuator", "rig/rod", "rig/load cell"} <= with_rig - without
    assert [text for text, _ in ideal.marks] == ["simulation", "specimen, directly coupled"]

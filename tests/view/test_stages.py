"""What a stage shows is what was recorded."""

import dataclasses

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.errors import AnalysisError
from dovetail.studies.registry import find_test
from dovetail.view import stage_of


@pytest.fixture(scope="module")
def run():
    return dv.load(find_test("substructuring/cs1"), {"duration": 1.0}).rehearse()


def test_an_oscillator_is_drawn_where_it_was_magnified(run):
    stage = stage_of(run, run.test.emulate())
    mass = next(line for line in stage.lines if line.name == "simulated/mass")
    z = run.data.displacement.values
    factor = 0.6 / np.abs(z).max()
    for t in (0.0, 0.35, 1.0):
        k = stage.at(t)
        assert stage.times[k] == pytest.approx(t)
        assert mass.points(k)[:, 0].mean() == pytest.approx(factor * z[k] - 0.15 / 5, abs=1e-12)
    assert any(line.ghost for line in stage.lines)
    assert {plot.title.split(" [")[0] for plot in stage.plots} >= {"displacement", "measured force"}


def test_between_two_samples_the_earlier_one_holds(run):
    stage = stage_of(run)
    assert stage.at(0.0104999) == 10
    assert stage.at(-1.0) == 0
    assert stage.at(99.0) == len(stage.times) - 1


def test_a_rope_is_its_nodes(recorded):
    run = recorded(dv.load(find_test("capture/swing")))
    stage = stage_of(run)
    chain = next(line for line in stage.lines if line.name == "chain")
    np.testing.assert_array_equal(chain.points(3), run.data["node_position"].values[3].T)
    assert stage.up == "-y"


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

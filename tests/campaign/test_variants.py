"""Tests at many points: the batch gives what one test after another gives."""

import dataclasses
from functools import cache

import numpy as np
import pytest

from dovetail import fidelity, testing
from dovetail.campaign import open_results, parse, run
from dovetail.campaign.plan import find_test
from dovetail.campaign.subjects import subject_of

TABLE = {
    "test": "substructuring/cs1",
    "set": {"duration": 0.3, "rig": {"sensor": {"kind": "white-noise", "std": 0.05}}},
    "modes": ["reference", "rehearse"],
    "measures": ["rms e1", "peak displacement", "fidelity.gain"],
    "signals": ["displacement"],
    "seeds": [3, 8],
    "parameter": [
        {"path": "rig.actuator.delay", "values": ["0 ms", "4.5 ms", "-1 ms"]},
        {"path": "numerical.c", "name": "damping", "values": [3.0, 15.0]},
    ],
}


@cache
def evaluated():
    campaign = parse(TABLE)
    subject = subject_of(campaign)
    return campaign, campaign.points(), subject.evaluate(campaign.points())


@cache
def alone(place, seed):
    """The same point as one test, by the commands a user has."""
    _, points, _ = evaluated()
    test = testing.load(
        find_test("substructuring/cs1"), {"duration": 0.3, "rig.sensor": TABLE["set"]["rig"]["sensor"]}
    )
    values = {
        "rig.actuator.delay": points["delay"][place],
        "numerical.c": points["damping"][place],
        "seed": seed,
    }
    test = test.with_values(**values)
    return test.rehearse(), test.reference()


def test_traces_are_those_of_a_rehearsal_with_that_seed():
    _, _, found = evaluated()
    for place, (i, seed) in ((2, (1, 8)), (3, (0, 3))):
        rehearsed, ideal = alone(place, seed)
        got = found.values["displacement_rehearse"]
        assert got.dims == ("seed", "time")
        # the buffer of a delay is longer in a batch, which changes the order of nothing: rounding only
        np.testing.assert_allclose(
            got.array[place, i], rehearsed.data.displacement.values[1:], rtol=0, atol=1e-15
        )
        np.testing.assert_allclose(
            found.values["displacement_reference"].array[place, i],
            ideal.data.displacement.values[1:],
            rtol=0,
            atol=1e-15,
        )


def test_measures_are_those_of_fidelity():
    _, _, found = evaluated()
    rehearsed, ideal = alone(3, 3)
    whole = fidelity.norms(rehearsed.data.isel(time=slice(1, None)), ideal.data.isel(time=slice(1, None)))
    assert found.values["rms_e1"].array[3, 0] == pytest.approx(float(whole.rms.sel(error="e1")), rel=1e-12)
    peaks = [float(abs(r.data.displacement).max()) for r in (ideal, rehearsed)]
    np.testing.assert_allclose(found.values["peak_displacement"].array[3, 0], peaks, rtol=1e-12)
    assert found.values["peak_displacement"].dims == ("seed", "mode")
    gain = fidelity.compare(*(r.data.isel(time=slice(1, None)) for r in (rehearsed, ideal))).gain
    assert found.values["fidelity_gain"].array[3, 0] == pytest.approx(gain, rel=1e-9)


def test_a_value_out_of_range_fails_alone_with_its_reason():
    _, _, found = evaluated()
    assert set(found.reasons) == {4, 5}
    assert "rig.actuator.delay: got -0.001; must be at least 0" in found.reasons[4]
    assert np.isnan(found.values["rms_e1"].array[4:]).all()
    assert np.isfinite(found.values["rms_e1"].array[:4]).all()


def test_parameters_that_fix_shapes_define_groups(tmp_path):
    campaign = parse(
        {
            "test": "substructuring/cs1",
            "set": {"duration": 0.1},
            "measures": ["peak displacement"],
            "parameter": [
                {"path": "rate", "values": [1000.0, 2000.0]},
                {"path": "numerical.m", "values": [1.0, 2.2]},
            ],
        }
    )
    run(campaign, tmp_path / "out")
    data = open_results(tmp_path / "out")
    assert data.peak_displacement.shape == (2, 2)
    base = testing.load(find_test("substructuring/cs1"), {"duration": 0.1, "rate": 2000.0})
    alone = abs(base.rehearse().data.displacement).max()
    assert float(data.peak_displacement.sel(rate=2000.0, m=2.2)) == pytest.approx(float(alone), rel=1e-12)


def test_traces_of_another_length_fail_alone_with_their_reason():
    campaign = parse(
        {
            "test": "substructuring/cs1",
            "signals": ["displacement"],
            "parameter": [{"path": "duration", "values": [0.02, 0.04]}],
        }
    )
    found = subject_of(campaign).evaluate(campaign.points())
    assert list(found.reasons) == [1]
    assert "incompatible shapes" in found.reasons[1]
    assert np.isfinite(found.values["displacement"].array[0]).all()
    assert np.isnan(found.values["displacement"].array[1]).all()


def test_a_stopped_run_is_evaluated_up_to_its_limit():
    campaign = parse(
        {
            "test": "substructuring/cs1-late",
            "set": {"duration": 2.0},
            "measures": ["peak displacement"],
            "parameter": [{"path": "numerical.c", "values": [15.0]}],
        }
    )
    found = subject_of(campaign).evaluate(campaign.points())
    test = testing.load(find_test("substructuring/cs1-late"), {"duration": 2.0})
    ended = test.rehearse()
    assert testing.Outcome.from_code(found.values["outcome"].array[0]) is ended.outcome
    assert not ended.outcome.completed
    assert found.values["end_time"].array[0] == pytest.approx(float(ended.data.time[-1]))
    assert found.values["peak_displacement"].array[0] == pytest.approx(
        float(abs(ended.data.displacement).max()), rel=1e-9
    )


def test_point_by_point_construction_gives_equal_results():
    campaign = parse(TABLE | {"measures": ["rms e1"], "signals": [], "parameter": [TABLE["parameter"][0]]})
    subject = subject_of(campaign)
    points = campaign.points()
    traced = subject.evaluate(points)
    group = subject._group(())
    assert group.traced
    group.traced = False
    built = subject.evaluate(points)
    assert set(built.reasons) == set(traced.reasons)
    # batches of other sizes may round differently
    np.testing.assert_allclose(built.values["rms_e1"].array, traced.values["rms_e1"].array, rtol=1e-12)


def test_batch_sizes_follow_from_the_memory_of_a_run(monkeypatch):
    campaign = dataclasses.replace(parse(TABLE), seeds=(), parameters=parse(TABLE).parameters[1:], signals=())
    subject = subject_of(campaign)
    each = subject._group(()).bytes_per_lane()
    assert each > 300 * 10 * 8  # samples, signals, bytes
    monkeypatch.setattr(type(subject), "_memory", lambda self: 5 * each)
    assert subject.sizes(1000)[1] == 4  # a power of two that fits

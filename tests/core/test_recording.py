"""A recording has the arrays of its dataset, and the same selections."""

import numpy as np
import pytest
import xarray as xr

from dovetail.core.recording import RecordedSignal, Recording

TIMES = 0.1 * np.arange(5)
POSE = np.arange(15.0).reshape(5, 3)


@pytest.fixture
def recording():
    return Recording(
        {
            "displacement": RecordedSignal(POSE, ("time", "axis"), {"units": "m"}),
            "force": RecordedSignal(POSE[:, 0], ("time",), {"units": "N"}),
            "mesh": RecordedSignal(np.ones(2), ("node",)),
        },
        {
            "time": RecordedSignal(TIMES, ("time",), {"units": "s"}),
            "axis": RecordedSignal(np.array(list("xyz")), ("axis",)),
        },
        {"mode": "rehearse"},
    )


def test_a_dataset_of_a_recording_gives_the_recording_again(recording):
    data = recording.to_dataset()
    assert data.attrs == {"mode": "rehearse"}
    assert data.force.attrs == {"units": "N"}
    assert Recording.from_dataset(data).to_dataset().identical(data)
    assert list(recording) == list(data.data_vars)
    assert (recording.sizes, set(recording.dims)) == (dict(data.sizes), set(data.dims))


def test_time_becomes_the_first_dimension_of_a_dataset():
    data = xr.Dataset({"z": (("axis", "time"), POSE.T)}, {"time": TIMES})
    recording = Recording.from_dataset(data)
    np.testing.assert_array_equal(recording["z"].values, POSE)
    assert recording.axis.values.tolist() == [0, 1, 2]  # axes without names have indices


@pytest.mark.parametrize(
    "at", [{"time": slice(1, 3)}, {"time": np.array([0, 4])}, {"axis": 1}, {"axis": np.array([0, 2])}]
)
def test_samples_at_indices_are_those_of_the_dataset(recording, at):
    expected = recording.to_dataset().isel(at)
    expected = expected.drop_vars([name for name in expected.coords if expected[name].ndim == 0])
    found = recording.isel(**at)
    found = Recording(found.signals, {name: c for name, c in found.coords.items() if c.ndim}, found.attrs)
    assert found.to_dataset().identical(expected)


def test_samples_between_two_times_include_both(recording):
    assert recording.between(TIMES[1], TIMES[3]).time.values.tolist() == TIMES[1:4].tolist()
    assert recording.between(0.25).last_time == TIMES[-1]
    assert recording.between(1.0).last_time == 0.0  # no samples


def test_other_signals_keep_the_coordinates_of_their_dimensions_only(recording):
    force = recording.with_signals({"doubled": RecordedSignal(2 * POSE[:, 0])})
    assert set(force.coords) == {"time"}
    assert "displacement" not in force
    assert force.at_times(RecordedSignal(TIMES + 1.0)).time.values[0] == 1.0
    assert recording.with_attrs(seed=3).attrs == {"mode": "rehearse", "seed": 3}


def test_transposed_dimensions_are_those_of_the_dataset(recording):
    signal = recording["displacement"].transpose("axis", ...)
    assert signal.dims == ("axis", "time")
    np.testing.assert_array_equal(signal.values, POSE.T)
    assert (signal.ndim, signal.size, signal.sizes) == (2, 15, {"axis": 3, "time": 5})

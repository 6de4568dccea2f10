from types import SimpleNamespace

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError, UnknownNameError
from dovetail.fidelity import traces


def test_a_run_and_its_dataset_give_equal_measures(make):
    data = make.delayed_sine()
    recording = traces.recording(data)
    assert traces.recording(SimpleNamespace(recording=recording)) is traces.recording(recording) is recording
    assert recording.to_dataset().identical(data)


def test_something_without_a_dataset_is_rejected():
    with pytest.raises(ParameterError, match=r"got list; expected an xarray\.Dataset"):
        traces.recording([1.0, 2.0])


def test_a_missing_signal_lists_the_recorded_ones(make):
    with pytest.raises(UnknownNameError, match='did you mean "displacement"') as caught:
        traces.trace(make.delayed_sine(), "displacment")
    assert "measured_force" in str(caught.value)


def test_a_trace_that_is_not_finite_is_reported_with_its_time(make):
    data = make.delayed_sine()
    data["displacement"][100:] = np.nan
    with pytest.raises(AnalysisError, match=r'"displacement" is not finite from t = 0\.1 s \(sample 100\)'):
        traces.trace(data, "displacement")


def test_a_trace_too_short_is_rejected(make):
    with pytest.raises(AnalysisError, match="has 2 samples; expected at least 4"):
        traces.trace(make.delayed_sine().isel(time=slice(0, 2)), "displacement")


def test_unequal_sampling_is_rejected(make):
    data = make.delayed_sine().isel(time=[0, 1, 2, 4, 5, 7])
    with pytest.raises(AnalysisError, match="not equally spaced"):
        traces.period(data)


def test_times_that_do_not_increase_are_rejected(make):
    with pytest.raises(AnalysisError, match="do not increase"):
        traces.times(make.delayed_sine().isel(time=[0, 1, 1, 2]))


def test_a_run_stopped_early_is_compared_over_common_times(make):
    ideal = make.delayed_sine(duration=5.0)
    run = ideal.isel(time=slice(0, 1234))
    a, b = traces.on_common_times(run, ideal)
    assert a.sizes["time"] == b.sizes["time"] == 1234
    assert (a.time.values == b.time.values).all()


def test_recordings_that_share_no_times_are_rejected(make):
    run = make.delayed_sine()
    ideal = run.assign_coords(time=run.time + 0.5e-3)  # half a sample later
    with pytest.raises(AnalysisError, match="0 common sample times"):
        traces.on_common_times(run, ideal)


def test_rounded_times_count_as_equal(make):
    run = make.delayed_sine()
    ideal = run.assign_coords(time=run.time * (1 + 1e-13))  # rounding of k * dt against a running sum
    a, _ = traces.on_common_times(run, ideal)
    assert a.sizes["time"] == run.sizes["time"]


def test_a_reference_at_a_finer_rate_is_sampled_at_the_times_of_the_run(make):
    a, b = traces.on_common_times(make.delayed_sine(rate=1000.0), make.delayed_sine(rate=4000.0))
    assert a.sizes["time"] == b.sizes["time"] == 5000
    assert np.abs(a["displacement"].values - b["displacement"].values).max() < 1e-16


def test_each_axis_is_evaluated_separately():
    y = np.arange(12.0).reshape(6, 2)
    assert traces.by_axis(np.max, y).tolist() == [10.0, 11.0]
    assert traces.by_axis(np.max, y[:, 0]) == 10.0

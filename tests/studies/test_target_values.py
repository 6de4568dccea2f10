"""Values of target rows: measures of a run, computed once for each distinct run."""

import numpy as np
import pytest

from dovetail import fidelity
from dovetail.core.errors import ParameterError
from dovetail.studies import target_values
from dovetail.studies.registry import load
from dovetail.studies.target_values import recorded_run, target_value

SHORT = {"test": "cs1", "set": {"duration": "0.2 s"}}
TWO_AXES = {"test": "cs2", "set": {"duration": "0.05 s"}}


@pytest.fixture(scope="module")
def run():
    return load("substructuring/cs1", {"duration": 0.2}).rehearse()


@pytest.fixture(scope="module")
def two_axes():
    return load("substructuring/cs2", {"duration": 0.05}).rehearse()


def value(text, run=SHORT, **more):
    return target_value("substructuring", {"run": run, "value": text, **more})


def test_a_reduction_of_a_signal_is_that_of_its_samples(run):
    z = run.data["displacement"].values
    assert value("peak displacement") == np.abs(z).max()
    assert value("final displacement") == z[-1]
    assert value("rms displacement") == pytest.approx(np.sqrt(np.mean(z**2)), rel=1e-14)
    late = z[run.data.time.values >= 0.1]
    assert value("min displacement", between=["0.1 s", "end"]) == late.min()


def test_a_signal_is_read_at_times(run):
    times = run.data.time.values
    expected = [run.data["displacement"].values[times.searchsorted(t - 1e-9)] for t in (0.1, 0.2)]
    assert list(value("displacement", at=["0.1 s", 0.2])) == expected


def test_each_entry_of_a_signal_has_its_value_or_the_one_of_an_axis(two_axes):
    z = two_axes.data["displacement"].values
    np.testing.assert_array_equal(value("peak displacement", TWO_AXES), np.abs(z).max(axis=0))
    assert value("peak displacement", TWO_AXES, axis=1) == np.abs(z[:, 1]).max()
    assert value("displacement", TWO_AXES, at=[0.02, 0.05]).shape == (2, 2)


def test_a_ratio_takes_the_keys_that_it_does_not_give_from_the_row(run):
    z = run.data["displacement"].values
    share = value("rms tracking_error", between=["0.1 s", "end"], ratio_to={"value": "rms displacement"})
    late = run.data.sel(time=slice(0.1, None))
    assert share == pytest.approx(
        float(fidelity.rms(fidelity.local_error(late)) / fidelity.rms(late["displacement"])), rel=1e-12
    )
    assert value("final displacement", ratio_to={"between": [0.0, "0.1 s"]}) == pytest.approx(z[-1] / z[100])


def test_the_stability_the_ending_and_a_function_of_a_run_are_values(run):
    test = load("substructuring/cs1")
    assert value("stability.critical_delay", {"test": "cs1"}) == test.stability().critical_delay
    assert value("completed") is run.outcome.completed
    assert value("fidelity:delay_by_correlation") == fidelity.delay_by_correlation(run)


def test_several_runs_give_a_list(run):
    longer = {"test": "cs1", "set": {"duration": "0.3 s"}}
    values = value("peak displacement", [SHORT, longer])
    assert values[0] == np.abs(run.data["displacement"].values).max()
    assert len(values) == 2


def test_each_distinct_run_is_computed_once(monkeypatch):
    computed = []
    monkeypatch.setattr(target_values, "load", lambda *named: computed.append(named) or load(*named))
    changes = {"duration": 0.03}
    runs = [recorded_run("substructuring/cs1", changes, mode) for mode in (None, None, "reference")]
    assert runs[0] is runs[1]
    assert [run.mode for run in runs] == ["rehearse", "rehearse", "reference"]
    assert len(computed) == 2


def test_an_unknown_key_of_a_run_is_an_error():
    with pytest.raises(ParameterError, match=r"tset.*mode, set, test"):
        value("completed", {"test": "cs1", "tset": 1})

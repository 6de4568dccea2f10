"""Replay: the same readings, the same run."""

import dataclasses

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import ParameterError


def test_a_replayed_run_repeats_the_recorded_one(make_cs1):
    test = make_cs1(delay=5e-3)
    recorded = test.rehearse()
    replayed = test.replay(recorded)
    assert replayed.mode == "replay"
    # another program is compiled, so that the last bits may differ
    np.testing.assert_allclose(replayed.data.displacement, recorded.data.displacement, rtol=0, atol=1e-16)
    np.testing.assert_array_equal(replayed.data.measured_force, recorded.data.measured_force)


def test_a_replay_applies_changed_limits(make_cs1):
    test = make_cs1()
    recorded = test.rehearse()
    strict = dataclasses.replace(test, limits=dv.Limits(force=5.0))
    replayed = strict.replay(recorded.data)
    assert replayed.outcome is dv.Outcome.FORCE
    assert replayed.data.sizes["time"] < recorded.data.sizes["time"]


def test_a_recording_of_a_stopped_run_is_replayed_to_its_end(make_cs1):
    test = make_cs1(delay=9.4e-3, duration=20.0, limits=dv.Limits(displacement=0.03))
    recorded = test.rehearse()
    replayed = dataclasses.replace(test, limits=dv.Limits()).replay(recorded)
    assert replayed.data.sizes["time"] == recorded.data.sizes["time"]


def test_a_recording_at_another_rate_is_rejected(make_cs1):
    recorded = make_cs1(rate=500.0).rehearse()
    with pytest.raises(ParameterError, match="0.002 s, the tick of the test 0.001 s"):
        make_cs1().replay(recorded)


def test_a_recording_without_measurements_is_rejected(make_cs1):
    recorded = make_cs1(duration=0.1).rehearse().data.drop_vars("measured_force")
    with pytest.raises(ParameterError, match="has no measured_force; its signals"):
        make_cs1().replay(recorded)

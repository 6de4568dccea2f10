"""Recorded values of tunable parameters: as profiles of a test, and as stretches of constant values."""

import dataclasses
import json

import numpy as np
import pytest
from tests.testing.conftest import cs1

from dovetail.core.recording import RecordedSignal
from dovetail.testing import Outcome
from dovetail.testing.operator import Tunable
from dovetail.testing.tunable_history import SIGNAL, constant_stretches, with_recorded_values

RATE, DURATION = 1000.0, 1.2


@pytest.fixture(scope="module")
def run():
    """A rehearsal with recorded values of a damping that changes from 15 to 30 N s/m between 0.4 and 0.5 s."""
    test = cs1(duration=DURATION, rate=RATE, tunable={"numerical.c": Tunable(min=5.0, max=30.0)})
    recorded = test.rehearse()
    t = recorded.recording.time.values
    values = np.interp(t, [0.4, 0.5], [15.0, 30.0])[:, None]
    return with_values(recorded, values)


def with_values(run, values):
    signals = {**run.recording.signals, SIGNAL: RecordedSignal(values, ("time", "tunable_values_0"))}
    events = json.dumps([{"action": "set", "path": "numerical.c"}])
    data = dataclasses.replace(run.recording, signals=signals)
    return dataclasses.replace(run, recording=data.with_attrs(operator_events=events))


def test_a_profile_repeats_the_recorded_values(run):
    profile = with_recorded_values(run.test, run.recording).schedule["numerical.c"]
    t = run.recording.time.values
    np.testing.assert_allclose(
        [profile(x) for x in t[::50]], run.recording[SIGNAL].values[::50, 0], rtol=1e-14
    )
    assert len(profile.times) < 0.1 * len(t) + 4  # constant parts need their ends only


def test_stretches_are_the_parts_before_and_after_the_ramp(run):
    before, after = constant_stretches(run)
    assert (before.start, before.end, before.values) == (0.0, pytest.approx(0.4), {"numerical.c": 15.0})
    assert (after.start, after.end) == (pytest.approx(0.5), pytest.approx(DURATION))
    test = after.test(run.test)
    assert float(test.numerical.c) == 30.0
    assert test.tunable == {}


def test_a_run_without_a_change_has_no_stretches(run):
    assert (
        constant_stretches(dataclasses.replace(run, recording=run.recording.with_attrs(operator_events="[]")))
        == []
    )


def test_the_reference_follows_the_recorded_values_and_ends_with_a_run_that_was_stopped(run):
    cut = run.recording.isel(time=slice(0, 801))
    stopped = dataclasses.replace(run, recording=cut, outcome=Outcome.INTERRUPTED)
    reference = stopped.reference()
    assert reference.recording.last_time == pytest.approx(0.8)
    constant = run.test.reference().recording["displacement"].values[:801]
    measured = reference.recording["displacement"].values
    np.testing.assert_allclose(measured[:401], constant[:401], rtol=1e-9, atol=1e-12)  # until the change
    assert np.abs(measured - constant).max() > 1e-4  # [m]
    whole = dataclasses.replace(run, outcome=Outcome.DISPLACEMENT).reference()
    assert whole.recording.last_time == pytest.approx(DURATION)

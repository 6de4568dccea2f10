"""`save` and `read` are inverse to each other for any run: of every mode, stopped, thinned, or made of a recording."""

import dataclasses

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail import testing
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.testing import Outcome, Run, Trip

RNG = np.random.default_rng(24)

FORCE = np.array([1.0, 2.0])  # [N]


def brought(test, **changes):
    """A run that somebody made of a file: other signals than ours, times that begin later, attributes of all sorts."""
    times = 3.5 + 0.002 * np.arange(50)
    data = xr.Dataset(
        {
            "command": ("time", RNG.normal(size=50)),
            "measured_displacement": ("time", RNG.normal(size=50).astype("float32")),
            "touched": ("time", RNG.random(50) > 0.5),
            "steps": ("time", np.arange(50)),
        },
        {"time": times},
        {
            "station": "7",
            "gain": 0.5,
            "rows": [1, 2, 3],
            "words": ["a", "b"],
            "calibrated": True,
            "note": None,
        },
    )
    recording = Recording.from_dataset(data)
    return dataclasses.replace(Run(test, "laboratory", recording, Outcome.INTERRUPTED), **changes)


RUNS = {
    "rehearsal": lambda cs1: cs1(duration=0.1).rehearse(),
    "ideal": lambda cs1: cs1(duration=0.1).reference(),
    "untitled": lambda cs1: cs1(duration=0.1, title="").rehearse(),
    "stopped": lambda cs1: cs1(duration=0.5, limits=dv.Limits(force=5.0)).rehearse(),
    "thinned": lambda cs1: cs1(duration=0.1, record_every=10).rehearse(),
    "replay": lambda cs1: (test := cs1(duration=0.1)).replay(test.rehearse().data),
    "brought": lambda cs1: brought(cs1(duration=0.1)),
    "brought and met": lambda cs1: brought(
        cs1(duration=0.1), trip=Trip("measured_force", *map(np.float64, (1.0, np.inf, np.nan)), "N")
    ),
    "nothing": lambda cs1: brought(
        cs1(duration=0.1), recording=Recording.from_dataset(xr.Dataset({}, {"time": np.zeros(0)}))
    ),
    "return_recording": lambda cs1: brought(
        cs1(duration=0.1),
        return_recording=Recording(
            {"feedback_force": RecordedSignal(FORCE)}, {"time": RecordedSignal(0.1 * FORCE)}
        ),
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_read_run_equals_the_saved_one(name, make_cs1, tmp_path):
    run = RUNS[name](make_cs1)
    again = testing.read_run(testing.save_run(run, tmp_path / "run"))
    assert again.mode == run.mode
    assert again.outcome is run.outcome
    assert again.title == run.title
    assert testing.dump(again.test) == testing.dump(run.test)
    assert str(again.trip) == str(run.trip)
    for again_recording, recording in (
        (again.recording, run.recording),
        (again.return_recording, run.return_recording),
    ):
        if recording is None:
            assert again_recording is None
            continue
        one, other = again_recording.to_dataset(), recording.to_dataset()
        assert one.equals(other)
        assert {n: v.dtype for n, v in one.variables.items()} == {
            n: v.dtype for n, v in other.variables.items()
        }
        assert set(one.attrs) == set(other.attrs)
        for key, value in other.attrs.items():
            np.testing.assert_array_equal(one.attrs[key], value)
    testing.save_run(again, str(tmp_path / "again"))  # and so on

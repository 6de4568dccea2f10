"""The recorder: each row with its reading."""

import numpy as np
import pytest

from dovetail.testing.pseudodynamic import Reply
from dovetail.testing.pseudodynamic.recorder import Recorder


@pytest.fixture
def recorder(make_creep):
    recorder = Recorder(make_creep())
    recorder.one(0.0, motion(0.0), 0.0, 0, near=False)
    return recorder


def motion(z):
    return {name: np.asarray(float(z)) for name in ("displacement", "velocity", "acceleration")}


def rows(*z, near=True):
    z = np.array(z, dtype=float)
    named = {name: z for name in ("displacement", "velocity", "acceleration")}
    return {"t": 1e-3 * z, "near": np.full(len(z), near), "excitation": 0 * z, **named}


def reply(number):
    return Reply(number, np.asarray(1.0), np.asarray(-2.0), 3.0, extras={"depth": np.asarray(0.5), "mood": 1})


def test_a_reading_goes_with_the_row_that_asked_for_it(recorder):
    recorder.add(rows(1.0, 2.0), 2, 0)
    recorder.read(1, np.asarray(2.0), reply(1), np.asarray(-2.0))
    recorder.add(rows(3.0), 1, 1)
    data = recorder.dataset({})
    assert data.contact_move.values.tolist() == [0, 0, 1, 1]
    assert data.force.values.tolist() == [0, 0, -2.0, -2.0]
    assert data.command.values.tolist() == [0, 0, 2.0, 2.0]
    assert data.depth.attrs["units"] == "m"
    assert "mood" not in data  # no signal that anyone knows


def test_nothing_is_fed_back_in_free_phases(recorder):
    recorder.read(1, np.asarray(0.0), reply(1), np.asarray(-2.0))
    recorder.add(rows(1.0, near=False), 1, 1)
    data = recorder.dataset({})
    assert data.force.values.tolist() == [0.0, 0.0]
    assert data.measured_force.values.tolist() == [-2.0, -2.0]

"""The recorder: each row with its reading."""

import numpy as np
import pytest

from dovetail.testing.pseudodynamic import MoveReply
from dovetail.testing.pseudodynamic.recorder import StepRecorder


@pytest.fixture
def recorder(make_creep):
    recorder = StepRecorder(make_creep())
    recorder.start({name: values[0] for name, values in rows(0.0, gate=False).items()})
    return recorder


def rows(*z, gate=True):
    z = np.array(z, dtype=float)
    named = {name: z for name in ("displacement", "velocity", "acceleration")}
    return {"t": 1e-3 * z, "gate": np.full(len(z), gate), "excitation": 0 * z, **named}


def reply(number):
    return MoveReply(
        number, np.asarray(1.0), np.asarray(-2.0), 3.0, extras={"penetration": np.asarray(0.5), "mood": 1}
    )


def test_a_measurement_belongs_to_the_row_of_its_command(recorder):
    recorder.add(rows(1.0, 2.0), 2)
    recorder.add_reading(1, np.asarray(2.0), reply(1), np.asarray(-2.0))
    recorder.add(rows(3.0), 1)
    data = recorder.recording({}).to_dataset()
    assert data.move_number.values.tolist() == [0, 0, 1, 1]
    assert data.feedback_force.values.tolist() == [0, 0, -2.0, -2.0]
    assert data.command.values.tolist() == [0, 0, 2.0, 2.0]
    assert data.penetration.attrs["units"] == "m"
    assert "mood" not in data  # no signal that anyone knows


def test_nothing_is_fed_back_in_free_phases(recorder):
    recorder.add_reading(1, np.asarray(0.0), reply(1), np.asarray(-2.0))
    recorder.add(rows(1.0, gate=False), 1)
    data = recorder.recording({}).to_dataset()
    assert data.feedback_force.values.tolist() == [0.0, 0.0]
    assert data.measured_force.values.tolist() == [-2.0, -2.0]

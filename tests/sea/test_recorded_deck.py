"""Records: what is between the rows, and what a file may hold."""

import jax
import numpy as np
import pytest

from dovetail.core.errors import OutputError, ParameterError
from dovetail.mechanics.motion import HarmonicMotion
from dovetail.sea import RecordedDeck, read_motion
from dovetail.sea.recorded_deck import quintic


def test_a_parabola_is_interpolated_exactly_on_uneven_rows():
    t = np.array([0.0, 0.4, 1.0, 1.3, 2.0])
    values = np.stack([1 - t + 0.5 * t**2, t**2], 1)
    for s in (0.1, 0.7, 1.9):
        np.testing.assert_allclose(quintic(t, values, s), [1 - s + 0.5 * s**2, s**2], rtol=1e-12)


def test_position_velocity_and_acceleration_are_continuous_and_near_the_truth():
    true = HarmonicMotion(amplitude=[0.5, 1.0, 2.0, 0.2, 0.1, 0.05], omega=0.6, phase=[0, 1, 2, 3, 4, 5])
    t = np.arange(0.0, 30.01, 0.1)
    record = RecordedDeck(times=t, values=np.asarray(jax.vmap(true.pose)(t)))
    r = np.array([-40.0, 2.0, 5.0])
    point = jax.jit(lambda s: record.point(s, r))
    left, right = point(15.2 - 1e-9), point(15.2 + 1e-9)
    at = jax.jit(lambda s: true.point(s, r))(15.2)
    for one, other in zip(left, right, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)  # 1e-9 s times a jerk of a few m/s^3 and rounding
    np.testing.assert_allclose(left.velocity, at.velocity, atol=6e-3)  # w^3 h^2/6 of 2 m and 40 m of arm
    np.testing.assert_allclose(left.acceleration, at.acceleration, atol=6e-3)


def test_after_the_end_of_the_record_the_motion_is_nan():
    record = RecordedDeck(times=np.arange(5.0), values=np.zeros((5, 6)))
    assert record.valid_until == 4.0
    assert np.isnan(record.pose(4.1)).all()


def test_a_file_has_column_headings_and_may_use_degrees(tmp_path):
    file = tmp_path / "deck.csv"
    file.write_text("time, heave, roll_deg\n0, 0, 0\n1, 0.5, 9\n2, 1.0, 18\n")
    record = RecordedDeck(file=str(file))
    np.testing.assert_allclose(record.pose(1.5), [0, 0, 0.75, np.deg2rad(13.5), 0, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got the columns none"),
        ("heave\n1\n", "first line with time"),
        ("time, have\n0, 1\n", "got the columns time, have"),
        ("time, heave\n0, x\n", "2 numbers in each line"),
        ("time, heave\n0, 1\n1\n", "2 numbers in each line"),
    ],
)
def test_a_file_without_motion_is_reported(tmp_path, text, message):
    file = tmp_path / "deck.csv"
    file.write_text(text)
    with pytest.raises(OutputError, match=message):
        read_motion(file)


def test_a_missing_file_and_unordered_rows_are_reported(tmp_path):
    with pytest.raises(OutputError, match="expected a deck motion file"):
        RecordedDeck(file=str(tmp_path / "none.csv"))
    with pytest.raises(ParameterError, match="times must increase"):
        RecordedDeck(times=[0.0, 2.0, 1.0], values=np.zeros((3, 6)))

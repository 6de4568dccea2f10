"""The largest motion or force is one number, also with several axes and with ticks that are not recorded."""

import dataclasses

import numpy as np
import pytest

from dovetail.core.recording import RecordedSignal, Recording
from dovetail.fidelity.largest import largest

TIME = np.arange(3.0)


def recorded(values, axes=None, kinds=None, **attrs):
    values = np.asarray(values, float)
    coords = {"time": RecordedSignal(TIME, ("time",))}
    if axes:
        coords["axis"] = RecordedSignal(np.array(axes), ("axis",))
    if kinds:
        coords["axis_kind"] = RecordedSignal(np.array(kinds), ("axis",))
    return Recording({"force": RecordedSignal(values, ("time", "axis")[: values.ndim], attrs)}, coords)


def test_a_signal_of_one_axis():
    assert largest(recorded([1.0, -3.0, 2.0]), "force") == 3.0
    assert np.isnan(largest(recorded([1.0, -3.0, 2.0]), "tension"))


def test_the_axes_x_y_z_form_a_vector():
    values = [[3.0, 4.0, 0.0], [0.0, 0.0, -4.5], [0.0, 0.0, 0.0]]
    assert largest(recorded(values, ["x", "y", "z"]), "force") == 5.0
    assert largest(recorded(values, ["TS1", "TS2", "TS3"]), "force") == 4.5


def test_moments_are_left_out():
    values = [[3.0, 4.0, 900.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    kinds = ["length", "length", "angle"]
    assert largest(recorded(values, ["x", "y", "pitch"], kinds), "force") == 5.0
    assert largest(recorded(values, ["1", "2", "3"], kinds), "force") == 4.0


@pytest.mark.parametrize(
    ("axes", "attrs", "expected"),
    [
        (["x", "y", "z"], {"largest": [6.0, 8.0, 1.0], "largest_vector": 9.0}, 9.0),
        (["1", "2", "3"], {"largest": [6.0, 8.0, 1.0], "largest_vector": 9.0}, 8.0),
    ],
)
def test_ticks_that_are_not_recorded_count(axes, attrs, expected):
    data = recorded([[3.0, 4.0, 0.0]] * 3, axes, **attrs)
    assert largest(data, "force") == expected
    bare = data.with_signals({"force": dataclasses.replace(data["force"], attrs={})})
    assert largest(bare, "force") < expected

"""Signals of a recording as plots."""

import numpy as np
import pytest
import xarray as xr

from dovetail.view.curves import by_axis, choices, curves


@pytest.fixture
def data():
    t = np.linspace(0, 1, 1201)
    still, moving = 0 * t, 0.5 * np.sin(t)
    return xr.Dataset(
        {
            "displacement": (("time", "axis"), np.stack([still, moving], 1), {"units": "m"}),
            "measured_displacement": (("time", "axis"), np.stack([still, 0.9 * moving], 1), {"units": "m"}),
            "tick_lateness": ("time", 1e-5 * t, {"units": "s"}),
        },
        {"time": t, "axis": ["x", "y"]},
    )


def test_the_axis_that_moves_is_shown_with_its_name_and_unit(data):
    shown = {plot.title: plot for plot in curves(data)}
    plot = shown["displacement, y [mm]"]
    np.testing.assert_array_equal(plot.ys[0], 1e3 * data.displacement.values[::2, 1])
    assert "tick lateness [µs]" in shown
    assert shown["synchronisation: measured over demand [mm]"].dots


def test_every_axis_of_every_signal_can_be_chosen(data):
    made = choices(data)
    assert list(made) == [
        "displacement, x",
        "displacement, y",
        "measured displacement, x",
        "measured displacement, y",
        "tick lateness",
    ]
    np.testing.assert_array_equal(
        made["measured displacement, y"]().ys[0], 1e3 * data.measured_displacement.values[::2, 1]
    )


def test_axes_are_columns(data):
    assert by_axis(data.displacement).shape == (1201, 2)
    assert by_axis(data.tick_lateness).shape == (1201, 1)

"""Signals of a recording as plots."""

import numpy as np
import pytest
import xarray as xr

from dovetail.scene.signal_plots import by_axis, choices, curves


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


def test_the_moving_axis_is_shown_with_name_and_unit(data):
    shown = {plot.title: plot for plot in curves(data)}
    plot = shown["displacement, y [mm]"]
    assert plot.ys[0].max() == 1e3 * data.displacement.values[:, 1].max()
    assert "tick lateness [µs]" in shown
    assert shown["synchronisation: measured against demand [mm]"].dots


def test_every_axis_of_every_signal_can_be_chosen(data):
    made = choices(data)
    assert list(made) == [
        "displacement, x",
        "displacement, y",
        "measured displacement, x",
        "measured displacement, y",
        "tick lateness",
    ]
    whole = 1e3 * data.measured_displacement.values[:, 1]
    shown = made["measured displacement, y"]()
    np.testing.assert_array_equal(shown.ys[0], np.interp(shown.x, data.time.values, whole))
    assert shown.ys[0].max() == whole.max()


def test_a_thinned_plot_keeps_impacts():
    count = 50_000
    t, rng = np.arange(count) / 1e4, np.random.default_rng(3)
    force = np.zeros((count, 2))
    hits = rng.choice(count, 8, replace=False)
    force[hits, 0] = rng.uniform(1e3, 5e3, 8)  # each one sample long
    force[:, 1] = 10 * np.sin(t)
    demand = np.stack([0 * t, t], 1)  # it moves along the other axis
    data = xr.Dataset(
        {
            "displacement": (("time", "axis"), demand, {"units": "m"}),
            "measured_force": (("time", "axis"), force, {"units": "N"}),
        },
        {"time": t, "axis": ["x", "y"]},
    )
    plot = next(plot for plot in curves(data) if plot.title.startswith("measured force"))
    assert plot.title == "measured force, x [kN]"
    bursts = plot.ys[0] > 0.9
    np.testing.assert_array_equal(np.sort(plot.x[bursts]), np.sort(t[hits]))
    np.testing.assert_allclose(np.sort(plot.ys[0][bursts]), np.sort(force[hits, 0]) / 1e3)


def test_plots_show_all_feet_or_the_most_loaded_one():
    force = np.zeros((3, 10, 3))
    force[1, :, 2] = [523, 100, 9, 8, 7, 6, 5, 3951, 4, 300]
    data = xr.Dataset(
        {"contact_force": (("time", "foot", "axis"), force, {"units": "N"})}, {"time": np.arange(3.0)}
    )
    (plot,) = curves(data)
    assert plot.title == "contact force on 8 of 10 feet with the largest load [kN]"
    assert list(plot.names) == [f"foot {i}" for i in (1, 2, 3, 4, 5, 6, 8, 10)]
    assert max(y.max() for y in plot.ys) == pytest.approx(3.951)
    (four,) = curves(data.isel(foot=slice(0, 4)))
    assert four.title.startswith("contact force [")
    assert len(four.ys) == 4


def test_axes_are_columns(data):
    assert by_axis(data.displacement).shape == (1201, 2)
    assert by_axis(data.tick_lateness).shape == (1201, 1)

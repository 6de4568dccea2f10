"""Plots on the page."""

import numpy as np

from dovetail.scene.scene import Plot
from dovetail.view.charts import ABOVE, BELOW, Charts, columns


def test_plots_over_other_variables_are_sorted():
    plot = Plot(
        "synchronisation", ["measured"], np.array([1.0, -1.0, 0.0]), [np.array([2.0, -2.0, 0.5])], True
    )
    x, y = columns(plot)
    assert x.tolist() == [-1.0, 0.0, 1.0]
    assert y.tolist() == [-2.0, 0.5, 2.0]


class Handle:
    def __init__(self, data=None, value=None):
        self.data, self.value, self.there = data, value, True

    def remove(self):
        self.there = False


class Gui:
    """As much of a page as charts need."""

    def add_uplot(self, data, series, **about):
        handle = Handle(data)
        handle.series, handle.title, handle.scales = series, about["title"], about["scales"]
        handle.order = about["order"]
        return handle

    def add_dropdown(self, label, options, initial_value):
        return Handle(value=initial_value)


def line(title, values):
    return Plot(title, [title], np.arange(len(values), dtype=float), [np.asarray(values, float)])


def test_new_numbers_reach_the_charts_and_the_chosen_signal():
    charts = Charts(Gui(), [line("a", [1, 2])], {"b": lambda: line("b", [3, 4])})
    charts.box.value = "b"
    charts.update_selection()
    assert charts.selected.title == "b"
    charts.update([line("a", [5, 6])], {"b": lambda: line("b", [7, 8])})
    assert charts.charts[0].data[1].tolist() == [5, 6]
    assert charts.selected.data[1].tolist() == [7, 8]
    shown = charts.selected
    charts.box.value = "none"
    charts.update_selection()
    assert not shown.there
    assert charts.selected is None


def test_the_unit_of_new_values_is_shown():
    """A live plot that began in micrometres kept saying so when it had come to millimetres."""
    charts = Charts(Gui(), [line("z [µm]", [1, 2])], {"b": lambda: line("b [mN]", [3, 4])})
    before = charts.charts[0]
    charts.box.value = "b"
    charts.update_selection()
    charts.update([line("z [mm]", [5, 6])], {"b": lambda: line("b [N]", [7, 8])})
    assert charts.charts[0].title == "z [mm]"
    assert charts.charts[0].data[1].tolist() == [5, 6]
    assert charts.selected.title == "b [N]"
    assert not before.there  # in its place is another
    assert charts.charts[0].order == before.order


def test_only_plots_of_finished_recordings_have_a_fixed_range():
    charts = Charts(Gui(), [line("a", [1, 2, 3])], {}, now=0.0).charts
    assert charts[0].scales["x"]["range"] == (0.0, 2.0)
    assert "range" not in Charts(Gui(), [line("a", [1, 2, 3])], {}).charts[0].scales["x"]


def test_a_synchronisation_is_dots():
    plot = Plot("s", ["measured"], np.array([0.0, 1.0]), [np.array([0.0, 1.0])], dots=True)
    series = Charts(Gui(), [plot], {}).charts[0].series[1]
    assert series["width"] == 0
    assert series["points"]["show"]


def test_a_time_cursor_does_not_change_the_curves():
    rng = np.random.default_rng(4)
    x = np.sort(rng.uniform(0, 10, 50))
    plot = Plot("a", ["a", "b"], x, [rng.normal(size=50), rng.normal(size=50)])
    for now in (x[0], *rng.uniform(x[0], x[-1], 5), x[-1]):
        moments, *ys, head = columns(plot, now)
        assert np.all(np.diff(moments) >= 0)
        assert moments[head == ABOVE] == [now]
        assert np.all(head[moments != now] == BELOW)
        for y, recorded in zip(ys, plot.ys, strict=True):
            assert y[head == ABOVE] == np.interp(now, x, recorded)
            assert set(recorded) <= set(y)
            assert (y.min(), y.max()) == (recorded.min(), recorded.max())


def test_in_plots_over_other_variables_the_cursor_is_at_the_current_point():
    x, y = np.array([1.0, -1.0, 0.0]), np.array([2.0, -2.0, 0.5])
    plot = Plot("s", ["measured"], x, [y], True, np.array([0.0, 1.0, 2.0]))
    places, values, head = columns(plot, 1.0)
    assert (places[head == ABOVE], values[head == ABOVE]) == (-1.0, -2.0)


def test_every_plot_is_pointed_at_the_chosen_one_too():
    charts = Charts(Gui(), [line("a", [1, 2])], {"b": lambda: line("b", [3, 4])}, now=0.0)
    charts.box.value = "b"
    charts.update_selection()
    charts.move_cursor(0.5)
    for chart in (charts.charts[0], charts.selected):
        assert chart.data[0][chart.data[-1] == ABOVE] == [0.5]
        assert len(chart.series) == len(chart.data)

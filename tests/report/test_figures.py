import itertools

import numpy as np
import pytest

from dovetail.core.errors import DovetailError, ParameterError
from dovetail.core.recording import Recording
from dovetail.report import figures
from dovetail.report.style import svg


def labels(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_the_motion_figure_shows_demand_measured_and_reference(late, reference):
    figure = figures.motion(late, reference)
    assert labels(figure) == ["reference", "demand", "measured"]
    assert figure.axes[0].get_ylabel() == "displacement [mm]"
    assert labels(figures.motion(late)) == ["demand", "measured"]


def test_the_detail_shows_the_last_four_cycles(late):
    start, end = figures.motion(late).axes[1].get_xlim()
    assert end == pytest.approx(3.0)
    assert end - start == pytest.approx(4 / 3.0, rel=0.05)  # four cycles of 3 Hz; the line is found on a grid


def test_figures_show_the_recorded_values(late, reference):
    line = figures.motion(late, reference).axes[0].lines[1]
    assert np.max(line.get_ydata()) == pytest.approx(1e3 * float(late.data.displacement.max()))


def test_the_reference_is_drawn_up_to_the_end_of_the_run(unstable, reference):
    figure = figures.motion(unstable, reference)
    end = float(unstable.data.time[-1])
    assert end < 3.0
    assert max(line.get_xdata().max() for line in figure.axes[0].lines) <= end


def test_errors_show_both_or_the_local_one_alone(late, reference):
    assert len(labels(figures.errors(late, reference))) == 2
    assert len(labels(figures.errors(late))) == 1


def test_the_force_is_labelled_as_feedback_force(late, reference):
    assert labels(figures.force(late, reference)) == ["reference", "feedback"]


def test_synchronisation_has_equal_axes_and_the_critical_loop(late):
    figure = figures.synchronisation(late, 6.77e-3)
    ax = figure.axes[0]
    assert ax.get_xlim() == ax.get_ylim()
    assert "critical delay 6.77 ms" in labels(figure)
    assert ax.get_xlabel() == "demand z [mm]"


def test_synchronisation_of_several_axes_has_numbers_that_do_not_meet(two_axes):
    figure = figures.synchronisations(two_axes, axes=[0, 1])
    svg(figure)  # laid out
    for ax in figure.axes[:2]:
        assert ax.get_xlabel() == "demand [mm]"  # not "z", which is the name of an axis
        boxes = [tick.get_window_extent() for tick in ax.get_xticklabels() if tick.get_text()]
        assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))


@pytest.mark.parametrize("critical", [None, np.inf, np.nan, 100.0])
def test_synchronisation_does_without_a_critical_loop(late, critical):
    assert labels(figures.synchronisation(late, critical)) == ["ideal", "measured"]


def test_the_spectrum_marks_the_instability(late, reference):
    figure = figures.spectrum(late, reference, frequency=7.116)
    assert "instability at 7.12 Hz" in labels(figure)
    ticks = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert not any("math" in tick for tick in ticks)


def test_two_axes_have_a_row_of_panels_each(two_axes):
    figure = figures.motion(two_axes)
    assert [ax.get_ylabel() for ax in figure.axes[::2]] == ["1 [mm]", "2 [mm]"]
    assert len(figures.motion(two_axes, axes=[1]).axes) == 2


def test_growth_against_delay_marks_critical_and_runs():
    tau = np.linspace(0, 0.01, 20)
    figure = figures.growth_against_delay(tau, 500 * (tau - 6.77e-3), 6.77e-3, {"mine": 3e-3, "yours": 9e-3})
    texts = [text.get_text().strip() for text in figure.axes[0].texts]
    assert {"critical delay 6.77 ms", "mine", "yours", "unstable"} <= set(texts)


def test_growth_needs_two_equal_rows():
    with pytest.raises(ParameterError, match="equal length"):
        figures.growth_against_delay([0.0, 1.0], [1.0])


def test_limits_show_the_largest_value_in_percent():
    figure = figures.limits(
        [figures.LimitUse("force", 101.0, 100.0, "N"), figures.LimitUse("travel", 0.01, 0.05, "m")]
    )
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["20 % (10 of 50 mm)", "101 % (101 of 100 N)"]
    with pytest.raises(ParameterError, match="no limits"):
        figures.limits([])


def test_a_long_run_draws_small():
    t = np.arange(600_000) / 1e4
    rng = np.random.default_rng(1)
    z = 0.01 * np.sin(6 * np.pi * t) + 1e-4 * rng.standard_normal(len(t))
    from types import SimpleNamespace

    import xarray as xr

    run = SimpleNamespace(
        recording=Recording.from_dataset(
            xr.Dataset(
                {
                    "displacement": ("time", z, {"units": "m"}),
                    "measured_displacement": ("time", z, {"units": "m"}),
                },
                coords={"time": t},
            )
        )
    )
    assert len(svg(figures.motion(run))) < 250_000


def test_a_run_at_rest_can_still_be_drawn(late):
    rest = late.data * 0.0
    svg(figures.motion(rest))
    svg(figures.synchronisation(rest, 6.77e-3))


def test_a_missing_signal_is_reported_by_name(late):
    with pytest.raises((DovetailError, KeyError), match="measured_displacement"):
        figures.motion(late.data.drop_vars("measured_displacement"))


def test_labels_of_runs_with_equal_delay_are_stacked():
    """Over each other they could not be read."""
    tau = np.linspace(0, 0.012, 5)
    marked = {"first": 9e-3, "again": 9e-3, "early": 3e-3}
    figure = figures.growth_against_delay(tau, tau - 6.77e-3, 6.77e-3, marked)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "first\nagain" in texts
    assert "early" in texts


def test_dashed_lines_are_used_for_the_lower_curve(late, reference):
    for below, dash in ((None, "-"), (reference.data, "--")):
        closely = figures.force(late.data, below).axes[1]
        assert closely.lines[-1].get_linestyle() == dash


def test_the_line_of_a_limit_is_below_the_text():
    uses = [figures.LimitUse("displacement", 0.0182, 0.025, "m")]
    ax = figures.limits(uses).axes[0]
    (words,) = ax.texts
    assert words.get_bbox_patch() is not None
    assert words.get_zorder() > ax.lines[0].get_zorder()
    assert "var(--paper)" in svg(ax.figure)

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.report import plot


def test_an_overview_has_displacement_force_and_error(late, reference):
    figure = plot(late, reference)
    assert [ax.get_ylabel() for ax in figure.axes] == ["displacement [mm]", "force [N]", "error [µm]"]
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert names == ["reference", "excitation r", "demand z", "command zₚ", "measured x"]


def test_an_overview_can_be_saved(late, tmp_path):
    plot(late).savefig(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 10_000


def test_one_of_several_axes_is_shown(two_axes):
    first, second = plot(two_axes), plot(two_axes, axis=1)
    top = [figure.axes[0].lines[1].get_ydata().max() for figure in (first, second)]
    assert top[1] == pytest.approx(top[0] / 2)


def test_a_reference_solution_is_drawn_with_its_signals(reference):
    assert [ax.get_ylabel() for ax in plot(reference).axes] == ["displacement [mm]", "force [N]"]


def test_an_empty_run_has_nothing_to_plot(late):
    with pytest.raises(AnalysisError, match="has 0 samples"):
        plot(late.data.isel(time=slice(0, 0)))


def test_a_run_without_declared_signals_lists_its_signals(late):
    with pytest.raises(AnalysisError, match="recorded signals: velocity"):
        plot(late.data[["velocity"]])


def test_an_excitation_that_is_not_a_motion_has_a_separate_panel(late):
    shaken = late.data.copy()
    shaken["excitation"] = shaken["excitation"].assign_attrs(units="m/s^2")
    labels = [ax.get_ylabel() for ax in plot(shaken).axes]
    assert len(labels) == 4
    assert labels[0].startswith("excitation [")
    assert labels[1] == "displacement [mm]"
    assert "excitation" not in "".join(t.get_text() for t in plot(shaken).axes[1].get_legend().get_texts())


def test_the_moving_axis_is_shown(two_axes):
    """A drop on a rig of six axes was drawn as flat lines: its first axis rests."""
    scales = np.array([0.0, 1.0])
    about = {"units": "m, rad", "axis_units": ["m", "rad"]}
    turning = two_axes.data.assign_coords(axis=["x", "roll"])
    several = [name for name in turning if "axis" in turning[name].dims]
    turning = turning.assign({name: (turning[name] * scales).assign_attrs(about) for name in several})
    pushed = turning["excitation"].values[:, 1] + 1e-3
    turning = turning.assign(excitation=("time", pushed, {"units": "m"}))
    figure = plot(turning)
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels[:2] == ["excitation [mm]", "displacement roll [rad]"]  # a length is not drawn over an angle
    assert np.ptp(figure.axes[1].lines[-1].get_ydata()) > 0
    still = turning.assign(excitation=0.0 * turning["displacement"])
    names = [text.get_text() for ax in plot(still).axes for text in ax.get_legend().get_texts()]
    assert not any("excitation" in name for name in names)  # at rest there is nothing to see

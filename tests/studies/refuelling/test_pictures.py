"""Each picture shows what it says, in the unit that its axes have, on made-up runs."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from dovetail.studies.refuelling import pictures
from dovetail.studies.refuelling.drop import Drop
from dovetail.studies.refuelling.validation import Strikes

T = np.linspace(0.0, 1.0, 201)


@pytest.fixture
def run():
    n = T.size
    nodes = np.zeros((n, 3, 4))
    nodes[:, 0], nodes[:, 2] = -np.arange(4.0), -0.5 * T[:, None]
    force = np.tile([3.0, 0.0, 4.0, 0.0, 12.0, 5.0], (n, 1))
    place = np.stack([0.1 * T, 0 * T, 0.2 * T], axis=1)
    return {
        "time": T,
        "hose_position": nodes,
        "force": force,
        "drogue_position": place + 5.0,
        "ball_joint_position": 0.5 * place,
        "displacement": place,
        "drogue_attitude_change": np.stack([-np.radians(10 * T), 0 * T], axis=1),
        "end_tension": 2500.0 - 100 * T,
        "tow_tension": 3300.0 + 0 * T,
        "reeled_length": 0.5 * T,
        "reel_speed": 0.5 + 0 * T,
        "reel_error": 0.02 * T,
    }


def last(axes, line=0):
    return float(axes.lines[line].get_ydata()[-1])


def test_reeling_in_is_drawn_as_length_speed_and_error(run):
    axes = Figure().subplots(3)
    pictures.reel_tracking(axes, {"A": run, "B": run})
    assert [len(panel.lines) for panel in axes] == [2, 2, 2]
    assert [last(panel) for panel in axes] == pytest.approx([0.5, 0.5, 20.0])
    pictures.reeled_drogue(axes := Figure().subplots(3), {"A": run})
    assert [last(panel) for panel in axes] == pytest.approx([0.1, 0.2, 10.0])


def test_shapes_are_drawn_at_the_given_times(run):
    axes = Figure().add_subplot()
    pictures.hose_shapes(axes, run, [0.0, 1.0])
    assert [line.get_label() for line in axes.lines] == ["0 s", "1 s"]
    assert last(axes, 1) == pytest.approx(-0.5)


def test_trajectories_are_relative_to_the_initial_position(run):
    axes = Figure().add_subplot()
    pictures.trajectory(axes, {"50 mm": run})
    assert last(axes, 0) == pytest.approx(200.0)  # up [mm]
    assert last(axes, 1) == pytest.approx(100.0)
    assert [line.get_linestyle() for line in axes.lines] == ["-", "--"]


def test_wrench_tension_attitude_and_reel_have_their_sizes(run):
    axes = Figure().subplots(6)
    pictures.wrench(axes[:2], {"one": run})
    pictures.tension(axes[2:4], {"one": run})
    pictures.drogue_attitude_change(axes[4], {"one": run})
    pictures.reeled(axes[5], {"one": run})
    assert [last(panel) for panel in axes] == pytest.approx([5.0, 13.0, 2400.0, 3300.0, 10.0, 500.0])


def test_a_drop_shows_height_first_impact_and_loops():
    height = 0.1 * np.abs(np.cos(np.pi * T * 2.5))
    depth = np.maximum(0.05 - height, 0.0)
    found = Drop(T, height, np.gradient(height, T), 1e3 * depth, depth)
    axes = Figure().subplots(4)
    pictures.drop(axes[:3], found, found)
    pictures.pose_error(axes[3], {"time": T, "translation": 1e-5 + 0 * T})
    assert axes[0].lines[0].get_ydata().max() == pytest.approx(100.0)
    assert axes[1].lines[0].get_xdata()[0] == pytest.approx(0.0, abs=6.0)  # [ms] from first touch
    assert len(axes[2].lines) == min(4, len(found.contacts()))
    assert last(axes[3]) == pytest.approx(10.0)


def test_a_band_is_a_standard_deviation_to_either_side():
    axes = Figure().add_subplot()
    values = np.stack([0 * T, 2 + 0 * T])
    pictures.band(axes, T, values, "two runs")
    assert last(axes) == pytest.approx(1.0)
    (filled,) = axes.collections
    assert filled.get_paths()[0].get_extents().height == pytest.approx(2 * np.sqrt(2))


def test_strain_goes_once_around_the_basket():
    axes = Figure().add_subplot(projection="polar")
    peaks = np.zeros(32)
    peaks[8] = 1e-4
    pictures.strain_pattern(axes, {"35 deg": peaks})
    azimuth, value = axes.lines[0].get_data()
    assert azimuth[np.argmax(value)] == pytest.approx(np.pi / 2)
    assert value.max() == pytest.approx(100.0)  # [1e-6]
    assert azimuth[-1] == pytest.approx(2 * np.pi)


def test_spectra_sensitivity_and_swings_are_in_millimetres():
    t = 1e-3 * np.arange(1, 2001)
    place = np.zeros((2, 2000, 3))
    place[..., 0] = 0.1 * np.sin(2 * np.pi * 4 * t)
    rest = np.zeros((2, 2000, 6))
    found = Strikes(t, place, place[..., :2], rest, rest, rest[..., 0])
    axes = Figure().subplots(2)
    pictures.spectra(axes, found, found)
    assert axes[0].lines[0].get_ydata().max() == pytest.approx(100.0, rel=1e-3)
    f, amplitude = axes[1].lines[0].get_data()
    assert f[np.argmax(amplitude)] == pytest.approx(4.0, abs=0.5)
    assert f.max() <= 10.0
    alone = Figure().add_subplot()
    pictures.sensitivity(alone, t, {"nominal": place[0, :, 0], "10 mm out": place[0, :, 0]})
    assert len(alone.lines) == 2
    panels = Figure().subplots(2)
    swing = np.full((2, 50, 4), 0.01)
    pictures.swings(panels, np.arange(50.0), swing, swing)
    assert last(panels[1]) == pytest.approx(10.0)


def test_every_published_curve_has_a_picture_and_every_picture_is_proved_here():
    curves = ["3.11", "3.12", "3.13", "4.1-3", *(f"4.2-{n}" for n in range(7, 11))]
    curves += [f"5-{n}" for n in range(3, 12) if n not in (8, 10)] + [f"C.{n}" for n in range(14, 18)]
    assert list(pictures.FIGURES) == curves
    drawn = {name for names in pictures.FIGURES.values() for name in names}
    here = Path(__file__).read_text("utf-8")
    for name in drawn:
        assert callable(getattr(pictures, name))
        assert f"pictures.{name}(" in here, f"no test draws {name}"

"""Every figure is drawn as recorded: curves, areas, limits, places of texts."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

from dovetail.core.recording import RecordedSignal, Recording
from dovetail.report import figures, map_page, maps, overlay
from dovetail.report.interactive import moments
from dovetail.report.plot import plot
from dovetail.report.rope import rope_animation, snapshots
from dovetail.scene.scene import Arrow, Line, Scene, Solid, Tube
from dovetail.scene.shapes import Triangles
from recorded_numbers import TOLERANCE, digest, figure_columns

LAWS = xr.DataArray(
    np.arange(6.0).reshape(2, 3) ** 2,
    {
        "law": ["a", "b"],
        "speed": ("speed", [0.01, 0.02, 0.03], {"units": "m/s", "long_name": "impact speed"}),
    },
    ("law", "speed"),
    attrs={"units": "N"},
)
GRID = xr.DataArray(
    np.array([[0.5, 0.9, 2.0], [1.1, 40.0, 3.0]]),
    {"restitution": [0.8, 1.0], "delay": ("delay", [1e-3, 2e-3, 4e-3], {"units": "s", "long_name": "delay"})},
    ("restitution", "delay"),
    attrs={"units": "1"},
)
IMPACTS = xr.Dataset(
    {f"force_{k}": ("impact", [1.0 + i, 2.0]) for i, k in enumerate("dmh")}, {"impact": [1, 2]}
)
OUTCOMES = xr.Dataset(
    {
        "ending": (("height", "pitch"), [[0, 1], [2, 1]], {"words": ["going", "well", "not well"]}),
        "impacts": (("height", "pitch"), [[20, 1], [8, 2]]),
    },
    {
        "height": ("height", [0.0, 0.1], {"units": "mm", "long_name": "height"}),
        "pitch": ("pitch", [0.0, 0.1], {"units": "deg", "long_name": "pitch"}),
    },
)
DELAYS = np.linspace(0.0, 0.02, 21)
ANGLES = np.linspace(0.0, 6.0, 40)
FIGURES = {
    "motion": lambda late, reference, two: figures.motion(late, reference),
    "motion of two axes": lambda late, reference, two: figures.motion(two),
    "force": lambda late, reference, two: figures.force(late, reference),
    "errors": lambda late, reference, two: figures.errors(late, reference),
    "synchronisation": lambda late, reference, two: figures.synchronisation(late, 6.77e-3),
    "synchronisation of two axes": lambda late, reference, two: figures.synchronisations(two, axes=[0, 1]),
    "spectrum": lambda late, reference, two: figures.spectrum(late, reference, frequency=7.116),
    "growth": lambda late, reference, two: figures.growth_against_delay(
        DELAYS, 500 * (DELAYS - 6.77e-3), 6.77e-3, {"mine": 3e-3, "yours": 9e-3}
    ),
    "limits": lambda late, reference, two: figures.limits(
        [figures.LimitUse("force", 101.0, 100.0, "N"), figures.LimitUse("travel", 0.01, 0.05, "m")]
    ),
    "energy": lambda late, reference, two: figures.energy(late),
    "run": lambda late, reference, two: plot(late, reference),
    "run of two axes": lambda late, reference, two: plot(two),
    "overlay": lambda late, reference, two: overlay.overlay(
        ["a", "b"], [_wave(1.0), _wave(1.2)], "displacement", [0, 1]
    ),
    "lines of a map": lambda late, reference, two: map_page.lines(LAWS, "law"),
    "colours of a map": lambda late, reference, two: map_page.draw_colour_map(GRID),
    "outcomes": lambda late, reference, two: map_page.outcomes(OUTCOMES),
    "bars of a map": lambda late, reference, two: map_page.bars(IMPACTS, "force"),
    "shares": lambda late, reference, two: maps.bars([("delay", 0.8), ("mass", 0.1), ("rate", 1e-9)]),
    "curve": lambda late, reference, two: maps.curve(ANGLES, np.sin(ANGLES), "x", "y"),
    "field": lambda late, reference, two: maps.field(
        np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0]), np.arange(6.0).reshape(2, 3), "x", "y", "z"
    ),
    "scatter": lambda late, reference, two: maps.scatter(
        np.cos(ANGLES), np.sin(ANGLES), ANGLES, "x", "y", "z"
    ),
}


def _wave(scale):
    t = np.linspace(0.0, 1.0, 101)
    values = scale * np.stack([np.sin(6 * t), np.cos(9 * t)], axis=1)
    coords = {"time": RecordedSignal(t), "axis": RecordedSignal(np.array(["x", "y"]), ("axis",))}
    return Recording({"displacement": RecordedSignal(values, ("time", "axis"), {"units": "m"})}, coords)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_the_recorded_numbers(name, late, reference, two_axes, num_regression):
    figure = FIGURES[name](late, reference, two_axes)
    num_regression.check(figure_columns(figure), default_tolerance=TOLERANCE)


def _rope():
    turn, along = np.linspace(0, 1, 30)[:, None] * np.ones(5), np.linspace(0, 10, 5)
    return np.stack([along * np.cos(turn), 0.1 * along + 0 * turn, -along * np.sin(turn)], axis=1)


def test_a_rope_in_motion_has_the_recorded_numbers(num_regression, tmp_path):
    still = plt.figure()
    snapshots(still.add_subplot(projection="3d"), _rope(), number=5)
    moving = rope_animation(_rope(), np.linspace(0.0, 2.0, 30), frames=7)
    moving.save(tmp_path / "rope.gif", writer="pillow", dpi=20)
    columns = {
        f"{name} {i}": digest([*line.get_data_3d(), line.get_linewidth()])
        for name, figure in (("still", still), ("moving", plt.gcf()))
        for i, line in enumerate(figure.axes[0].lines)
    }
    columns["frames"] = digest([list(moving.new_frame_seq())])
    num_regression.check(columns, default_tolerance=TOLERANCE)
    plt.close("all")


def test_a_scene_that_is_played_has_the_recorded_numbers(num_regression):
    """Poses, lines with many and with few points, tubes and arrows, as the page receives them."""

    def nodes(count):
        return lambda k: np.stack(
            [np.arange(count) * 1.0, np.sin(np.arange(count) + k), 0.1 * k * np.ones(count)], 1
        )

    box = Triangles(np.eye(3), np.array([[0, 1, 2]]))
    scene = Scene(
        "title",
        np.linspace(0.0, 1.0, 9),
        lines=[Line("long", nodes(200)), Line("short", nodes(4))],
        arrows=[Arrow("force", lambda k: np.ones(3) * k, lambda k: np.array([k, 2.0, 0.0]), 0.1)],
        solids=[
            Solid("box", box, lambda k: (np.eye(3), np.array([0.1 * k, 0.0, 1.0])), stretch=lambda k: 1 + k)
        ],
        tubes=[Tube("rope", nodes(5), 0.1)],
    )
    num_regression.check({"moments": digest([moments(scene)])}, default_tolerance=TOLERANCE)

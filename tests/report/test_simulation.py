"""The page on a simulation."""

import numpy as np
import pytest
import xarray as xr

from dovetail import testing
from dovetail.report.html import write_page
from dovetail.report.simulation import _moments, _trace, simulation_page

TABLE = {
    "title": "a rope that falls",
    "rate": "20 Hz",
    "axes": ["x", "y", "z"],
    "duration": "0.5 s",
    "numerical": {
        "kind": "towed-rope",
        "airflow": "off",
        "chain": {"kind": "link-chain", "n": 3, "length": "3 m", "mass": "1 kg"},
    },
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    run = testing.parse(TABLE).simulate()
    return write_page(simulation_page(run), tmp_path_factory.mktemp("report") / "report.html").read_text(
        "utf-8"
    )


def test_the_page_shows_outcome_and_results(page):
    assert "Finished" in page
    assert "Open loop" in page
    assert '<figure class="still"><picture>' in page
    assert "largest tension" in page
    assert "link-chain" in page  # the resolved simulation


def test_a_system_defines_first_signals_and_captions(page):
    tip, other = page.index("Position of the tip relative to the support"), page.index("work of the dampers")
    assert tip < other
    assert "numerical substructure" not in page


def test_shades_are_visible_in_dark_mode(page):
    chain = page[page.index("<h2>Shape") : page.index("<h2>Signals")]
    assert "var(--ink)" in chain
    assert "#000000" not in chain


def test_shapes_are_drawn_at_equal_distances_of_motion():
    nodes = np.zeros((101, 3, 2))
    nodes[:11, 0, 1] = np.linspace(0, 1, 11)  # all of its motion in the first tenth
    nodes[11:, 0, 1] = 1.0
    assert _moments(nodes, 6).tolist() == [0, 2, 4, 6, 8, 10]
    assert _moments(0 * nodes).tolist() == [0]


def test_several_ropes_have_a_panel_for_each_axis_and_their_names():
    data = xr.Dataset(
        {
            "displacement": (
                ("time", "axis", "rope"),
                np.random.default_rng(0).normal(size=(5, 3, 2)),
                {"units": "m"},
            )
        },
        {"time": np.arange(5.0), "axis": ["x", "y", "z"]},
    )
    figure = _trace(data, "displacement", ["thin", "thick"])
    assert [axes.get_ylabel() for axes in figure.axes] == ["x [m]", "y [m]", "z [m]"]
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["thin", "thick"]


def test_zero_signals_are_listed_and_not_drawn(page):
    text = page[page.index("Zero at all times: ") :].partition("</p>")[0]
    assert "commanded angles of attack and side-slip" in text


def test_energies_share_a_figure_with_a_legend_above(page):
    picture = page[page.index("Energy and external work") :].partition("</svg>")[0]
    assert "kinetic energy" in picture
    assert "work of the dampers" in picture
    data = xr.Dataset({"displacement": (("time", "axis"), np.ones((5, 3)), {"units": "m", "symbol": "z"})})
    data = data.assign_coords(time=np.arange(5.0), axis=["x", "y", "z"])
    figure = _trace(data, "displacement", [])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert axes.get_legend().get_window_extent().y0 > axes.get_window_extent().y1 - 1  # hides nothing

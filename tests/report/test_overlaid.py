"""Runs laid over each other."""

import numpy as np
import pytest
import xarray as xr

from dovetail import testing
from dovetail.report.overlaid import common, overlay, overlays, simulations_page
from dovetail.report.page import PageTable, Picture

TABLE = {
    "kind": "simulation",
    "title": "a rope that falls",
    "rate": "20 Hz",
    "duration": "0.5 s",
    "system": {
        "kind": "towed-rope",
        "air": "off",
        "chain": {"kind": "link-chain", "n": 3, "length": "3 m", "mass": "1 kg"},
    },
}


def recorded(scale=1.0, step=0.01, until=1.0):
    t = np.arange(0, until + 1e-9, step)
    about = {"units": "m"}
    z = np.stack([scale * np.sin(6 * t), 1e-15 * t, 2 * t], axis=1)
    return xr.Dataset({"displacement": (("time", "axis"), z, about)}, {"time": t, "axis": ["x", "y", "z"]})


def test_the_difference_is_that_of_the_recordings():
    """Sampled otherwise and shorter: what is told is the largest difference over the time of both."""
    a, b = recorded(), recorded(1.1, 0.004, 0.9)
    table, picture = overlays(["first", "second"], [a, b], ["displacement"])
    t = a.time.values[a.time.values <= 0.9]
    assert table.rows[0][2] == f"{1e3 * np.abs(0.1 * np.sin(6 * t)).max():.3g} mm"
    below = picture.figure.axes[2]
    drawn = below.lines[0].get_ydata()
    np.testing.assert_allclose(np.abs(drawn).max(), 1e3 * np.abs(0.1 * np.sin(6 * t)).max(), rtol=2e-3)
    # between samples of the second run a straight line is taken


def test_rounding_is_no_difference_and_has_no_panel():
    a = recorded()
    table, picture = overlays(["first", "again"], [a, recorded()], ["displacement"])
    assert table.rows[0][2] == "none"
    assert [ax.get_ylabel() for ax in picture.figure.axes[:2]] == ["x [mm]", "z [m]"]


def test_a_difference_is_measured_by_the_whole_vector_not_by_a_part_that_hardly_moves():
    a, b = recorded(), recorded()
    b["displacement"] = b["displacement"].copy()
    still = int(np.argmin(np.abs(a["displacement"].values).max(axis=0)))
    b["displacement"].values[:, still] += 0.5
    table, _ = overlays(["first", "other"], [a, b], ["displacement"])
    largest = float(np.abs(a["displacement"].values).max())
    assert table.rows[0][3] == f"{100 * 0.5 / largest:.3g} %"


def test_every_run_is_named_and_drawn():
    figure = overlay(["a", "b", "c"], [recorded(), recorded(2.0), recorded(3.0)], "displacement", [0])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b", "c"]
    assert [len(ax.lines) for ax in figure.axes] == [3, 3]  # below: two differences and the line at none


def test_signals_that_not_all_have_are_left_out():
    a = recorded().assign(tension=("time", np.ones(101)))
    assert common([a, recorded()]) == ["displacement"]
    assert common([a, a], first=["tension"]) == ["tension", "displacement"]
    assert common([a, xr.Dataset(coords={"time": [0.0, 1.0]})]) == []


@pytest.fixture(scope="module")
def simulated():
    other = {**TABLE, "system": {**TABLE["system"], "chain": {**TABLE["system"]["chain"], "mass": "3 kg"}}}
    return [testing.parse(table).simulate() for table in (TABLE, other)]


def test_simulations_have_a_page_side_by_side(simulated):
    page = simulations_page("two ropes", ["light", "heavy"], simulated)
    assert [section.title for section in page.blocks[:3]] == [
        "What differs between them",
        "What came of it",
        "Laid over each other",
    ]
    assert [row[0] for row in page.blocks[0].blocks[0].rows] == ["system.chain.mass"]
    kinds = [type(block) for block in page.blocks[2].blocks]
    assert kinds[0] is PageTable
    assert Picture in kinds
    assert page.verdict.sentence.startswith(("Apart", "Alike"))
    assert page.verdict.tone == "plain"

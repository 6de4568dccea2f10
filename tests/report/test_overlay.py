"""Runs laid over each other."""

from dataclasses import replace

import numpy as np
import pytest

from dovetail import testing
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.report.overlay import apart, common, overlay, overlays, simulations_page
from dovetail.report.page import FigureBlock, PageTable

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


def recorded(scale=1.0, step=0.01, until=1.0):
    t = np.arange(0, until + 1e-9, step)
    about = {"units": "m"}
    z = np.stack([scale * np.sin(6 * t), 1e-15 * t, 2 * t], axis=1)
    coords = {"time": RecordedSignal(t), "axis": RecordedSignal(np.array(["x", "y", "z"]), ("axis",))}
    return Recording({"displacement": RecordedSignal(z, ("time", "axis"), about)}, coords)


def with_signal(name, signal):
    return replace(recorded(), signals={**recorded().signals, name: signal})


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


def test_rounding_does_not_count_as_difference():
    a = recorded()
    table, picture = overlays(["first", "again"], [a, recorded()], ["displacement"])
    assert table.rows[0][2] == "none"
    assert [ax.get_ylabel() for ax in picture.figure.axes[:2]] == ["x [mm]", "z [m]"]


def test_a_difference_is_relative_to_the_whole_vector():
    a, b = recorded(), recorded()
    still = int(np.argmin(np.abs(a["displacement"].values).max(axis=0)))
    b["displacement"].values[:, still] += 0.5
    table, _ = overlays(["first", "other"], [a, b], ["displacement"])
    largest = float(np.abs(a["displacement"].values).max())
    assert table.rows[0][3] == f"{100 * 0.5 / largest:.3g} %"


def posed(turn=0.1, way=2.0, away=0.0, turned=0.0, until=1.0):
    """A pose on two axes, a length and an angle."""
    t = np.arange(0, until + 1e-9, 0.01)
    about = {"units": "m", "axis_units": ["m", "rad"]}
    z = np.stack([way * np.sin(6 * t) + away, turn * np.sin(6 * t) + turned], axis=1)
    coords = {"time": RecordedSignal(t), "axis": RecordedSignal(np.array(["x", "roll"]), ("axis",))}
    return Recording({"displacement": RecordedSignal(z, ("time", "axis"), about)}, coords)


def test_lengths_and_angles_are_compared_separately():
    """The larger share counts, and in its own unit: 0.05 of 0.1 rad is more than 0.06 of 2 m."""
    table, _ = overlays(["first", "other"], [posed(), posed(away=0.06, turned=0.05)], ["displacement"])
    most = np.abs(0.1 * np.sin(6 * posed().time.values)).max()
    assert table.rows[0][2:] == ["0.05 rad", f"{100 * 0.05 / most:.3g} %"]


def test_an_angle_of_rounding_size_is_not_a_signal():
    still = RecordedSignal(np.full(101, 1e-14), ("time",), {"units": "rad"})
    assert common([with_signal("attitude_angles", still)] * 2) == ["displacement"]
    table, _ = overlays(["a", "b"], [posed(1e-14), posed(3e-14)], ["displacement"])
    assert table.rows[0][2:] == ["none", "0 %"]


def test_the_compared_time_of_runs_of_different_length_is_stated():
    table, _ = overlays(["a", "b"], [recorded(), recorded(1.1)], ["displacement"])
    assert list(table.head) == ["signal", "run", "largest difference to a", "in % of the peak in a"]
    runs = [recorded(), recorded(1.1, until=0.5), recorded(1.2)]
    table, _ = overlays(["a", "b", "c"], runs, ["displacement"])
    assert table.head[-1] == "compared time"
    assert [row[-1] for row in table.rows] == ["0.5 s", "1 s"]
    table, _ = overlays(["b", "a"], [recorded(1.1, until=0.5), recorded()], ["displacement"])
    assert [row[-1] for row in table.rows] == ["0.5 s"]  # the first is the shorter one


def test_the_largest_difference_is_stated_in_a_sentence():
    runs = [recorded(), recorded(1.1)]
    most, largest = np.abs(0.1 * np.sin(6 * runs[0].time.values)).max(), 2.0
    text = f"Displacement: largest difference to a {1e3 * most:.3g} mm"
    assert apart(["a", "b"], runs, "displacement") == (
        True,
        f"{text} ({100 * most / largest:.3g} % of the peak there).",
    )
    alike = apart(["a", "b"], [recorded(), recorded()], "displacement")
    assert alike == (False, "Displacement: no difference to a.")
    assert (
        "Displacement of c: largest difference"
        in apart(["a", "b", "c"], [*runs, recorded(1.2)], "displacement")[1]
    )


def test_parts_have_names_without_underscores():
    angles = RecordedSignal(np.ones((101, 1)), ("time", "attitude_angles_0"), {"units": "rad"})
    turned = with_signal("attitude_angles", angles)
    figure = overlay(["a", "b"], [turned, turned], "attitude_angles", [0])
    assert figure.axes[0].get_ylabel() == "attitude angles 1 [rad]"


def test_every_run_is_labelled_and_drawn():
    figure = overlay(["a", "b", "c"], [recorded(), recorded(2.0), recorded(3.0)], "displacement", [0])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b", "c"]
    assert [len(ax.lines) for ax in figure.axes] == [3, 3]  # below: two differences and the line at none


def test_signals_that_are_not_common_are_omitted():
    a = with_signal("tension", RecordedSignal(np.ones(101)))
    assert common([a, recorded()]) == ["displacement"]
    assert common([a, a], first=["tension"]) == ["tension", "displacement"]
    assert common([a, Recording({}, {"time": RecordedSignal(np.array([0.0, 1.0]))})]) == []
    own = replace(recorded(), signals={"of_its_own": recorded()["displacement"]})
    assert common([own, own]) == ["of_its_own"]
    assert common([own, own], others=False) == []


@pytest.fixture(scope="module")
def simulated():
    other = {
        **TABLE,
        "numerical": {**TABLE["numerical"], "chain": {**TABLE["numerical"]["chain"], "mass": "3 kg"}},
    }
    return [testing.parse(table).simulate() for table in (TABLE, other)]


def test_simulations_have_a_page_side_by_side(simulated):
    page = simulations_page("two ropes", ["light", "heavy"], simulated)
    assert [section.title for section in page.blocks[:3]] == [
        "Differences",
        "Results",
        "Overlay",
    ]
    assert [row[0] for row in page.blocks[0].blocks[0].rows] == ["numerical.chain.mass"]
    kinds = [type(block) for block in page.blocks[2].blocks]
    assert kinds[0] is PageTable
    assert FigureBlock in kinds
    assert page.verdict.sentence.startswith(("Different", "Identical"))
    assert page.verdict.tone == "plain"

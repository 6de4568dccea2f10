"""The page on creep tests: what it shows, and that it is whole."""

import dataclasses

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.report.html import write_page
from dovetail.report.pseudodynamic import histories, pseudodynamic_page, trace
from dovetail.testing.pseudodynamic import PseudodynamicSettings


@pytest.fixture(scope="module")
def run():
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(dv.transfer.Delay(9.4e-3), dv.specimens.Spring(k=2250.0)),
        excitation=dv.Sine(amplitude=0.005, frequency=3.0),
        duration=0.01,
        pseudodynamic=PseudodynamicSettings(move_time=0.04, settling_time=0.08),
        title="Small <test>",
    )
    return test.run_pseudodynamic()


def test_the_page_shows_outcome_moves_and_test(run, tmp_path):
    page = write_page(pseudodynamic_page([run]), tmp_path / "report.html").read_text("utf-8")
    assert "Small &lt;test&gt;" in page
    assert "Finished: the run reached its end time." in page
    assert "contact_step" in page
    assert page.count("<svg") >= 1


def test_several_runs_share_a_page_and_an_animation_is_in_it(run, tmp_path):
    gif = tmp_path / "a.gif"
    gif.write_bytes(b"GIF89a")
    page = write_page(pseudodynamic_page([run, run], ["one", "two"], "Both", gif), tmp_path / "r.html")
    text = page.read_text("utf-8")
    assert "2 of 2 finished" in text
    assert "data:image/gif;base64,R0lGODlh" in text
    assert "<title>Both" in text


def test_readings_are_dots_on_the_force(run):
    figure = histories([run], ["one"])
    lines = figure.axes[-1].lines
    assert lines[1].get_marker() == "."
    assert len(lines[1].get_xdata()) == 9  # of ten moves, the first is at t = 0
    fastest = float(abs(run.data.velocity).max())
    assert fastest < 1.0
    shown = trace([run], ["one"], "velocity").axes[0]
    assert shown.get_ylabel() == "z' [mm/s]"  # in the unit that suits it
    assert np.abs(shown.lines[0].get_ydata()).max() == pytest.approx(1e3 * fastest)


def test_cell_time_is_formatted_in_minutes_and_hours(run):
    long = dataclasses.replace(
        run, recording=Recording.from_dataset(run.data.assign_attrs(cell_seconds=13005.0))
    )
    table = pseudodynamic_page([long]).blocks[0].blocks[0]
    assert table.rows[0][-1] == "3.6 h"


def test_several_runs_have_a_legend_and_one_run_has_none(run):
    assert histories([run], ["one"]).axes[0].get_legend() is None
    figure = histories([run, run], ["one", "two"])
    figure.draw_without_rendering()
    axes = figure.axes[0]
    assert axes.get_legend().get_window_extent().x0 > axes.get_window_extent().x1 - 1

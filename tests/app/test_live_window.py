"""Newest samples of a live run, against the rows that were written."""

import dataclasses

import numpy as np
import pytest
from tests.testing.conftest import cs1

import dovetail as dv
from dovetail.app.live_window import live_window
from dovetail.links.live_run import Live


@pytest.fixture
def live(tmp_path):
    test = dataclasses.replace(cs1(), limits=dv.Limits(displacement=0.02, force=50.0, tracking_error=0.004))
    with Live(test, tmp_path / "run", "realtime") as live:
        yield live


def test_the_last_seconds_are_shown_with_the_largest_share_of_each_limit(live):
    show = live.show()
    t = np.arange(1, 3001) * 1e-3
    z, late = 0.01 * np.sin(20 * t) * np.exp(-t), 2e-3
    for i in range(len(t)):
        row = {
            "displacement": z[i],
            "measured_displacement": z[i] - late * (i == 2500),
            "measured_force": 10.0,
        }
        show({name: np.asarray(value) for name, value in row.items()})
    window = live_window(live.folder, seconds=1.0)
    assert (window.samples, window.end) == (1000, pytest.approx(3.0))
    shown = window.charts["motion"]["displacement"]
    assert shown.y.max() == np.float32(z[2000:].max())  # decimation keeps the peaks
    assert shown.t[0] >= 2.0
    assert "lateness" not in window.charts
    shares = {share.name: share.fraction for share in window.shares}
    assert shares["displacement"] == pytest.approx(np.abs(z[2000:]).max() / 0.02)
    assert shares["force"] == pytest.approx(0.2)
    assert shares["tracking_error"] == pytest.approx(0.5)
    assert window.limits == {"motion": 0.02, "force": 50.0}


def test_a_run_without_rows_and_an_ended_run_show_nothing(live, tmp_path):
    assert live_window(live.folder) is None
    assert live_window(tmp_path) is None

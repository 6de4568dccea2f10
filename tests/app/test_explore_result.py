"""Traces keep their peaks with a limited number of points."""

import numpy as np

from dovetail.app.explore_result import POINTS, ExploreResult, Trace


def test_a_long_trace_keeps_its_peaks():
    random = np.random.default_rng(5)
    t = np.arange(20_000) * 1e-3
    y = random.normal(size=20_000)
    trace = Trace.from_signal("x", "m", t, y)
    assert len(trace.t) <= POINTS + 2
    assert trace.y.max() == np.float32(y.max())
    assert trace.y.min() == np.float32(y.min())


def test_the_axis_with_the_largest_motion_is_shown():
    y = np.stack([np.zeros(10), np.linspace(0, -3, 10)], axis=1)
    y[3, 0] = np.nan
    assert Trace.from_signal("x", "m", np.arange(10.0), y).y[-1] == -3


def test_errors_of_a_part_of_the_test_state_which_part():
    values = {"error": 0.00391, "tracking": 0.02, "duration": 5.0}
    part = ExploreResult(1, {}, computed_time=0.5, **values).texts()
    whole = ExploreResult(1, {}, computed_time=5.0, **values).texts()
    assert part["response error"] == "0.391 % in the first 0.5 of 5 s"
    assert whole["response error"] == "0.391 %"
    assert part["delay margin"] == whole["delay margin"] == "not determined"

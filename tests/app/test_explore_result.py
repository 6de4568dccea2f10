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


def test_a_later_reference_completes_the_result():
    line = Trace.from_signal("x", "m", np.arange(3.0), np.arange(3.0))
    whole = ExploreResult(1, {}, {"response": line}, reference_pending=True).with_reference(line, line, 0.1)
    assert set(whole.traces) == {"response", "reference", "error"}
    assert not whole.reference_pending
    assert whole.error == 0.1

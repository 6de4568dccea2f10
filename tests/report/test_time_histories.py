"""Traces in time."""

import numpy as np

from dovetail.report import time_histories as figures


def test_the_detail_of_a_run_without_cycles_is_at_the_largest_force(make):
    t = np.linspace(0.0, 1.0, 4001)
    burst = -np.exp(-(((t - 0.3) / 0.002) ** 2))
    run = make.recording(t, displacement=t, measured_displacement=t, feedback_force=burst)
    assert figures.has_detail_view(run)
    start, end = figures.force(run).axes[1].get_xlim()
    assert start < 0.3 < end
    assert end - start < 0.1


def test_a_run_of_which_the_cycles_are_all_is_not_drawn_twice(make):
    t = np.linspace(0.0, 1.0, 2001)
    z = np.sin(2 * np.pi * 3 * t)
    run = make.recording(t, displacement=z, measured_displacement=z)
    assert not figures.has_detail_view(run)
    assert len(figures.motion(run).axes) == 1

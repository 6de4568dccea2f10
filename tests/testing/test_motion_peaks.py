"""Peaks of a motion, and their bounds."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.testing.motion_peaks import MotionPeaks


def test_a_sine_has_the_peaks_of_its_derivatives():
    t = np.arange(0.0, 2.0, 1e-4)
    omega = 2 * np.pi * 3.0
    peaks = MotionPeaks.from_samples(0.01 * np.sin(omega * t), 1e-4, 20.0 * np.cos(omega * t))
    found = [peaks.displacement[0], peaks.velocity[0], peaks.acceleration[0], peaks.force[0]]
    assert found == pytest.approx([0.01, 0.01 * omega, 0.01 * omega**2, 20.0], rel=1e-3)
    assert str(peaks) == "10 mm, 188 mm/s, 3.55 m/s², 20 N"


def test_a_preparing_signal_stays_within_limits_and_near_the_test():
    needed = MotionPeaks(*(np.array([peak]) for peak in (0.01, 0.2, 4.0, 20.0)))
    bounds = needed.bounds(dv.Limits(velocity=0.21))
    assert float(bounds.displacement[0]) == pytest.approx(0.012)
    assert float(bounds.velocity[0]) == pytest.approx(0.9 * 0.21)
    assert needed.largest_ratio(bounds) == pytest.approx(0.2 / 0.189)
    unknown = MotionPeaks(*(np.array([peak]) for peak in (0.006, 0.1, 1.0, np.nan)))
    assert unknown.largest_ratio(bounds) == pytest.approx(0.1 / 0.189)

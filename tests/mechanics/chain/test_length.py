"""The reel's programme: its ends, its middle, its rates."""

import numpy as np
import pytest

from dovetail.mechanics.chain import SmoothReel

REEL = SmoothReel(start_length=60.0, end_length=300.0, start=5.0, duration=90.0)


def test_it_is_at_rest_at_both_ends():
    for t, length in ((0.0, 60.0), (5.0, 60.0), (95.0, 300.0), (120.0, 300.0)):
        np.testing.assert_allclose(REEL(t), [length, 0.0, 0.0], atol=1e-9)


def test_its_rates_are_its_derivatives():
    h, t = 1e-4, 40.0
    l = [float(REEL.length(t + k * h)) for k in (-1, 0, 1)]
    got = REEL(t)
    assert float(got[1]) == pytest.approx((l[2] - l[0]) / (2 * h), rel=1e-6)
    assert float(got[2]) == pytest.approx((l[2] - 2 * l[1] + l[0]) / h**2, abs=1e-4)

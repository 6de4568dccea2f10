import numpy as np

from dovetail.transfer import Bias


def test_offset_and_drift_are_added(drive):
    y = drive(Bias([0.5, -1.0], drift=2.0), np.zeros((10, 2)), 0.1)
    t = 0.1 * np.arange(1, 11)
    np.testing.assert_allclose(y, np.stack([0.5 + 2 * t, -1.0 + 2 * t], axis=1))

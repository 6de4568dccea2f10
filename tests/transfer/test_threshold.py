import numpy as np

from dovetail.transfer import Threshold


def test_values_below_the_threshold_are_zero_and_others_unchanged():
    part = Threshold(22.0)
    _, y = part.step(0.0, 1e-3, (), np.array([21.9, 22.0, 22.1, -30.0, -5.0]))
    np.testing.assert_array_equal(y, [0.0, 0.0, 22.1, -30.0, 0.0])


def test_the_linear_model_of_the_threshold_is_unity():
    assert Threshold(22.0).linear().remarks

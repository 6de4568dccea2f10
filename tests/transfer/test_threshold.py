import numpy as np

from dovetail.transfer import Threshold


def test_what_is_not_above_the_level_counts_as_zero_and_the_rest_passes_whole():
    part = Threshold(22.0)
    _, y = part.step(0.0, 1e-3, (), np.array([21.9, 22.0, 22.1, -30.0, -5.0]))
    np.testing.assert_array_equal(y, [0.0, 0.0, 22.1, -30.0, 0.0])


def test_an_analysis_takes_it_as_passing():
    assert Threshold(22.0).linear().remarks

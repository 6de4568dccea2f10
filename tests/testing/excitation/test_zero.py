import numpy as np

from dovetail.testing.excitation import Zero


def test_the_zero_excitation_is_zero_on_all_axes():
    for shape in ((), (2,)):
        rest = Zero().with_sample_time(1e-3, shape)
        np.testing.assert_array_equal(rest(3.0), np.zeros(shape))
        np.testing.assert_array_equal(rest.rate(3.0), np.zeros(shape))

import numpy as np

from dovetail.transfer import DeadZone

signal = np.linspace(-1.0, 1.0, 201)


def test_it_is_silent_inside_and_passes_the_excess_outside(drive):
    y = np.asarray(drive(DeadZone(0.2), signal, 1e-3))
    np.testing.assert_array_equal(y[np.abs(signal) <= 0.2], 0.0)
    np.testing.assert_allclose(y[signal > 0.2], signal[signal > 0.2] - 0.2)


def test_it_is_odd(drive):
    np.testing.assert_array_equal(drive(DeadZone(0.2), -signal, 1e-3), -drive(DeadZone(0.2), signal, 1e-3))


def test_a_zero_threshold_changes_nothing(drive):
    np.testing.assert_array_equal(drive(DeadZone(0.0), signal, 1e-3), signal)

import numpy as np
import pytest

from dovetail.transfer import Hysteresis, LinearityError

dt = 1e-3  # [s]


def test_the_linearity_error_is_that_of_the_sheet_and_vanishes_at_zero_and_at_the_ends(drive):
    u = np.linspace(-25e-3, 25e-3, 1001)
    error = np.asarray(drive(LinearityError(1e-3, 25e-3), u, dt)) - u
    assert np.abs(error).max() == pytest.approx(1e-3 * 25e-3, rel=1e-4)
    np.testing.assert_allclose(error[[0, 500, 1000]], 0.0, atol=1e-18)
    np.testing.assert_allclose(error, -error[::-1], atol=1e-17)


def test_beyond_the_range_the_reading_is_exact(drive):
    np.testing.assert_allclose(drive(LinearityError(1e-3, 25e-3), [0.03], dt), [0.03], atol=1e-17)


def test_hysteresis_reads_low_on_the_way_up_and_high_on_the_way_down(drive):
    up = np.linspace(0.0, 1.0, 200)
    u = np.r_[up, up[::-1], up]
    error = np.asarray(drive(Hysteresis(1.5e-3, 1.0, 0.05), u, dt)) - u
    np.testing.assert_allclose(error[100:199], -1.5e-3)
    np.testing.assert_allclose(error[260:399], 1.5e-3)
    assert np.abs(error).max() <= 1.5e-3 * (1 + 1e-12)


def test_a_closed_loop_of_readings_encloses_the_area_of_the_error(drive):
    t = np.linspace(0.0, 4 * np.pi, 4001)
    u = np.sin(t)
    y = np.asarray(drive(Hysteresis(1.5e-3, 1.0, 1e-3), u, dt))
    area = -np.trapezoid(y[2000:], u[2000:])  # up low, down high; 4 amplitudes wide
    assert area == pytest.approx(4 * 1.5e-3, rel=0.01)  # less the corners, 1e-3 of the range each

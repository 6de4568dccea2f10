import numpy as np
import pytest

from dovetail.transfer import Delay, Series, Stiction

dt = 1e-4  # [s]
A, b = 0.01, 2e-4  # [m] amplitude and breakaway


def sine(frequency, cycles=4):
    t = dt * np.arange(1, int(cycles / frequency / dt))
    return t, A * np.sin(2 * np.pi * frequency * t)


def crossings(t, y):
    i = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    return t[i] - y[i] * dt / (y[i + 1] - y[i])


@pytest.mark.parametrize("frequency", [1.0, 3.0, 8.0, 15.0])
def test_the_delay_at_zero_crossings_is_flat(drive, frequency):
    t, u = sine(frequency)
    y = np.asarray(drive(Series((Delay(9.4e-3), Stiction(b))), u, dt))
    delay = crossings(t, y)[-1] - crossings(t, u)[-1]
    # [s] what is left of the gap: 0.2 mm exp(-14 ms/2 ms) at 15 Hz, over a speed of 0.94 m/s
    assert delay == pytest.approx(9.4e-3, abs=1e-6)


@pytest.mark.parametrize("frequency", [1.0, 8.0])
def test_friction_stops_each_reversal_until_breakaway(drive, frequency):
    _, u = sine(frequency)
    y = np.asarray(drive(Stiction(b), u, dt))
    period = round(1 / frequency / dt)
    held = np.diff(y[-period:]) == 0
    expected = np.arccos(1 - b / A) / (2 * np.pi * frequency)  # A (1 - cos wt) = b
    assert held.sum() * dt == pytest.approx(2 * expected, abs=6 * dt)  # two tips, three samples at each


def test_the_error_is_below_the_breakaway_and_only_near_reversals(drive):
    t, u = sine(3.0)
    gap = u - np.asarray(drive(Stiction(b), u, dt))
    assert np.abs(gap).max() <= b
    middle = np.abs(u) < 0.8 * A  # 50 ms before and after a tip
    after_start = t > 0.1
    assert np.abs(gap[middle & after_start]).max() < 0.02 * b


def test_it_is_worse_at_low_amplitude(drive):
    _, u = sine(3.0)
    share = [np.std(a * u - np.asarray(drive(Stiction(b), a * u, dt))) / np.std(a * u) for a in (1.0, 0.2)]
    assert share[1] > 3 * share[0]


def test_a_tremble_below_the_breakaway_does_not_move_it(drive):
    u = 0.9 * b * np.sin(np.arange(200) / 5.0)
    np.testing.assert_array_equal(drive(Stiction(b), u, dt), 0.0)


def test_without_friction_nothing_changes(drive):
    _, u = sine(3.0, 1)
    np.testing.assert_allclose(drive(Stiction(0.0, 1e-6), u, dt), u, atol=1e-15)


def test_axes_stick_independently(drive):
    _, u = sine(3.0, 1)
    y = drive(Stiction(b), np.stack([u, np.zeros_like(u)], axis=1), dt)
    np.testing.assert_array_equal(y[:, 0], drive(Stiction(b), u, dt))
    np.testing.assert_array_equal(y[:, 1], 0.0)

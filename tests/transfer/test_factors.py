import numpy as np
import pytest
import scipy.signal

from dovetail.transfer.factors import S, pair, ratio, single
from dovetail.transfer.identification import simulate
from dovetail.transfer.transfer_function import TransferFunction


def test_a_pair_has_its_roots_at_its_frequency():
    roots = np.roots(pair(0.3, 500.0))
    np.testing.assert_allclose(np.abs(roots), 500.0)
    np.testing.assert_allclose(-roots.real / np.abs(roots), 0.3)


def test_a_single_has_its_root_at_its_corner():
    np.testing.assert_allclose(np.roots(single(35000.0)), [-35000.0])


def test_a_ratio_is_the_product_of_its_factors():
    h = ratio([pair(0.1, 6500.0)], [S, single(35000.0)], 2700.0)
    s = 1j * 1234.0
    expected = 2700 * (1 + 0.2 * s / 6500 + (s / 6500) ** 2) / (s * (1 + s / 35000))
    assert complex(h(s)) == pytest.approx(complex(expected))


def test_at_75_khz_the_response_equals_an_independent_integration():
    system, dt = ratio([pair(0.2, 8000.0)], [pair(0.1, 11660.0), single(4000.0)]), 1 / 75e3
    u = np.r_[0.0, np.ones(400)]
    y = simulate(TransferFunction(system.numerator, system.denominator, hold="zoh"), u, dt)
    t = np.arange(400) * dt
    _, step = scipy.signal.step((system.numerator, system.denominator), T=np.r_[t, t[-1] + dt])
    np.testing.assert_allclose(y[1:], step[1:], atol=1e-6)

"""Spectra: the height that was asked for, the periods of theory."""

import numpy as np
import pytest

from dovetail.sea import Bretschneider, Jonswap, sea_state


@pytest.mark.parametrize("gamma", [1.0, 3.3, 7.0])
def test_a_jonswap_sea_has_the_given_height(gamma):
    sea = Jonswap(height=3.0, period=9.0, enhancement=gamma)
    assert 4 * float(sea.moment(0)) ** 0.5 == pytest.approx(3.0, rel=1e-5)


def test_a_bretschneider_sea_has_its_moments_in_closed_form():
    sea = Bretschneider(height=4.0, period=10.0)
    assert float(sea.moment(0)) == pytest.approx(1.0, rel=1e-5)
    # m_2 = (H/4)^2 sqrt(5 pi / 4) w_p^2, but its tail falls as w^-3 and is cut at 30 w_p: 0.07 % of it
    tail = 5 / 2 / 30.0**2 * (2 * np.pi / 10) ** 2
    assert float(sea.moment(2)) == pytest.approx(
        np.sqrt(1.25 * np.pi) * (2 * np.pi / 10) ** 2 - tail, rel=1e-4
    )
    assert float(2 * np.pi * np.sqrt(sea.moment(0) / sea.moment(2))) == pytest.approx(0.7104 * 10.0, rel=1e-3)


def test_a_peak_enhancement_of_one_is_bretschneider():
    w = np.linspace(0.2, 3.0, 50)
    a, b = Jonswap(height=2.0, period=8.0, enhancement=1.0), Bretschneider(height=2.0, period=8.0)
    np.testing.assert_allclose(a.density(w), b.density(w), rtol=1e-5)


def test_the_spectral_peak_is_at_the_given_period():
    w = np.linspace(0.4, 1.2, 8001)
    for sea in (Jonswap(height=2.0, period=8.0), Bretschneider(height=2.0, period=8.0)):
        assert w[np.argmax(sea.density(w))] == pytest.approx(2 * np.pi / 8.0, rel=2e-3)


def test_sea_states_are_the_table_and_straight_between():
    assert [float(v) for v in sea_state(5)] == [3.25, 9.7, 12.6]
    np.testing.assert_allclose(sea_state(5.5)[0], 0.5 * (3.25 + 5.0))

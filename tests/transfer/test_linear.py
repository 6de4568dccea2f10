import numpy as np
import pytest

from dovetail.transfer import Delay, FirstOrderLag, LinearTransfer, SecondOrderLag, Series, TransferFunction


def test_a_series_is_the_product():
    parts = (Delay(3.6e-3), SecondOrderLag(235.4, 0.684, 1.02), FirstOrderLag(5e-3))
    s = 40j
    product = np.prod([part.linear()(s) for part in parts])
    np.testing.assert_allclose(Series(parts).linear()(s), product, rtol=1e-12)


def test_axes_are_multiplied_separately():
    # two axes and two coefficients: powers must not be taken for axes
    pair = FirstOrderLag([0.1, 0.2]).linear() * TransferFunction([1.0, 3.0], [1.0, 2.0]).linear()
    for i, tau in enumerate((0.1, 0.2)):
        expected = FirstOrderLag(tau).linear()(5j) * TransferFunction([1.0, 3.0], [1.0, 2.0]).linear()(5j)
        np.testing.assert_allclose(pair.axis(i)(5j), expected)
        np.testing.assert_allclose(pair(5j)[i], expected)


def test_band_limited_delay_of_the_small_rig_is_nearly_flat_to_15_hz():
    # [Wallace 2006, eq. 5.1]'s denominator topped up to 9.4 ms
    g = Series((Delay(3.6e-3), SecondOrderLag(235.4, 0.684, 1.02))).linear()
    assert g.low_frequency_delay == pytest.approx(9.4e-3, abs=0.02e-3)
    delays = [float(g.phase_delay(2 * np.pi * f)) for f in (1.0, 5.0, 10.0, 15.0)]
    assert max(delays) / min(delays) < 1.04


def test_the_phase_delay_includes_whole_turns():
    g = LinearTransfer([1.0], np.poly([-1.0] * 6))  # six lags: the phase passes -180 degrees
    omega = 2.0
    assert g.phase_delay(omega) == pytest.approx(6 * np.arctan(omega) / omega)


def test_the_identified_delays_of_the_thesis():
    hydraulic = TransferFunction([166.5], [1.0, 169.3]).linear()
    assert hydraulic.low_frequency_delay == pytest.approx(5.91e-3, abs=0.005e-3)
    assert hydraulic.phase_delay(2 * np.pi * 3.5) == pytest.approx(5.87e-3, abs=0.02e-3)
    with_zero = TransferFunction([-180.9, 5.651e4], [1.0, 321.8, 5.54e4]).linear()
    assert with_zero.phase_delay(2 * np.pi * 0.5) == pytest.approx(9.01e-3, abs=0.01e-3)


def test_an_integrator_has_no_delay_at_low_frequency():
    assert not np.isfinite(TransferFunction([1.0], [1.0, 0.0]).linear().low_frequency_delay)


def test_a_zero_at_the_origin_leads_by_a_quarter_turn():
    assert LinearTransfer([1.0, 0.0], [1.0]).phase_delay(2.0) == pytest.approx(-np.pi / 4)

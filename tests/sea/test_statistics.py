"""Single waves of a record."""

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.sea import Waves, estimate_spectrum, find_waves

T = np.arange(0.0, 200.0, 0.05)


def test_waves_of_a_sine_are_equal():
    found = find_waves(T, 1.5 * np.sin(0.8 * T) + 4.0)
    np.testing.assert_allclose(found.periods, 2 * np.pi / 0.8, rtol=2e-3)
    np.testing.assert_allclose(found.heights, 3.0, rtol=1e-3)
    assert found.significant == pytest.approx(3.0, rel=1e-3)


def test_rayleigh_heights_are_near_their_law_and_others_are_not():
    u = (np.arange(400) + 0.5) / 400
    true = Waves(np.sqrt(-8 * np.log(1 - u)), np.ones(400), 1.0)
    assert true.rayleigh_distance() < 0.003
    assert true.significant == pytest.approx(4.004, rel=0.01)
    assert Waves(np.full(400, 3.0), np.ones(400), 1.0).rayleigh_distance() > 0.3


def test_a_record_without_waves_is_reported():
    with pytest.raises(AnalysisError, match="longer record"):
        find_waves(T, T)


def test_the_density_of_a_sine_holds_its_power():
    omega, density = estimate_spectrum(T, np.sin(2.0 * T), 4)
    assert np.trapezoid(density, omega) == pytest.approx(0.5, rel=0.02)

"""The source's Fourier convention, and back from a revolution of samples."""

import numpy as np
import pytest

from dovetail.air.rotor import fourier_coefficients, fourier_series
from dovetail.core.errors import ParameterError


def test_waves_enter_with_minus_and_the_constant_with_plus():
    c = np.zeros((1, 17))
    c[0, [0, 1, 4, 16]] = 5.0, 2.0, 3.0, 0.5  # constant, cos psi, sin 2 psi, sin 8 psi
    psi = 0.7
    expected = 5.0 - 2.0 * np.cos(psi) - 3.0 * np.sin(2 * psi) - 0.5 * np.sin(8 * psi)
    assert float(fourier_series(c, psi)[0]) == pytest.approx(expected, rel=1e-14)


def test_harmonic_coefficients_reproduce_the_revolution():
    rng = np.random.default_rng(1)
    c = rng.normal(size=(3, 17))
    psi = 2 * np.pi * np.arange(64) / 64
    revolution = np.stack([np.asarray(fourier_series(c, angle)) for angle in psi], axis=-1)
    np.testing.assert_allclose(fourier_coefficients(revolution), c, atol=1e-13)


def test_a_revolution_too_coarse_for_its_harmonics_is_rejected():
    with pytest.raises(ParameterError, match="16 samples .* 8 harmonics; expected at least 17"):
        fourier_coefficients(np.zeros(16))

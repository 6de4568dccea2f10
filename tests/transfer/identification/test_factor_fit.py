import numpy as np
import pytest

from dovetail.transfer.factors import pair, ratio
from dovetail.transfer.identification import FrequencyResponse, fit_factors


def exact(system, low, high, noise=0.0):
    f = np.linspace(low, high, 400)
    rng = np.random.default_rng(0)
    wobble = 1 + noise * (rng.standard_normal(400) + 1j * rng.standard_normal(400))
    return FrequencyResponse(f, system(2j * np.pi * f) * wobble, np.ones(400), 100)


def test_two_resonances_and_their_zero_are_identified():
    system = ratio([pair(0.06, 19750.0)], [pair(0.07, 10700.0), pair(0.03, 21700.0)], 3e-3)
    fit = fit_factors(
        exact(system, 500.0, 4500.0), poles=[(0.1, 10000.0), (0.1, 22500.0)], zeros=[(0.1, 19000.0)]
    )
    np.testing.assert_allclose(fit.poles, [[0.07, 10700.0], [0.03, 21700.0]], rtol=1e-6)
    np.testing.assert_allclose(fit.zeros, [[0.06, 19750.0]], rtol=1e-6)
    assert fit.gain == pytest.approx(3e-3)
    assert fit.residual < 1e-9


def test_second_order_stand_in_for_a_controlled_actuator():
    fit = fit_factors(exact(ratio([], [pair(0.8, 3000.0)]), 10.0, 1500.0, 0.02), poles=[(0.5, 2000.0)])
    # 400 points of 2 % noise
    np.testing.assert_allclose(fit.poles, [[0.8, 3000.0]], rtol=0.01)
    assert fit.residual == pytest.approx(0.02 * np.sqrt(2), rel=0.15)
    assert abs(complex(fit.transfer(0j))) == pytest.approx(1.0, rel=0.01)

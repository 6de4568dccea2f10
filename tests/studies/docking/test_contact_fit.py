import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.studies.docking.contact_fit import MeasuredImpacts, fit_contact, peak_errors
from dovetail.studies.docking.impact import Instruments

TOOLS = Instruments(3000.0, 2 * np.pi * 1000.0, 0.8, 0.707)
MASS, SPEED = np.array([17.5, 17.5, 23.3, 25.0, 33.3]), np.array([0.05, 0.075, 0.05, 0.05, 0.05])
TRUE = (8e8, 0.6)  # stiffness, factor


@pytest.fixture(scope="module")
def made():
    """Impacts of a known law, 1 % of noise on every peak."""
    blank = MeasuredImpacts(MASS, SPEED, np.ones(5), np.ones(5))
    peaks = np.exp(peak_errors(blank, TOOLS, *TRUE) + 0.01 * np.random.default_rng(0).standard_normal((5, 2)))
    return MeasuredImpacts(MASS, SPEED, peaks[:, 0], peaks[:, 1])


@pytest.mark.slow
def test_a_known_contact_law_is_identified(made):
    fit = fit_contact(made, TOOLS, stiffness=1.2e9, factor=0.2)
    errors = np.sqrt(np.diag(fit.covariance))
    assert abs(np.log(fit.stiffness / TRUE[0])) < 4 * errors[0]
    assert abs(fit.factor - TRUE[1]) < 4 * errors[1]
    assert errors[0] < 0.03
    assert fit.error < 0.015
    assert float(fit.law.force(1e-4, 0.0, 0.05)) == pytest.approx(fit.stiffness * 1e-6)


def test_impossible_peaks_are_rejected():
    with pytest.raises(ParameterError, match="MeasuredImpacts.force: -5 "):
        MeasuredImpacts([1.0], [0.1], [-5.0], [1e-4])
    with pytest.raises(ParameterError, match="for each impact"):
        MeasuredImpacts([1.0, 2.0], [0.1], [5.0], [1e-4])

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer.factors import pair, ratio
from dovetail.transfer.identification import resonance_damping

# read off the measured response, Bondoky 2020, app. B
PUBLISHED = {
    "zeros": [19750.0, 28990.0],
    "poles": [10700.0, 21700.0, 26960.0],
    "zero_heights": [-60.0, -60.0],
    "pole_heights": [-33.0, -44.0, -45.0],
    "gain": -50.0,
}


def test_published_dampings_by_the_linear_system():
    zeros, poles = resonance_damping(**PUBLISHED)
    printed = [0.0035, 0.0124, 0.0047, 0.0006656, 0.0004326]
    np.testing.assert_allclose([*zeros, *poles], printed, rtol=0.02)


def test_exact_damping_reproduces_the_peak_heights():
    zeros, poles = resonance_damping(**PUBLISHED, exact=True)
    system = ratio(
        [pair(np.sqrt(d), w) for d, w in zip(zeros, PUBLISHED["zeros"], strict=True)],
        [pair(np.sqrt(d), w) for d, w in zip(poles, PUBLISHED["poles"], strict=True)],
        10 ** (PUBLISHED["gain"] / 20),
    )
    at = 1j * np.array([*PUBLISHED["zeros"], *PUBLISHED["poles"]])
    heights = [*PUBLISHED["zero_heights"], *PUBLISHED["pole_heights"]]
    np.testing.assert_allclose(20 * np.log10(np.abs(system(at))), heights, atol=1e-6)


def test_impossible_peak_heights_are_rejected():
    with pytest.raises(AnalysisError, match="not all positive"):
        resonance_damping(**PUBLISHED | {"zero_heights": [-30.0, 0.0]})


def test_every_frequency_needs_its_height():
    with pytest.raises(ParameterError, match="expected one height for each"):
        resonance_damping(**PUBLISHED | {"pole_heights": [-33.0]})

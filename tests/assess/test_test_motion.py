"""Where the power of a motion lies."""

import numpy as np
import pytest

from dovetail.assess.test_motion import spectrum
from dovetail.core.errors import AnalysisError


def test_the_spectrum_has_amplitude_and_frequencies_of_each_axis():
    t = np.arange(4000) / 1000
    found = spectrum(
        np.stack([2e-3 * np.sin(2 * np.pi * 3 * t), 1e-3 * np.sin(2 * np.pi * 8 * t)], axis=1), 1e-3
    )
    assert found.peak == pytest.approx(2e-3)
    assert found.frequency[found.power.argmax(axis=0)] == pytest.approx([3.0, 8.0])
    assert 8.0 <= found.highest < 9.0


def test_a_test_without_motion_has_no_spectrum():
    with pytest.raises(AnalysisError, match="needs motion"):
        spectrum(np.zeros(100), 1e-3)

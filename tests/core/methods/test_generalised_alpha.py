"""Numerical damping by choice."""

import numpy as np
import pytest

from dovetail.core import GeneralisedAlpha, stability_limit
from dovetail.core.errors import ParameterError


@pytest.mark.parametrize("radius", [0.0, 0.5, 1.0])
def test_the_highest_frequency_decays_by_the_spectral_radius_for_any_step(radius):
    method = GeneralisedAlpha(radius=radius)
    # the double root at infinity splits as the square root of 1/z
    assert method.amplification(np.asarray(-1e12)) == pytest.approx(radius, abs=3e-6)
    assert stability_limit(method, [-1.0, 1j, -1 + 5j]) == np.inf


def test_a_radius_above_one_is_rejected():
    with pytest.raises(ParameterError, match="radius"):
        GeneralisedAlpha(radius=1.5)

import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.structures import HHTAlpha, Structure


def test_faults_of_shape_and_range_are_reported():
    with pytest.raises(ParameterError, match=r"mass of shape \(1, 1\) and damping of shape \(2, 2\)"):
        Structure(1.0, np.eye(2))
    with pytest.raises(ParameterError, match=r"alpha: got 0.1; must be at least -0.333333 and at most 0"):
        HHTAlpha(0.1)

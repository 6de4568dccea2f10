import numpy as np
import pytest

from dovetail.core.errors import ConvergenceError
from dovetail.mechanics.airframe.statics import equilibrium, foot_loads


def test_a_level_aircraft_loads_both_feet_equally(rest):
    aircraft, x = rest()
    np.testing.assert_allclose(foot_loads(aircraft, x)[:, 1], 246.42, atol=0.01)
    assert x["position"][1] == pytest.approx(0.5311, abs=1e-4)


def test_at_rest_nothing_accelerates(rest, rate):
    np.testing.assert_allclose(rate(*rest()), 0.0, atol=1e-4)


def test_a_missing_equilibrium_is_reported(make):
    with pytest.raises(ConvergenceError, match="no equilibrium"):
        equilibrium(make(2, initial_pose=[30.0, 0.55, 0.0]), iterations=3)

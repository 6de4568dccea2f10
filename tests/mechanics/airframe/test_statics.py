import numpy as np
import pytest

from dovetail.core.errors import ConvergenceError
from dovetail.mechanics.airframe.statics import equilibrium, foot_loads

LEVEL = [0.0, 0.55, 0.0]


@pytest.fixture(scope="module")
def resting(make):
    aircraft = make(2, start=LEVEL)
    return aircraft, equilibrium(aircraft)


def test_a_level_aircraft_stands_on_both_feet_alike(resting):
    aircraft, x = resting
    np.testing.assert_allclose(foot_loads(aircraft, x)[:, 1], 246.42, atol=0.01)
    assert x["position"][1] == pytest.approx(0.5311, abs=1e-4)


def test_at_rest_nothing_accelerates(resting):
    aircraft, x = resting
    np.testing.assert_allclose(aircraft.derivative(0.0, x, None)["speed"], 0.0, atol=1e-4)


def test_where_there_is_no_rest_it_says_so(make):
    with pytest.raises(ConvergenceError, match="no rest was found"):
        equilibrium(make(2, start=[30.0, 0.55, 0.0]), iterations=3)

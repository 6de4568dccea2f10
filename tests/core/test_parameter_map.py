"""Parameter maps: checked parameters, one result for each point."""

import numpy as np
import pytest
import xarray as xr

from dovetail.core import Parameter, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter_map import MAX_CHANGE, ParameterMap, converged_values


class Squares(ParameterMap):
    """Squares of numbers."""

    numbers: Parameter = parameter("1", "to be squared", at_least=0.0)

    def compute(self):
        return xr.Dataset({"square": ("number", np.asarray(self.numbers**2))})

    def summary(self, data):
        return f"largest {float(data.square.max()):g}"


def test_a_map_computes_and_summarises():
    squares = Squares([1.0, 3.0])
    assert squares.summary(squares.compute()) == "largest 9"


def test_a_map_checks_its_parameters():
    with pytest.raises(ParameterError, match="Squares.numbers"):
        Squares([-1.0])


def test_values_that_half_the_step_changes_are_left_out():
    coarse = xr.Dataset({"y": ("x", [1.0, 2.0, 6e10, np.nan, 0.001]), "z": ("x", [1.0, 1.0, 1.0, 1.0, 1.0])})
    fine = xr.Dataset({"y": ("x", [1.0 + MAX_CHANGE / 2, 2.5, 3.0, 1.0, 0.002]), "z": coarse.z})
    kept, messages = converged_values(coarse, fine)
    np.testing.assert_array_equal(np.isnan(kept.y), [False, True, True, True, False])
    np.testing.assert_array_equal(kept.z, 1.0)
    assert len(messages) == 1
    assert "y: 3 of 5" in messages[0]

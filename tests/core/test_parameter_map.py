"""Parameter maps: checked parameters, one result for each point."""

import numpy as np
import pytest
import xarray as xr

from dovetail.core import Parameter, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter_map import ParameterMap


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

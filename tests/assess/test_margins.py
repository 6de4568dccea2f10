"""Growth rates of a batch are those of each test, and additional delay needs a model of the rig."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.assess.margins import growth_rates, later
from dovetail.core.errors import AnalysisError
from dovetail.testing import AbstractRig


def test_batched_poles_are_those_of_each_test(cs1):
    tests = [cs1(dv.transfer.Delay(delay, max_delay=0.01)) for delay in (2e-3, 9.4e-3)]
    np.testing.assert_allclose(growth_rates(tests), [t.stability().growth_rate for t in tests], rtol=1e-6)


def test_delay_cannot_be_added_to_a_rig_without_a_model(cs1):
    class Bare(AbstractRig):
        def init(self): ...
        def step(self, t, dt, x, u): ...
        def first_reading(self, x): ...

    with pytest.raises(AnalysisError, match="use a simulated rig"):
        later(cs1(rig=Bare()), 1e-3, 1e-3)

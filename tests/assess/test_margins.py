"""Margins: batched poles are those of the test, and the margin is where the loop turns."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.assess.margins import (
    ByPoles,
    ByRehearsal,
    delay_margin,
    departure,
    growth_rates,
    growth_rates_delayed,
    later,
    reach,
)
from dovetail.core.errors import AnalysisError
from dovetail.specimens.base import Memoryless
from dovetail.testing import AbstractRig


def test_batched_poles_are_those_of_each_test(cs1):
    tests = [cs1(dv.transfer.Delay(delay, max_delay=0.01)) for delay in (2e-3, 9.4e-3)]
    np.testing.assert_allclose(growth_rates(tests), [t.stability().growth_rate for t in tests], rtol=1e-6)


def test_a_later_rig_is_the_rig_with_a_longer_delay(cs1):
    extra = growth_rates_delayed(cs1(dv.transfer.Delay(2e-3)), np.array([0.0, 3e-3, 7.4e-3]))
    whole = growth_rates([cs1(dv.transfer.Delay(d, max_delay=0.01)) for d in (2e-3, 5e-3, 9.4e-3)])
    np.testing.assert_allclose(extra, whole, rtol=1e-6)


def test_the_margin_is_the_critical_delay_less_delay_and_half_a_tick(cs1):
    found = delay_margin(cs1(dv.transfer.Delay(2e-3)), up_to=0.01)
    # 6.77 ms is the critical delay; the held force costs 0.5 ms, to first order
    assert found == pytest.approx(6.770e-3 - 2e-3 - 0.5e-3, abs=0.05e-3)


def test_an_unstable_loop_has_no_margin_and_a_damped_one_any(cs1):
    assert delay_margin(cs1(), up_to=0.01) == 0.0
    assert delay_margin(cs1(dv.transfer.Delay(1e-3), c=150.0), up_to=0.01) == math.inf


def test_the_tried_delay_is_limited_by_the_buffer(cs1):
    assert reach(cs1()) == pytest.approx(0.24)


def test_delay_cannot_be_added_to_a_rig_without_a_model(cs1):
    class Bare(AbstractRig):
        def init(self): ...
        def step(self, t, dt, x, u): ...
        def first_reading(self, x): ...

    with pytest.raises(AnalysisError, match="use a simulated rig"):
        later(cs1(rig=Bare()), 1e-3, 1e-3)


class Stiffening(Memoryless):
    """A spring that is stiff about rest and soft beyond a millimetre."""

    def output(self, t, x, u):
        z = u["displacement"]
        return {"force": -6000.0 * jnp.clip(z, -1e-3, 1e-3) - 200.0 * z}


def test_a_spring_is_linear_and_a_yielding_one_is_not(cs1):
    test = cs1(dv.transfer.Delay(1e-3), duration=1.0)
    assert departure(test, test.reference()) < 1e-6
    soft = cs1(rig=dv.Rig(dv.transfer.Delay(1e-3), Stiffening()), duration=1.0)
    assert departure(soft, soft.reference()) > 0.3


@pytest.mark.slow
def test_poles_and_rehearsal_agree_on_a_linear_test(cs1):
    test = cs1(dv.transfer.Delay(2e-3), duration=4.0)
    extras = np.array([0.0, 3e-3, 7.4e-3])
    by_rehearsal = ByRehearsal(test.reference())
    np.testing.assert_array_equal(ByPoles().bears(test, extras), [True, True, False])
    np.testing.assert_array_equal(by_rehearsal.bears(test, extras), [True, True, False])
    found = by_rehearsal.margin(test, up_to=0.01)
    assert found == pytest.approx(2e-3)  # 4.27 ms by the poles; 5 ms, the next that is tried, is lost


def test_a_specimen_that_yields_is_stable_in_motion_where_its_poles_at_rest_are_not(cs1):
    """Stiff about rest: the poles grow, but a motion beyond the yield point stays where it should."""
    test = cs1(rig=dv.Rig(dv.transfer.Delay(4e-3), Stiffening()), duration=4.0)
    assert not ByPoles().bears(test, np.zeros(1))[0]
    assert ByRehearsal(test.reference()).bears(test, np.zeros(1))[0]

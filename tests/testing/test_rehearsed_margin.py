"""Rehearsed margin: each event by its own additional delay, and on the safe side of the poles of a linear loop."""

import dataclasses
import math

import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.specimens.base import Memoryless
from dovetail.testing.rehearsed_margin import reference_motion, rehearsed_margin


class Hardening(Memoryless):
    """Spring of 500 N/m that is twice as stiff at 10 mm."""

    def output(self, t, x, u):
        z = u["displacement"]
        return {"force": -500.0 * z * (1.0 + (z / 10e-3) ** 2)}


def rehearsed(test):
    return rehearsed_margin(test, reference_motion(test)["displacement"], 3e-3)


def test_a_linear_loop_grows_at_the_margin_of_its_poles_or_shortly_below(make_cs1):
    test = make_cs1()
    result = rehearsed(test)
    exact = test.stability().margin
    assert 0.9 * exact < result.grows <= exact
    assert result.limited == math.inf
    assert result.up_to == pytest.approx(0.15)
    assert "no limit found up to 150 ms" in str(result)


def test_a_limit_and_an_acceptance_criterion_make_the_margin_smaller(make_cs1):
    test = make_cs1()
    peak = float(np.abs(test.reference().data.displacement).max())
    limited = dataclasses.replace(test, limits=dv.Limits(displacement=1.05 * peak))
    accepted = dataclasses.replace(test, accept=dv.testing.Accept(response_error=0.3))
    loose, strict, accurate = (rehearsed(each) for each in (test, limited, accepted))
    assert 0 < strict.limited < loose.grows
    assert strict.limit == "displacement"
    assert 0 < accurate.leaves < loose.leaves
    assert accurate.margin == accurate.leaves


def test_a_hardening_spring_that_diverges_is_unstable_although_it_is_stable_at_rest(make_cs1):
    rig = dv.Rig(dv.transfer.Delay(7e-3), Hardening())
    test = make_cs1(excitation=dv.Sine(amplitude=0.02, frequency=3.0)).with_values(rig=rig)
    assessment = test.stability()
    assert assessment.at_rest.stable
    assert not assessment.stable
    assert assessment.margin < 0
    assert assessment.word == "Unstable"
    with_less = test.with_values(**{"rig.actuator.delay": jnp.asarray(7e-3 + assessment.margin - 1e-4)})
    assert with_less.stability().stable

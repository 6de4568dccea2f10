"""Rehearsed margin: each event by its own additional delay, and on the safe side of the poles of a linear loop."""

import dataclasses
import math

import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.specimens.base import Memoryless
from dovetail.testing.rehearsed_margin import _Free, reference_motion, rehearsed_margin


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
    assert "meets a limit: not before it grows" in str(result)


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


def free_motion_verdict(ranges, grown=200.0):
    """Return the verdict on free motion with these ranges, as multiples of that at which it has died away."""
    no = jnp.asarray(False)
    free = _Free(jnp.full((3, 1), jnp.inf), jnp.asarray(1.0), jnp.asarray(1.0), no, no)
    for number, extent in enumerate(ranges, start=1):
        free = free.after(jnp.asarray([extent]), jnp.asarray(number), jnp.asarray([grown]))
    return "grows" if free.grows else "dies" if free.dies else "undecided"


WINDOWS = np.arange(1, 9)


@pytest.mark.parametrize(
    ("ranges", "verdict"),
    [
        (20.0 * 0.5**WINDOWS, "dies"),
        (200.0 * 0.8 ** np.arange(1, 12), "dies"),  # exponential: above the residual, but it will die away
        (20.0 - 2.2 * WINDOWS, "dies"),  # friction: faster than an exponential
        (20.0 * 0.995**WINDOWS, "grows"),
        (20.0 * 1.05**WINDOWS, "grows"),
        (20.0 * 3.0**WINDOWS, "grows"),
        ([20.0, 15.0, math.inf], "grows"),
        ([20.0, math.nan], "grows"),
        (5.0 + 15.0 * 0.3**WINDOWS, "grows"),  # limit cycle
        (5.0 + 15.0 * 0.7**WINDOWS, "undecided"),  # limit cycle, approached slowly
        (20.0 / WINDOWS, "undecided"),  # quadratic damper
        (20.0 / np.arange(1, 25), "dies"),
        (0.9 + 0.0 * WINDOWS, "dies"),  # chatter
    ],
)
def test_free_motion_dies_away_or_grows_as_its_ranges_say(ranges, verdict):
    assert free_motion_verdict(ranges) == verdict


class SpringAndQuadraticDamper(Memoryless):
    """Beyond its critical delay a loop with this specimen reaches a limit cycle of 0.1 m/s."""

    def output(self, t, x, u):
        z, v = u["displacement"], u["velocity"]
        return {"force": -2250.0 * z - 75.0 * v * jnp.abs(v)}


def test_a_limit_cycle_of_the_loop_is_growth_although_the_motion_stays_bounded(make_cs1):
    rig = dv.Rig(dv.transfer.Delay(9e-3), SpringAndQuadraticDamper())
    result = make_cs1().with_values(rig=rig).stability()
    assert result.word == "Unstable"
    assert result.rehearsed.leaves > 0  # in the test itself the response error is below 100 %


def test_a_loop_on_the_edge_is_marginal(make_cs1):
    margin = make_cs1().stability().margin
    delay = float(make_cs1().rig.actuator.delay)
    words = [make_cs1(delay=delay + margin + change).stability().word for change in (-1e-3, 1e-7, 1e-3)]
    assert words == ["Stable", "Marginal", "Unstable"]

"""Strikes from approach to end. The funnel was fitted to the described tip angles: this guards it, no drogue."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import AdaptiveRungeKutta
from dovetail.specimens.funnel import BORE, LEAD_IN, Funnel
from dovetail.studies.refuelling.assembly import drogue_hose
from dovetail.studies.refuelling.funnel_strike import Ending, Strike, StrikeMonitor, strike

OFFSETS = (0.05, 0.1, 0.2, 0.275, 0.35)  # [m]


@pytest.fixture(scope="module")
def strikes():
    """Events and extremes by offset."""

    def one(offset):
        flow = Strike.at(drogue_hose(), Funnel(), offset=offset, speed=1.5, incidence=0.0)
        return strike(flow, 0.6)

    return eqx.filter_jit(jax.vmap(one))(jnp.array(OFFSETS))


@pytest.mark.slow
def test_endings_by_offset(strikes):
    codes = jax.vmap(lambda events: events.ending())(strikes[0])
    assert [Ending(int(c)).words for c in codes] == ["latched", "latched", "limit trip", "rim", "miss"]


@pytest.mark.slow
def test_tip_angles_of_the_fit(strikes):
    np.testing.assert_allclose(
        np.degrees(strikes[1].drogue_attitude_change[:3]), [1.4, 10.6, 21.8], atol=0.12
    )


@pytest.mark.slow
def test_moments_and_tensions_of_the_fit(strikes):
    _, extremes = strikes
    np.testing.assert_allclose(
        extremes.peak_moment[:3], [390, 492, 844], rtol=0.025
    )  # brush, not tanh, and the step
    np.testing.assert_allclose(extremes.least_tension[:3], [1415, 879, 316], rtol=0.02)
    np.testing.assert_allclose(extremes.most_tension[:3], [2517, 2736, 3152], rtol=5e-3)


@pytest.mark.slow
def test_the_moment_passes_its_limit_in_the_bore_or_at_the_transition(strikes):
    events, _ = strikes
    assert events.tripped[0] == np.inf
    assert events.trip_zone[1] == BORE
    assert events.trip_zone[2] == LEAD_IN
    np.testing.assert_allclose((events.tripped - events.touched)[1:3], [0.099, 0.197], atol=2e-3)
    np.testing.assert_allclose((events.latched - events.touched)[:3], [0.083, 0.145, 0.294], atol=2e-3)


def test_strikes_that_release_or_pass_outside_are_distinguished():
    events, _ = StrikeMonitor().start({})
    touched = eqx.tree_at(lambda e: (e.touched, e.deepest_zone), events, (jnp.asarray(0.1), jnp.asarray(2.0)))
    assert Ending(int(touched.ending())) is Ending.CONTACT_LOST
    gone = eqx.tree_at(lambda e: e.outside, touched, jnp.asarray(1.0))
    assert Ending(int(gone.ending())) is Ending.BEYOND_RIBS
    caught = eqx.tree_at(lambda e: e.zone, touched, jnp.asarray(float(LEAD_IN)))
    assert Ending(int(caught.ending())) is Ending.CAUGHT_ON_EDGE


@pytest.mark.slow
def test_the_error_of_a_strike_with_steps_that_end_at_events_falls_with_the_tolerance():
    """From the approach into the bore, past ribs, lead-in, end stop and latch."""
    flow = Strike.at(drogue_hose(), Funnel(), offset=0.05, speed=1.5, incidence=0.0)

    @eqx.filter_jit
    def final(steps):
        x = flow.init()
        x, memory = steps.advance(flow, 0.0, 0.6, x, None, steps.init(flow, x))
        motion = flow.output(0.6, x, None)
        return motion["displacement"], motion["latched"], memory.steps[2]

    states = [final(AdaptiveRungeKutta(rtol=rtol, atol=1e-3 * rtol)) for rtol in (1e-6, 1e-8, 1e-10)]
    truth, latched, events = states[-1]
    assert latched > 0.5
    assert events >= 6
    errors = [float(np.max(np.abs(state - truth))) / float(np.max(np.abs(truth))) for state, *_ in states[:2]]
    assert errors[0] < 1e-4
    assert errors[1] < errors[0] / 20

"""Strikes from approach to end. The funnel was fitted to the described tip angles: this guards it, no drogue."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.specimens.funnel import BORE, LEAD_IN, Funnel
from dovetail.studies.refuelling.assembly import drogue_hose
from dovetail.studies.refuelling.funnel_strike import Ending, Strike, StrikeRecord, start_record, strike

OFFSETS = (0.05, 0.1, 0.2, 0.275, 0.35)  # [m]


@pytest.fixture(scope="module")
def records() -> StrikeRecord:
    def one(offset):
        flow = Strike.at(drogue_hose(), Funnel(), offset=offset, speed=1.5, incidence=0.0)
        return strike(flow, 0.6)

    return eqx.filter_jit(jax.vmap(one))(jnp.array(OFFSETS))


@pytest.mark.slow
def test_endings_by_offset(records):
    codes = jax.vmap(lambda r: r.ending())(records)
    assert [Ending(int(c)).words for c in codes] == ["latched", "latched", "limit trip", "rim", "miss"]


@pytest.mark.slow
def test_tip_angles_of_the_fit(records):
    np.testing.assert_allclose(np.degrees(records.drogue_attitude_change[:3]), [1.4, 10.6, 21.8], atol=0.12)


@pytest.mark.slow
def test_moments_and_tensions_of_the_fit(records):
    np.testing.assert_allclose(
        records.peak_moment[:3], [390, 492, 844], rtol=0.025
    )  # brush, not tanh, and the step
    np.testing.assert_allclose(records.least_tension[:3], [1415, 879, 316], rtol=0.02)
    np.testing.assert_allclose(records.most_tension[:3], [2517, 2736, 3152], rtol=5e-3)


@pytest.mark.slow
def test_the_moment_passes_its_limit_in_the_bore_or_at_the_transition(records):
    assert records.tripped[0] == np.inf
    assert records.trip_zone[1] == BORE
    assert records.trip_zone[2] == LEAD_IN
    np.testing.assert_allclose((records.tripped - records.touched)[1:3], [0.099, 0.197], atol=2e-3)
    np.testing.assert_allclose((records.latched - records.touched)[:3], [0.083, 0.145, 0.294], atol=2e-3)


def test_a_strike_that_comes_free_or_passes_outside_is_told_apart():
    record = eqx.tree_at(
        lambda r: (r.touched, r.deepest_zone), start_record(), (jnp.asarray(0.1), jnp.asarray(2.0))
    )
    assert Ending(int(record.ending())) is Ending.CONTACT_LOST
    gone = eqx.tree_at(lambda r: r.outside, record, jnp.asarray(1.0))
    assert Ending(int(gone.ending())) is Ending.BEYOND_RIBS
    caught = eqx.tree_at(lambda r: r.zone, record, jnp.asarray(float(LEAD_IN)))
    assert Ending(int(caught.ending())) is Ending.CAUGHT_ON_EDGE

"""How strikes on a flying drogue are read, on made-up recordings; the strikes themselves are slow targets."""

import numpy as np
import pytest

from dovetail.specimens.funnel import BORE, LEAD_IN, RIBS
from dovetail.studies.refuelling import reproduce_strikes as strikes


@pytest.fixture
def recorded(monkeypatch):
    """Ten samples of a coupling and ten after it, in which everything is larger; the same at every offset."""
    before = np.arange(20) < 10
    moment = np.where(before, 50.0 * np.arange(20), 1e4)
    wrench = np.zeros((20, 6))
    wrench[:, 4] = moment
    zone = np.where(np.arange(20) < 4, RIBS, np.where(np.arange(20) < 9, LEAD_IN, BORE)).astype(float)
    run = {
        "until": np.asarray(10),
        "time": 0.01 * np.arange(20),
        "force": wrench,
        "contact_zone": zone,
        "drogue_attitude_change": np.stack([np.where(before, -0.1, -1.0), np.zeros(20)], axis=1),
        "end_tension": np.where(before, 2500.0 - 100.0 * np.arange(20), 9e3),
    }
    monkeypatch.setattr(strikes, "full_scale", lambda offset, reel=True: run)
    return run


def test_a_coupling_is_read_until_it_is_latched(recorded):
    assert strikes.tips() == pytest.approx([np.degrees(0.1)] * 3)
    assert strikes.strike_table()[:4] == pytest.approx([450.0, 1600.0, 2500.0, 0.09])


def test_a_trip_is_classified_by_the_nozzle_position(recorded):
    assert strikes.held_until_engaged() == [False, False]  # 450 N m before it is latched, at every offset
    assert not strikes.trips_at_the_transition()  # but first in the bore
    recorded["force"][5, 4] = 500.0
    assert strikes.trips_at_the_transition()
    recorded["force"][:, 4] = 399.0
    assert strikes.held_until_engaged() == [True, True]
    assert not strikes.trips_at_the_transition()


def test_the_effect_of_the_reel_is_a_fraction_of_the_tip_tension(recorded):
    assert strikes.reel_effect() == 0.0

"""A checked link: figures from round trips, and a rig that stays at rest."""

import numpy as np
import pytest

from dovetail.links.link_check import LinkReport, check
from dovetail.links.rig_protocol import RigState


def report(round_trips, lateness=0.0, asked=None):
    trips = np.asarray(round_trips)
    late = np.full(asked or len(trips), lateness)
    return LinkReport("rig", 1000.0, trips, late, asked or len(trips), True, {"force": 9.0})


@pytest.mark.parametrize(
    ("trip", "late", "rate"),
    [(300e-6, 0.0, 2000.0), (300e-6, 100e-6, 1000.0), (30e-6, 0.0, 20_000.0), (0.1, 0.0, 5.0)],
)
def test_the_supported_rate_leaves_time_in_the_tick(trip, late, rate):
    assert report(np.full(1000, trip), late).supported_rate == rate
    assert trip + late <= 0.7 / rate


def test_loss_and_jitter_are_reported():
    trips = np.full(900, 100e-6)
    trips[:9] = 500e-6
    seen = report(trips, asked=1000)
    assert seen.loss == pytest.approx(0.1)
    assert seen.jitter == pytest.approx(400e-6)
    assert "loss            10 %" in str(seen)
    assert "median 100 us" in str(seen)
    assert "force 9" in str(seen)


def test_a_silent_rig_is_reported():
    assert "none of 10 exchanges" in str(report([], asked=10))


@pytest.mark.parametrize("native", [None, False])
def test_a_served_rig_is_measured_and_does_not_move(make_cs1, served, native):
    server = served(make_cs1(rate=100.0))
    seen = check(str(server.address), rate=100.0, count=20, native=native)
    assert seen.exchange_count == 20
    assert len(seen.round_trips)
    assert seen.median > 0
    session = server.session or server.last_session
    assert session.tick_count == 0
    assert session.state in (RigState.READY, RigState.SAFE)

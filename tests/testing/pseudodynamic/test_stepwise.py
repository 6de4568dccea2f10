"""Steps between two measurements: they stop where a force is needed, at the end, and after a number of rows."""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.advance import advance_samples, begin
from dovetail.core.clock import HostOnly
from dovetail.testing import Limits, Outcome
from dovetail.testing.limits import rotary_axes
from dovetail.testing.pseudodynamic import PlaneGate
from dovetail.testing.pseudodynamic.stepwise import (
    EPSILON,
    SteppedLoop,
    SteppedMonitor,
    SteppedRows,
    Stepwise,
)

_advance = eqx.filter_jit(advance_samples)


@pytest.fixture(scope="module")
def test(make_creep):
    return make_creep(gate=PlaneGate(level=2e-4, side="above"), free_step=0.25e-3)


class Steps:
    """Loop, clock, monitor and rows of a test, without a cell."""

    def __init__(self, test):
        settings = test.pseudodynamic
        self.loop = SteppedLoop.from_test(test)
        self.monitor = SteppedMonitor(test.limits, rotary_axes(test), frozenset({"contact_energy_gain"}))
        self.keep = SteppedRows(settings.free_record_every, test.duration)
        self.clock = Stepwise(test.duration, EPSILON * float(settings.contact_step), HostOnly(None))
        self.now, self.first = begin(self.loop, self.monitor, self.keep)

    def advance(self, size, force=0.0, fresh=False):
        """Advance by at most `size` rows, with a force that is new or was measured before."""
        x = self.now.x._replace(force=jnp.asarray(force), asks=jnp.asarray(fresh))
        now = eqx.tree_at(lambda n: n.x, self.now, x)
        return _advance(self.loop, self.clock, self.monitor, self.keep, now, size)


def test_it_starts_with_the_motion_at_rest(test):
    steps = Steps(test)
    assert float(steps.now.t) == 0.0
    assert float(steps.first["displacement"]) == 0.0
    assert not bool(steps.first["gate"])
    assert not bool(steps.first["asks"])


def test_free_motion_stops_near_contact(test):
    now, count, rows = Steps(test).advance(512)
    z = np.asarray(rows["displacement"])[: int(count)]
    assert bool(now.x.asks)
    assert z[-1] >= 2e-4 > z[-2]
    assert float(now.t) == pytest.approx(0.25e-3 * int(count))


def test_it_stops_after_a_number_of_rows(test):
    now, count, _ = Steps(test).advance(7)
    assert (int(count), bool(now.x.asks)) == (7, False)
    assert float(now.t) == pytest.approx(7 * 0.25e-3)


def test_forces_act_only_near_contact(test):
    steps = Steps(test)
    (with_force, *_), (without, *_) = steps.advance(7, force=50.0), steps.advance(7)
    assert float(with_force.x.motion["displacement"]) == float(without.x.motion["displacement"])


def test_a_new_reading_beyond_its_limit_stops_before_the_next_step(make_creep):
    steps = Steps(dataclasses.replace(make_creep(), limits=Limits(force=10.0)))
    now, count, _ = steps.advance(7, force=50.0, fresh=True)
    assert Outcome.from_code(int(now.monitor.code)) is Outcome.FORCE
    assert (int(count), float(now.t)) == (0, 0.0)
    now, count, _ = steps.advance(7, force=5.0, fresh=True)
    assert Outcome.from_code(int(now.monitor.code)) is Outcome.FINISHED
    assert int(count) > 0


def test_it_ends_with_the_test(make_creep):
    test = make_creep(gate=PlaneGate(level=1.0, side="above"), free_step=0.7e-3)
    now, count, _ = Steps(test).advance(512)
    assert float(now.t) == pytest.approx(test.duration, abs=1e-15)
    assert int(count) == 43  # 0.03 s in steps of 0.7 ms, the last one shorter
    assert not bool(now.x.asks)


def test_of_free_flight_every_nth_step_is_recorded_and_the_last(make_creep):
    test = make_creep(gate=PlaneGate(level=1.0, side="above"), free_step=0.7e-3, free_record_every=10)
    now, count, rows = Steps(test).advance(512)
    assert int(count) == 5  # steps 10, 20, 30, 40 and the last one, 43
    assert np.asarray(rows["t"])[:5] == pytest.approx([7e-3, 14e-3, 21e-3, 28e-3, float(now.t)])

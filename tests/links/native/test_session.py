"""The native session fits its structure; its rules are tested in ../test_session.py."""

import numpy as np
import pytest

from dovetail.links.native import NativeSession, available
from dovetail.links.rig_protocol import RigState, SafeStateReason

pytestmark = pytest.mark.skipif(bool(available()), reason="no C++ compiler")


class Shuffled:
    """A plant that shows its force first and something else in between."""

    axes = 2
    signals = (("measured_force", 2), ("temperature", 1), ("measured_displacement", 2))

    def reset(self):
        return np.arange(5.0)

    def step(self, command):
        return np.array([7.0, 8.0, 9.0, *command])


def test_limits_use_signals_at_any_position():
    for limits, flag in (
        ({"force": 7.5}, SafeStateReason.FORCE),
        ({"displacement": 1.5}, SafeStateReason.DISPLACEMENT),
        ({}, SafeStateReason(0)),
    ):
        session = NativeSession(Shuffled(), session=3, rate=100.0, link_timeout=5, limits=limits)
        session.inner.started, session.inner.command[1] = 1, 2.0
        session.inner.state = RigState.ACTIVE
        session.wait(30_000_000)
        assert session.tick_count > 0
        assert session.flags == flag
        assert session.state == (RigState.SAFE if flag else RigState.ACTIVE)


def test_a_rig_requests_its_priority_but_neither_locked_memory_nor_a_core():
    session = NativeSession(Shuffled(), session=3, rate=100.0, link_timeout=5, limits={}, priority=7)
    scheduling = session.inner.scheduling
    assert (scheduling.fifo, scheduling.lock, scheduling.core) == (7, 0, -1)


def test_the_first_reading_is_the_plants():
    session = NativeSession(Shuffled(), session=3, rate=100.0, link_timeout=5, limits={})
    assert list(session.inner.reading[:5]) == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert session.epoch is None
    assert session.next_wake is None

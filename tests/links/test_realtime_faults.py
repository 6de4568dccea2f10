"""Faults of rig, link and loop: right outcome, rig in its safe state, nothing recorded is lost, no hang.

What happens is decided by counts of ticks, not by how fast the machine is.
"""

import random
import time

import numpy as np
import pytest

from dovetail.links import RealTimeSettings, RigState, SafeStateReason
from dovetail.links.rig_program import VirtualPlant
from dovetail.links.rig_protocol import COMMAND, Datagram
from dovetail.testing import Outcome

KEY = bytes(range(16))


def go(test, server, wait=20.0, **options):
    real_time = RealTimeSettings(
        native=options.pop("native", None), priority=0, lock=False, wait=wait, grace=1e6
    )
    return test.run_realtime(str(server.address), real_time=real_time, **options)


def ended(server, timeout=30.0):
    """The last session, once the server has seen its end."""
    end = time.monotonic() + timeout
    while server.last_session is None and time.monotonic() < end:
        time.sleep(0.01)
    assert server.last_session is not None, "the session never ended"
    return server.last_session


class Spoiled(VirtualPlant):
    """A virtual rig whose reading is spoiled from a tick on."""

    def __init__(self, test, spoil, after=100):
        super().__init__(test)
        self.spoil, self.after, self.count, self.last = spoil, after, 0, None

    def reset(self):
        self.count = 0
        return super().reset()

    def step(self, command):
        reading = super().step(command).copy()
        self.count += 1
        if self.count > self.after:
            reading = self.spoil(reading, self.last)
        self.last = reading
        return reading


def with_force(value):
    def spoil(reading, last):
        reading[1] = value
        return reading

    return spoil


def whole(run, test):
    """What was recorded before the end is that of a rehearsal, to rounding."""
    kept = run.data.sizes["time"] - 1  # the last tick holds the fault
    assert kept >= 1
    ideal = test.rehearse().data.displacement[:kept]
    np.testing.assert_allclose(run.data.displacement[:kept], ideal, atol=1e-12)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_measurement_that_is_nan_ends_the_run(make_cs1, served, value):
    test = make_cs1()
    server = served(test, Spoiled(test, with_force(value)))
    run = go(test, server)
    assert run.outcome in (Outcome.NOT_FINITE, Outcome.RIG_STOPPED)  # both see it in the same tick
    assert ended(server).flags & SafeStateReason.NOT_FINITE
    whole(run, test)


def test_a_stuck_measurement_ends_the_run(make_cs1, served):
    test = make_cs1(limits={"frozen_sensor": 30})  # more than the rig's delay of ten ticks
    server = served(test, Spoiled(test, lambda reading, last: last))
    run = go(test, server)
    assert run.outcome is Outcome.FROZEN_SENSOR
    # 50 ticks of approach come before the test: stuck from its tick 51 on, told thirty ticks later
    assert run.data.sizes["time"] - 1 == pytest.approx(80, abs=1)
    assert ended(server).flags == SafeStateReason.REQUESTED


@pytest.mark.parametrize("channel", [0, 1])
def test_a_channel_that_stays_while_the_other_moves_ends_the_run(make_cs1, served, channel):
    def stuck(reading, last):
        reading[channel] = last[channel]
        return reading

    test = make_cs1(duration=1.0, limits={"frozen_sensor": 30})
    server = served(test, Spoiled(test, stuck))
    run = go(test, server)
    assert run.outcome is Outcome.FROZEN_SENSOR
    assert 30 < run.trip.value <= 32
    assert ended(server).flags == SafeStateReason.REQUESTED


def test_a_force_step_beyond_the_limit_ends_the_run(make_cs1, served):
    test = make_cs1(limits={"force": 50.0})
    server = served(test, Spoiled(test, with_force(60.0)))
    run = go(test, server)
    assert run.outcome in (Outcome.FORCE, Outcome.RIG_STOPPED)  # the loop and the rig know the same limit
    assert ended(server).flags & SafeStateReason.FORCE
    whole(run, test)


def test_a_force_limit_of_the_rig_alone_ends_the_run(make_cs1, served):
    test = make_cs1()
    server = served(test, Spoiled(test, with_force(60.0)), limits={"force": 50.0})
    run = go(test, server)
    assert run.outcome is Outcome.RIG_STOPPED
    assert ended(server).flags == SafeStateReason.FORCE
    assert set(run.return_recording["rig_state"].values[-10:]) == {RigState.SAFE}


class Mangler:
    """Loses, doubles, delays or changes datagrams either way, by a seeded die; spares the first few."""

    def __init__(self, share, act, spare=20):
        self.die, self.share, self.act, self.left = random.Random(7), share, act, spare

    def __call__(self, data, outgoing):
        self.left -= 1
        if self.left > 0 or self.die.random() >= self.share:
            return [data]
        return self.act(self, data, outgoing)


def delayed(mangler, data, outgoing):
    """Keeps a datagram back and lets it follow the next one of its direction that is kept back."""
    kept = mangler.__dict__.setdefault("kept", {}).get(outgoing)
    mangler.kept[outgoing] = data
    return [kept] if kept else []


def corrupted(mangler, data, outgoing):
    at = mangler.die.randrange(len(data))
    return [data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]]


@pytest.mark.parametrize(
    ("name", "share", "act"),
    [
        ("1 % lost", 0.01, lambda m, d, o: []),
        ("10 % lost", 0.1, lambda m, d, o: []),
        ("doubled", 0.3, lambda m, d, o: [d, d]),
        ("reordered", 0.2, delayed),
        ("corrupted", 0.2, corrupted),
    ],
)
def test_a_bad_link_is_noted_and_survived(make_cs1, served, name, share, act):
    test = make_cs1(duration=0.2)
    server = served(test, mangle=Mangler(share, act), key=KEY)
    run = go(test, server, wait=2e-3, key=KEY)
    assert run.outcome is Outcome.FINISHED
    assert run.data.sizes["time"] == 201
    assert np.all(np.isfinite(run.data.measured_force))
    dropped = sum(ended(server).reader.rejected.values())
    told = run.data.attrs
    noted = told["datagrams_lost"] + dropped + sum(n for k, n in told.items() if "rejected" in k)
    assert noted > 0


def test_a_link_that_loses_most_answers_ends_the_run(make_cs1, served):
    test = make_cs1(duration=0.9, limits={"link_timeout": 40})
    server = served(test, mangle=Mangler(0.5, lambda m, d, o: []))
    run = go(test, server, wait=2e-3)
    assert run.outcome is Outcome.LINK_LOST
    assert run.trip.signal in ("unanswered_fraction", "measurement_age")
    assert run.trip.value > run.trip.limit * 0.999
    assert "the link added" in run.data.remark


def test_forged_commands_do_not_move_the_rig(make_cs1, served):
    test = make_cs1()

    def forge(data, outgoing):
        """Beside every command comes one from somebody who knows all but the key."""
        if outgoing:
            return [data]
        sequence = int.from_bytes(data[16:24], "little") + 1
        session = int.from_bytes(data[8:16], "little")
        wild = Datagram(COMMAND, RigState.ACTIVE, session, sequence, 0, np.array([9.0]))
        return [wild.pack(bytes(16)), wild.pack(None), data]

    server = served(test, mangle=forge, key=KEY)
    run = go(test, server, key=KEY)
    assert run.outcome is Outcome.FINISHED
    assert sum(ended(server).reader.rejected.values()) >= 2 * 300
    np.testing.assert_allclose(run.data.displacement, test.rehearse().data.displacement, atol=1e-12)


def test_recorded_commands_played_again_do_not_move_the_rig(make_cs1, served):
    test, old = make_cs1(), []

    def replayed(data, outgoing):
        if outgoing:
            return [data]
        old.append(data)
        return [data, old[len(old) // 2]]

    server = served(test, mangle=replayed)
    run = go(test, server)
    assert run.outcome is Outcome.FINISHED
    np.testing.assert_allclose(run.data.displacement, test.rehearse().data.displacement, atol=1e-12)


@pytest.mark.parametrize("native", [None, False])
def test_a_rig_that_falls_silent_loses_the_link(make_cs1, served, native):
    test = make_cs1(limits={"link_timeout": 20})
    left = [150]

    def silent(data, outgoing):
        left[0] -= not outgoing
        return [data] if left[0] > 0 else []

    server = served(test, mangle=silent)
    run = go(test, server, wait=2e-3, native=native)
    assert run.outcome is Outcome.LINK_LOST
    assert run.trip.signal == "measurement_age"
    assert run.data.sizes["time"] > 1
    assert (
        ended(server).flags == SafeStateReason.ENDED
    )  # told by the closed connection, as no datagram gets through


@pytest.mark.parametrize("native", [None, False])
@pytest.mark.parametrize(
    ("count", "phase"), [(30, "the way to the start"), (380, "the way to rest"), (400, "the way to rest")]
)
def test_the_link_is_judged_on_both_ways_too(make_cs1, served, native, count, phase):
    """50 ticks to the start, 300 of the test, 50 to rest, and the message that ends the session."""
    test = make_cs1(limits={"link_timeout": 20})
    left = [count + 1]  # and the question where the rig is

    def silent(data, outgoing):
        left[0] -= not outgoing
        return [data] if left[0] >= 0 else []

    server = served(test, mangle=silent)
    run = go(test, server, wait=2e-3, native=native)
    assert run.outcome is Outcome.LINK_LOST
    assert run.trip.signal == "measurement_age"
    assert run.trip.value >= run.trip.limit
    assert f"stopped on {phase}" in run.data.remark
    assert run.data.sizes["time"] == (1 if count == 30 else 301)


def test_a_rig_that_stops_on_the_way_to_rest_has_stopped_the_run(make_cs1, served):
    test = make_cs1()
    server = served(test, Spoiled(test, with_force(np.nan), after=380))
    run = go(test, server)
    assert run.outcome in (Outcome.NOT_FINITE, Outcome.RIG_STOPPED)
    assert "stopped on the way to rest; the rig reported: safe (not finite" in run.data.remark

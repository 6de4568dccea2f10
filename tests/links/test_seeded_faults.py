"""Seeded faults of loop, link, rig and disk in simulated time: right outcome, plant at rest, recording readable.

A loop and a rig, each in Python or native, exchange datagrams over a relay that drops, delays, doubles, reorders and
corrupts them. Either side can stand still, end or fail at any tick of approach, test and return; the disk can be full
at any byte. Time is a number, so that no case depends on the speed of the machine. The rest of the plant is measured on
the plant; the recording is read from the file that the loop left. `DOVETAIL_FAULTS` sets the seeds of the long test.
"""

import contextlib
import os
import random
import socket
from typing import ClassVar

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.recording_file import MARGIN, read_recording
from dovetail.links.native import NativeSession, NativeTick, available
from dovetail.links.rig_protocol import RigState, SafeStateReason
from dovetail.links.ring import Ring
from dovetail.links.ring_recorder import RingRecorder
from dovetail.links.session import REST_TOLERANCE, Session
from dovetail.links.tick import PythonTick, TickSettings
from dovetail.testing import Outcome
from dovetail.testing.record_store import RecordStore
from dovetail.testing.recorder import Records
from seeded_faults import disk_full_at

RATE, LINK_TIMEOUT, AMPLITUDE, LAG = 200.0, 20, 0.01, 0.005  # [Hz], ticks, [m], [s]
TICK, KEY = round(1e9 / RATE), bytes(range(16))  # [ns]
APPROACH, TEST, RETURN = 20, 60, 40  # ticks
PHASES = {"approach": (3, APPROACH), "test": (APPROACH, APPROACH + TEST), "return": (APPROACH + TEST, 118)}
QUICK, LONG = 120, int(os.environ.get("DOVETAIL_FAULTS", "2000"))
CS1 = dv.Test(dv.mechanics.Oscillator(m=2.2, c=60.0, k=2250.0), rate=RATE, duration=1.0)
DISK_FULL = 0.3  # fraction of the cases in which the disk is full at a random byte, beside the other fault
LOST = {Outcome.LINK_LOST, Outcome.RIG_STOPPED}


class Plant:
    """Actuator with a first-order lag of 5 ms on a spring; it records where it is, and can fail."""

    axes = 1
    signals = (("measured_displacement", 1), ("measured_force", 1))

    def __init__(self, clock):
        self.clock, self.position, self.path, self.fault = clock, 0.0, [], None

    def reset(self):
        return np.zeros(2)

    def step(self, command):
        if self.fault == "raises":
            self.fault = None  # once, as a message that was lost
            raise RuntimeError("no answer from the controller")
        self.position += (command[0] - self.position) * (1 - np.exp(-1 / RATE / LAG))
        self.path.append((self.clock.time, self.position))
        force = np.nan if self.fault == "nan" else -1000.0 * self.position
        return np.array([self.position, force])


class World:
    """Clock of both sides, relay between them, and the rig."""

    def __init__(self, rng, kind, relay=None):
        self.rng, self.relay, self.time, self.queue = rng, relay or {}, 10**12, []
        self.near, self.inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.inside.setblocking(False)
        self.plant = Plant(self)
        self.session = kind(
            self.plant,
            session=9,
            rate=RATE,
            link_timeout=LINK_TIMEOUT,
            limits={"displacement": 0.02},
            key=KEY,
        )
        self.frozen_until = self.stall = 0  # [ns] of the rig; of the loop, at its next sleep
        self.is_cut = self.is_killed = False
        self.returning_since = None  # [ns]

    def close(self):
        self.near.close()
        self.inside.close()

    # clock of the loop

    def now(self):
        self.time += 1000
        return self.time

    def sleep(self, until):
        self.advance(max(until, self.time) + self.stall)
        self.stall = 0

    def attend(self, connection, until):
        self.advance(until, stop_at_delivery=True)

    # relay and rig

    def advance(self, until, stop_at_delivery=False):
        """Let time pass: the relay delivers, the rig steps."""
        self.take()
        while True:
            wake = self.session.next_wake
            due = [entry[0] for entry in self.queue] + ([] if wake is None or self.is_killed else [wake])
            first = max(min(due, default=until + 1), self.time)
            is_for_rig = not any(time <= first and to_loop for time, to_loop, _ in self.queue)
            first = max(first, self.frozen_until) if is_for_rig else first
            if first > until:
                self.time = max(self.time, until)
                return
            self.time = first
            if self.deliver() and stop_at_delivery:
                return

    def take(self):
        """Take what the loop has sent."""
        while True:
            try:
                self.post(self.inside.recv(4096), to_loop=False)
            except BlockingIOError:
                return

    def post(self, data, to_loop):
        if self.is_cut or self.rng.random() < self.relay.get("drop", 0.0):
            return
        if self.rng.random() < self.relay.get("corrupt", 0.0):
            at = self.rng.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ (1 << self.rng.randrange(8))]) + data[at + 1 :]
        for _ in range(1 + (self.rng.random() < self.relay.get("double", 0.0))):
            delay = self.relay.get("delay", 0.0) + self.rng.random() * self.relay.get("jitter", 0.0)
            self.queue.append((self.time + 50_000 + round(delay * 1e9), to_loop, data))

    def deliver(self):
        """Process what is due now; return whether the loop has received something."""
        due = [entry for entry in self.queue if entry[0] <= self.time]
        is_frozen, received = self.time < self.frozen_until, False
        for entry in due:
            _, to_loop, data = entry
            if to_loop or not is_frozen:
                self.queue.remove(entry)
            if to_loop:
                self.inside.send(data)
                received = True
            elif not is_frozen and not self.is_killed:
                answer = self.session.receive(data, self.time)
                if answer is not None:
                    self.post(answer, to_loop=True)
        if not is_frozen and not self.is_killed:
            self.session.wait(self.time)
        is_returning = (
            self.session.state in (RigState.SAFE, RigState.READY) and self.session.epoch is not None
        )
        self.returning_since = (self.returning_since or self.time) if is_returning else None
        return received

    def end(self, reason=SafeStateReason.ENDED):
        """Close the connection: the server leads the rig to rest."""
        self.session.go_safe(reason)
        self.returning_since = self.returning_since or self.time
        self.advance(max(self.time, self.frozen_until) + 1_200_000_000)


def command(k):
    """Return the command of a tick [m]: to the start, a sine, and to rest."""
    if k < APPROACH:
        s = k / (APPROACH - 1)
        return AMPLITUDE * s**3 * (10 - 15 * s + 6 * s**2)
    if k < APPROACH + TEST:
        return AMPLITUDE * np.cos(2 * np.pi * 3.0 * (k - APPROACH + 1) / RATE)
    s = (k - APPROACH - TEST + 1) / RETURN
    return command(APPROACH + TEST - 1) * (1 - s**3 * (10 - 15 * s + 6 * s**2))


class Recorded:
    """Records of the loop, taken from its ring every 50 ms of simulated time, as its thread does."""

    SIGNALS: ClassVar = {"displacement": (), "measured_displacement": (), "measured_force": ()}

    def __init__(self, folder, rng):
        self.path = folder / "result.nc"
        self.path.unlink(missing_ok=True)
        self.store = RecordStore(self.path, CS1, "realtime")
        self.ring = Ring(self.SIGNALS, 40, 1 / RATE)
        self.recorder = RingRecorder(self.ring, Records(store=self.store), pytest.fail)
        self.full_at = rng.randrange(MARGIN + 6000) if rng.random() < DISK_FULL else None  # [B]

    def tick(self, k, command, reading):
        if k >= APPROACH:
            self.ring.show(np.array([command, *reading]))
        if k % 10 == 9:
            self.take()

    def take(self):
        with contextlib.nullcontext() if self.full_at is None else disk_full_at(self.full_at):
            self.recorder._take()

    def close(self):
        if self.store.file is not None:
            self.store.file.file.close()

    def judge(self, ended, where):
        """The file has all but the last half second; with what is in memory it has all, unless the loop was killed."""
        shown = self.ring.row_count
        if not ended:
            self.take()
        stored = 0
        if self.store.file is not None:
            stored = read_recording(self.path).sizes["time"] - 1
        if self.full_at is None:
            assert stored >= shown - 0.5 * RATE, where
        if ended:
            return
        kept = sum(len(chunk["displacement"]) for chunk in self.recorder.records.chunks)
        is_begun = self.recorder.records.is_begun
        assert stored + kept + (self.store.file is not None) == shown + is_begun, where
        if is_begun:
            values = self.store.recording(self.recorder.records.chunks)["displacement"].values
            np.testing.assert_array_equal(
                values[1:], [command(k) for k in range(APPROACH, APPROACH + shown)], where
            )


def run(world, kind, fault, at, recorded, **settings):
    """Run approach, test and return with a fault at a tick; return outcome and largest age of the readings used."""
    settings = {"overrun": "hold", "unanswered_fraction": 0.5, **settings}
    about = TickSettings(9, 1, 2, TICK, LINK_TIMEOUT, key=KEY, velocity=0.5, **settings)
    tick = kind(about, world.near, world)
    ages = []
    for k in range(APPROACH + TEST + RETURN):
        if k == at and fault(world) == "ended":
            return tick, None, max(ages, default=0)
        reading, notes = tick.step(RigState.ACTIVE, np.array([command(k)]))
        recorded.tick(k, command(k), reading)
        if not tick.code:
            ages.append(notes[3])
    tick.settle(-1)
    world.take()
    return tick, Outcome.from_code(tick.code), max(ages, default=0)


def hang_up(world):
    return "ended"


def cut(world):
    world.is_cut = True


def kill_rig(world):
    world.is_killed = True


def duration(world, shortest):
    """Return a duration up to 2 s [ns], as often short as long."""
    return round(shortest * (2.0 / shortest) ** world.rng.random() * 1e9)


def freeze_rig(world):
    world.frozen_until = world.time + duration(world, 0.005)


def stall_loop(world):
    world.stall = duration(world, 0.02)


def fail_plant(world):
    world.plant.fault = world.rng.choice(["raises", "nan"])


def nothing(world):
    return None


FAULTS = {
    hang_up: {None},
    cut: {Outcome.LINK_LOST},
    kill_rig: {Outcome.LINK_LOST},
    freeze_rig: {Outcome.FINISHED, *LOST},
    stall_loop: {Outcome.FINISHED, Outcome.RIG_STOPPED},
    fail_plant: {Outcome.RIG_STOPPED},
    nothing: {Outcome.FINISHED, Outcome.LINK_LOST},  # a bad relay
}


def kinds(rng):
    """Return tick and session, Python or native."""
    is_native = not available()
    return rng.choice([PythonTick, NativeTick] if is_native else [PythonTick]), rng.choice(
        [Session, NativeSession] if is_native else [Session]
    )


def check(seed, folder):
    """Draw a case and judge it; return its fault and its outcome."""
    rng = random.Random(seed)
    fault, phase = rng.choice(list(FAULTS)), rng.choice(list(PHASES))
    relay = {}
    if fault is nothing:
        relay = {name: rng.choice([0.0, 0.0, 0.1, 0.4]) for name in ("drop", "corrupt", "double")}
        relay |= {"delay": rng.choice([0.0, 0.002, 0.03]), "jitter": rng.choice([0.0, 0.004, 0.02, 0.2])}
    tick_kind, session_kind = kinds(rng)
    if fault is fail_plant:
        session_kind = Session  # a native plant raises no errors
    world, recorded = World(rng, session_kind, relay), Recorded(folder, random.Random(~seed))
    try:
        at = rng.randrange(*PHASES[phase])
        tick, outcome, oldest = run(world, tick_kind, fault, at, recorded)
        frozen = world.frozen_until
        world.end()
        where = f"seed {seed}: {fault.__name__} in tick {at}, {tick_kind.__name__}, {session_kind.__name__}"
        assert outcome in FAULTS[fault], where
        recorded.judge(fault is hang_up, where)
        assert oldest < LINK_TIMEOUT, where
        if not world.is_killed:
            judge_rest(world, max(frozen, world.returning_since), where)
        if outcome is Outcome.FINISHED:
            assert world.session.flags == SafeStateReason.ENDED, where
            late = max(frozen - 10**12 - at * TICK, tick.counts().max_lateness)
            assert late < (LINK_TIMEOUT + 1) * TICK, where  # a longer one has not finished
        if fault is stall_loop:
            steps = np.abs(np.diff([position for _, position in world.plant.path]))
            assert max(steps, default=0.0) <= 2.5 * 0.5 / RATE, where
        return fault, outcome
    finally:
        world.close()
        recorded.close()


def judge_rest(world, since, where):
    """The plant is at rest half a second after the rig began to lead it there, and the session says so."""
    path = np.array(world.plant.path).reshape(-1, 2)
    largest = np.abs(path[:, 1]).max(initial=0.0)
    later = path[path[:, 0] > since + 5e8, 1]
    assert np.abs(later).max(initial=0.0) <= REST_TOLERANCE * largest + 1e-15, where
    assert world.session.is_at_rest, where


def judge(seeds, folder):
    """Judge many cases; return the outcomes of each fault."""
    outcomes = {}
    for seed in seeds:
        fault, outcome = check(seed, folder)
        outcomes.setdefault(fault, set()).add(outcome)
    return outcomes


def test_faults_end_with_the_right_outcome_and_the_plant_at_rest(tmp_path):
    outcomes = judge(range(QUICK), tmp_path)
    assert set(outcomes) == set(FAULTS)
    assert outcomes[stall_loop] == FAULTS[stall_loop]
    assert outcomes[nothing] >= {Outcome.FINISHED, Outcome.LINK_LOST}


@pytest.mark.slow
def test_many_faults_end_with_the_right_outcome_and_the_plant_at_rest(tmp_path):
    outcomes = judge(range(QUICK, QUICK + LONG), tmp_path)
    assert outcomes == FAULTS

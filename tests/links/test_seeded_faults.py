"""Seeded faults of loop, link and rig in simulated time: right outcome, and the plant at rest as measured on it.

A loop and a rig, each in Python or native, exchange datagrams over a relay that drops, delays, doubles, reorders and
corrupts them. Either side can stand still, end or fail at any tick of approach, test and return. Time is a number, so
that no case depends on the speed of the machine. `DOVETAIL_FAULTS` sets the number of seeds of the long test.
"""

import os
import random
import socket

import numpy as np
import pytest

from dovetail.links.native import NativeSession, NativeTick, available
from dovetail.links.rig_protocol import RigState, SafeStateReason
from dovetail.links.session import REST_TOLERANCE, Session
from dovetail.links.tick import PythonTick, TickSettings
from dovetail.testing import Outcome

RATE, LINK_TIMEOUT, AMPLITUDE, LAG = 200.0, 20, 0.01, 0.005  # [Hz], ticks, [m], [s]
TICK, KEY = round(1e9 / RATE), bytes(range(16))  # [ns]
APPROACH, TEST, RETURN = 20, 60, 40  # ticks
PHASES = {"approach": (3, APPROACH), "test": (APPROACH, APPROACH + TEST), "return": (APPROACH + TEST, 118)}
QUICK, LONG = 120, int(os.environ.get("DOVETAIL_FAULTS", "2000"))
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


def run(world, kind, fault, at, **settings):
    """Run approach, test and return with a fault at a tick; return outcome and largest age of the readings used."""
    settings = {"overrun": "hold", "unanswered_fraction": 0.5, **settings}
    about = TickSettings(9, 1, 2, TICK, LINK_TIMEOUT, key=KEY, velocity=0.5, **settings)
    tick = kind(about, world.near, world)
    ages = []
    for k in range(APPROACH + TEST + RETURN):
        if k == at and fault(world) == "ended":
            return tick, None, max(ages, default=0)
        _, notes = tick.step(RigState.ACTIVE, np.array([command(k)]))
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


def check(seed):
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
    world = World(rng, session_kind, relay)
    try:
        at = rng.randrange(*PHASES[phase])
        tick, outcome, oldest = run(world, tick_kind, fault, at)
        frozen = world.frozen_until
        world.end()
        where = f"seed {seed}: {fault.__name__} in tick {at}, {tick_kind.__name__}, {session_kind.__name__}"
        assert outcome in FAULTS[fault], where
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


def judge_rest(world, since, where):
    """The plant is at rest half a second after the rig began to lead it there, and the session says so."""
    path = np.array(world.plant.path).reshape(-1, 2)
    largest = np.abs(path[:, 1]).max(initial=0.0)
    later = path[path[:, 0] > since + 5e8, 1]
    assert np.abs(later).max(initial=0.0) <= REST_TOLERANCE * largest + 1e-15, where
    assert world.session.is_at_rest, where


def judge(seeds):
    """Judge many cases; return the outcomes of each fault."""
    outcomes = {}
    for seed in seeds:
        fault, outcome = check(seed)
        outcomes.setdefault(fault, set()).add(outcome)
    return outcomes


def test_faults_end_with_the_right_outcome_and_the_plant_at_rest():
    outcomes = judge(range(QUICK))
    assert set(outcomes) == set(FAULTS)
    assert outcomes[stall_loop] == FAULTS[stall_loop]
    assert outcomes[nothing] >= {Outcome.FINISHED, Outcome.LINK_LOST}


@pytest.mark.slow
def test_many_faults_end_with_the_right_outcome_and_the_plant_at_rest():
    outcomes = judge(range(QUICK, QUICK + LONG))
    assert outcomes == FAULTS

"""A clock that the test moves, a scripted rig at the other end of a socket, and served rigs."""

import socket
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dv
from dovetail.links import CellServer
from dovetail.links.address import Address
from dovetail.links.rig_program import VirtualPlant
from dovetail.links.rig_protocol import COMMAND, MEASUREMENT, Datagram, Reader, RigState
from dovetail.links.serve import RigServer
from dovetail.testing.pseudodynamic import Cell, MoveReply
from dovetail.transfer.robot import TripCode

TICK = 1_000_000  # [ns]
SESSION = 0xABCDEF


class FakeClock:
    """Moves only when it is slept on, and by a microsecond whenever it is read."""

    def __init__(self):
        self.time = 10**12
        self.slept = []
        self.stall = {}  # what happens before the n-th sleep ends: extra [ns]
        self.on_attend = lambda: None

    def now(self):
        self.time += 1000
        return self.time

    def sleep(self, until):
        self.slept.append(until)
        self.time = max(self.time, until) + self.stall.pop(len(self.slept), 0)

    def attend(self, connection, until):
        if not self.on_attend():
            self.time = max(self.time, until)


class ScriptedRig:
    """Answers commands with x = command, F = -100 x; a script may do otherwise in chosen ticks."""

    def __init__(self, connection, clock, key=None):
        self.connection, self.key = connection, key
        connection.setblocking(False)
        self.reader = Reader(COMMAND, SESSION, 1, key)
        self.commands = []  # (state, value)
        self.script = {}  # number of the command: function(rig, datagram, answer) -> list of bytes to send
        self.state, self.flags = RigState.READY, 0
        clock.on_attend = self.answer

    def packed(self, datagram, values=None, **changes):
        value = float(datagram.values[0])
        fields = {
            "kind": MEASUREMENT,
            "state": self.state,
            "session": SESSION,
            "sequence": datagram.sequence,
            "clock": 0,
            "values": np.array([value, -100 * value] if values is None else values),
            "flags": self.flags,
            **changes,
        }
        return Datagram(**fields).pack(self.key)

    def answer(self):
        """Answer all that has come; whether something was sent."""
        sent = False
        while True:
            try:
                datagram = self.reader.read(self.connection.recv(4096))
            except BlockingIOError:
                return sent
            assert datagram is not None, "the tick sent something that is not the protocol"
            self.commands.append((datagram.state, float(datagram.values[0])))
            self.state = datagram.state if self.state != RigState.SAFE else RigState.SAFE
            act = self.script.get(len(self.commands), lambda rig, d, a: [a])
            for data in act(self, datagram, self.packed(datagram)):
                self.connection.send(data)
                sent = True


@pytest.fixture
def wires():
    """A pair of connected datagram sockets."""
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    yield pair
    for each in pair:
        each.close()


@pytest.fixture
def fake(wires):
    """`fake(key)` makes a fake clock and a scripted rig at the far end of `wires`."""

    def make(key=None):
        clock = FakeClock()
        return SimpleNamespace(clock=clock, rig=ScriptedRig(wires[1], clock, key), near=wires[0])

    return make


def cs1(rate=1000.0, duration=0.3, delay=0.01, **fields):
    """CS1 with a purely late actuator, at a rate that a busy machine can keep."""
    limits = fields.pop("limits", {})
    return dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=60.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(delay), specimen=dv.specimens.Spring(k=500.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        rate=rate,
        duration=duration,
        limits=dv.Limits(**{"link_timeout": 4000, "approach_time": 0.05, "return_time": 0.05, **limits}),
        **fields,
    )


@pytest.fixture
def make_cs1():
    return cs1


class Mangled:
    """A socket whose datagrams, either way, are what `mangle(data, outgoing)` makes of each: a list."""

    def __init__(self, inner, mangle):
        self.inner, self.mangle, self.waiting = inner, mangle, []

    def recvfrom(self, most):
        while not self.waiting:
            data, sender = self.inner.recvfrom(most)
            self.waiting = [(piece, sender) for piece in self.mangle(data, False)]
        return self.waiting.pop(0)

    def sendto(self, data, to):
        for piece in self.mangle(data, True):
            self.inner.sendto(piece, to)

    def fileno(self):
        return self.inner.fileno()

    def close(self):
        self.inner.close()


# no real-time scheduling on a machine that others use; an answer and a command may take as long as they take
PATIENT = {"priority": 0, "lock": False, "wait": 20.0, "grace": 1e6}


class Lockstep:
    """Time of a rig that goes on with each command, and with each look at it once the session has ended."""

    def __init__(self, server):
        self.server, self.after = server, 0

    def __call__(self):
        self.after = self.after + 1 if self.server.ended else 0
        return (self.server.session.reader.newest + 1 + self.after) * self.server.session.tick


@pytest.fixture
def served():
    """`served(test)` serves the virtual rig of a test in a thread; the server, with its address and words."""
    running = []

    def serve(test, plant=None, lockstep=True, mangle=None, **options):
        said = []
        plant = plant or VirtualPlant(test)
        # a machine that others use may be late: the link timeout is that of the test
        options = {"native": False if lockstep else None, "max_link_timeout": 1e6, **options}
        server = RigServer(plant, Address("127.0.0.1", 0), test.rate, report=said.append, **options)
        server.said = said
        if lockstep:  # the rig's time is that of the commands, so that a busy machine changes nothing
            server.clock = Lockstep(server)
        if mangle is not None:
            server.datagrams = Mangled(server.datagrams, mangle)
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        running.append((server, thread))
        return server

    yield serve
    for server, thread in running:
        server.stop()
        thread.join(300)
        assert not thread.is_alive()


class Bench(Cell):
    """One spring on each axis; it keeps the rules, and may be slow."""

    def __init__(self, axes=1, seconds=0.0, limit=np.inf):
        self.axes, self.seconds, self.limit = axes, seconds, limit
        self.name = "bench"
        self.where = np.zeros(axes)
        self.run, self.last, self.target = "", None, None
        self.halted, self.moving, self.made, self.closed = threading.Event(), threading.Event(), [], False

    def begin(self, run):
        if run != self.run:
            self.run, self.last, self.made, self.where = run, None, [], np.zeros(self.axes)
        self.halted.clear()
        return self.last

    def read(self):
        return MoveReply(len(self.made), self.where, -100.0 * self.where, float(len(self.made)))

    def move(self, move):
        if self.last and move.number == self.last.number and np.array_equal(move.target, self.target):
            return self.last
        if not np.all(np.isfinite(move.target)):
            return MoveReply(move.number, self.where, self.where, 0.0, TripCode.NOT_FINITE)
        if move.number != len(self.made) + 1:
            return MoveReply(move.number, self.where, self.where, 0.0, TripCode.REFUSED)
        self.moving.set()
        if self.halted.wait(self.seconds) or self.halted.is_set():
            return MoveReply(move.number, self.where, self.where, 0.0, TripCode.EMERGENCY)
        target = np.reshape(move.target, (self.axes,))
        force = -100.0 * target
        if np.max(np.abs(force)) > self.limit:
            worst = float(np.max(np.abs(force)))
            return MoveReply(move.number, target, force, 0.0, TripCode.FORCE, worst, self.limit)
        self.where, self.target = target, move.target
        self.made.append(move.number)
        self.last = MoveReply(move.number, target, force, float(len(self.made)))
        return self.last

    def halt(self):
        self.halted.set()

    def close(self):
        self.closed = True


class Served:
    """A bench behind a port."""

    def __init__(self, bench, key=None, **options):
        self.said = []
        self.bench = bench
        self.server = CellServer(bench, Address("127.0.0.1", 0), key, report=self.said.append, **options)
        self.thread = threading.Thread(target=self.server.serve, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return self.server.url

    def wait_for(self, text, seconds=300.0):
        """Wait until the server has said something; False if it does not."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if any(text in line for line in self.said):
                return True
            time.sleep(0.01)
        return False

    def stop(self):
        self.server.stop()
        self.thread.join(300)
        assert not self.thread.is_alive()


@pytest.fixture
def make_bench():
    """A robot cell that keeps the rules: one spring on each axis."""
    return Bench


@pytest.fixture
def serve_cell():
    """Serve cells in threads of their own; all are stopped at the end."""
    served = []

    def serve(bench, key=None, **options):
        served.append(Served(bench, key, **options))
        return served[-1]

    yield serve
    for each in served:
        each.stop()

"""Creep tests that go wrong: the right outcome, a recording complete up to that step, and a run that goes on.

The rig process is killed in mid-move, the line is cut, messages are damaged on their way, every trip is met.
"""

import contextlib
import dataclasses
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import dovetail as dv
from dovetail import links, testing
from dovetail.testing.pseudodynamic.run import virtual_cell
from dovetail.transfer.robot import TRIP_MESSAGES, TripCode

CELL = """
kind = "cell"
home_pose = [0.0]
[rig]
actuator = { kind = "delay", delay = "8 ms" }
specimen = { kind = "standard-linear-solid", k = 2250.0, relaxing_fraction = 0.3, tau = "0.5 s" }
"""


@pytest.fixture(scope="module")
def test():
    """Twenty moves against a spring that relaxes, so that repeating or losing one would be seen."""
    return dv.Test(
        numerical=dv.mechanics.Oscillator(m=[2.2], c=[15.0], k=[2250.0]),
        rig=dv.Rig(
            dv.transfer.Delay(8e-3),
            dv.specimens.StandardLinearSolid(k=2250.0, relaxing_fraction=0.3, tau=0.5),
        ),
        excitation=dv.Sine(amplitude=0.005, frequency=3.0),
        rate=1000.0,
        duration=0.02,
        pseudodynamic=testing.PseudodynamicSettings(move_time=0.08, settling_time=0.04),
    )


def z(run):
    return run.data.displacement.values


@pytest.fixture(scope="module")
def whole(test):
    """The run that nothing happened to."""
    return test.run_pseudodynamic(virtual_cell(test))


def goes_on(test, cell, folder, whole, moves):
    """Resume on a cell; the result is that of the run that nothing happened to."""
    run = test.run_pseudodynamic(cell, folder=folder, resume=True)
    assert run.outcome is dv.Outcome.FINISHED
    assert run.data.attrs["moves_resumed"] == moves
    assert np.array_equal(z(run), z(whole))
    return run


def complete(run, whole, moves):
    """The recording ends with the move before the one that failed, and is right so far."""
    assert run.data.attrs["moves"] >= moves
    rows = run.data.sizes["time"]
    assert rows == moves + 1
    assert np.array_equal(z(run), z(whole)[:rows])


# a process of its own


def serve(file, state, pace):
    words = [sys.executable, "-m", "dovetail", "rig", "serve", str(file), "--port", "0"]
    process = subprocess.Popen(
        [*words, "--state-file", str(state), "--pace", str(pace)], stdout=subprocess.PIPE, text=True
    )
    return process, re.search(r"tcp://\S+:\d+", process.stdout.readline())[0]


def test_a_run_resumes_after_its_rig_process_was_killed_during_a_move(test, whole, tmp_path):
    file = tmp_path / "cell.toml"
    file.write_text(CELL)
    process, url = serve(file, tmp_path / "state.npy", 1.0)  # on the wall clock: 0.12 s a move
    try:
        with links.RemoteCell(url, 1) as cell:
            killer = threading.Timer(1e9, process.kill)

            def tell(share, text):
                if share >= 0.25 and not killer.is_alive() and process.poll() is None:
                    killer.interval = 0.05  # in the middle of the next move
                    killer.start()

            run = test.run_pseudodynamic(cell, folder=tmp_path / "run", progress=tell)
        killer.join(5.0)
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()
    assert run.outcome is dv.Outcome.LINK_LOST
    moves = run.data.attrs["moves"]
    assert 4 <= moves <= 7
    complete(run, whole, moves)

    process, url = serve(file, tmp_path / "state.npy", 0.0)
    try:
        with links.RemoteCell(url, 1) as cell:
            goes_on(test, cell, tmp_path / "run", whole, moves)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        process.stdout.close()


# the line between the two


class Wire:
    """A proxy between the two sides that does something to the n-th frame from the cell."""

    def __init__(self, port, at, harm):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(1)
        self.at, self.harm = at, harm
        self.url = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._carry, args=(port,), daemon=True).start()

    def _carry(self, port):
        test, _ = self.listener.accept()
        cell = socket.create_connection(("127.0.0.1", port))
        threading.Thread(target=self._pump, args=(test, cell), daemon=True).start()
        seen, last = 0, b""
        with test, cell, contextlib.suppress(OSError):
            while piece := cell.recv(65536):
                seen += 1
                out = self.harm(piece, last) if seen == self.at else piece
                last = piece
                if out is None:
                    break
                test.sendall(out)
            for each in (test, cell):
                each.shutdown(socket.SHUT_RDWR)

    def _pump(self, source, target):
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                target.sendall(piece)
            target.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.close()


HARM = {
    "cut": lambda piece, last: None,
    "truncated": lambda piece, last: piece[:-5] + b"",
    "damaged": lambda piece, last: piece[:40] + bytes([piece[40] ^ 1]) + piece[41:],
    "malformed": lambda piece, last: b"?" * len(piece),
    "replayed": lambda piece, last: last,
    "oversized": lambda piece, last: piece[:24] + (1 << 31).to_bytes(4, "little") + piece[28:],
}


@pytest.mark.parametrize("harm", HARM)
def test_a_run_ended_by_transmission_errors_can_be_resumed(test, whole, tmp_path, harm):
    cell = virtual_cell(test)
    server = links.CellServer(cell, links.Address("127.0.0.1", 0), bytes(16))
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    # frames of the cell: challenge, welcome, begin, read, then a reply a move: the eleventh is that to move 7
    wire = Wire(server.address.port, 11, HARM[harm])
    with links.RemoteCell(wire.url, 1, bytes(16), timeout=1.0) as remote:
        run = test.run_pseudodynamic(remote, folder=tmp_path)
    wire.close()
    assert run.outcome is dv.Outcome.LINK_LOST, run.data.attrs["remark"]
    complete(run, whole, 6)
    for _ in range(500):  # the wire's own threads take a moment to let go
        if server.line is None:
            break
        time.sleep(0.01)
    # the cell made the seventh move, its answer was lost: it is asked for, and not made again
    made = cell.ticks
    with links.RemoteCell(server.url, 1, bytes(16)) as remote:
        goes_on(test, remote, tmp_path, whole, 7)
    assert cell.ticks - made == 13 * 30  # thirteen moves of thirty ticks
    server.stop()
    thread.join(5.0)


# every trip


class Tripping:
    """A cell that trips at a move, until it is mended."""

    def __init__(self, inner, trip):
        self.inner, self.trip = inner, trip

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def move(self, move):
        if move.number == 8 and self.trip is not TripCode.NONE:
            pose = np.asarray(self.inner.pose)
            return testing.MoveReply(8, pose, np.zeros(1), self.inner.clock, self.trip, 401.0, 400.0)
        return self.inner.move(move)


@pytest.mark.parametrize("trip", [t for t in TripCode if t is not TripCode.NONE], ids=lambda t: t.name)
def test_a_run_stopped_by_any_trip_can_be_resumed(test, whole, tmp_path, trip):
    cell = Tripping(virtual_cell(test), trip)
    run = test.run_pseudodynamic(cell, folder=tmp_path)
    assert run.outcome is dv.Outcome.RIG_STOPPED
    assert run.data.attrs["remark"] == TRIP_MESSAGES[trip]
    complete(run, whole, 7)
    if run.trip is not None:
        assert (run.trip.value, run.trip.limit) == (401.0, 400.0)
    cell.trip = TripCode.NONE  # the operator has seen to it
    goes_on(test, cell, tmp_path, whole, 7)


def test_a_run_stopped_by_a_limit_during_a_move_resumes_with_a_larger_limit(test, whole, tmp_path):
    from dovetail.transfer.robot import SafetyLimits

    keep = tmp_path / "cell.npy"
    peak = float(np.max(np.abs(whole.data.measured_force)))
    run = test.run_pseudodynamic(
        virtual_cell(test, state_file=keep, safety=SafetyLimits(force=0.5 * peak)), folder=tmp_path
    )
    assert run.outcome is dv.Outcome.RIG_STOPPED
    assert run.trip.signal == "contact_force"
    moves = run.data.sizes["time"] - 1
    complete(run, whole, moves)
    # a new cell with the state of the old one, and a higher limit
    goes_on(test, virtual_cell(test, state_file=keep), tmp_path, whole, moves)


def test_a_run_stopped_by_a_test_limit_resumes_with_a_larger_limit(test, whole, tmp_path):
    """The journal belongs to one test: what is a limit of the test cannot be changed in mid-run."""
    from dovetail.core.errors import OutputError

    peak = float(np.max(np.abs(whole.data.measured_force)))
    limited = dataclasses.replace(test, limits=dv.Limits(force=0.5 * peak))
    cell = virtual_cell(limited)
    run = limited.run_pseudodynamic(cell, folder=tmp_path)
    assert run.outcome is dv.Outcome.FORCE
    with pytest.raises(OutputError, match="belongs to another test"):
        test.run_pseudodynamic(cell, folder=tmp_path, resume=True)


def test_waiting_is_not_forever(test):
    """A cell that accepts and says nothing."""
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen(1)
        began = time.monotonic()
        from dovetail.core.errors import LinkError

        with pytest.raises(LinkError, match="no cell answers"):
            links.RemoteCell(f"tcp://127.0.0.1:{mute.getsockname()[1]}", 1, timeout=0.3)
        assert time.monotonic() - began < 3.0

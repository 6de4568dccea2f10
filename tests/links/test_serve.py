"""The server: one session at a time, ports given back, and nothing it hears can stop it."""

import random
import socket
import threading

import numpy as np
import pytest

from dovetail.core.errors import LinkError
from dovetail.links import (
    Address,
    Hello,
    PythonTick,
    RealTimeSettings,
    RigServer,
    RigState,
    SafeStateReason,
    TickSettings,
    VirtualPlant,
    connect,
    serve,
)
from dovetail.links import connection as connection_module
from dovetail.links.handshake import MAX_BYTES
from dovetail.links.native import available
from dovetail.links.rig_protocol import COMMAND, Datagram
from dovetail.testing import Outcome

HELLO = Hello(axes=1, rate=1000.0, link_timeout=20)


class Echo:
    """A plant that goes where it is told."""

    axes = 1
    signals = (("measured_displacement", 1), ("measured_force", 1))

    def reset(self):
        return np.zeros(2)

    def step(self, command):
        return np.array([command[0], -command[0]])


@pytest.fixture
def server(make_cs1, served):
    return served(make_cs1(), Echo())


def works(server):
    """Whether a session can be had and a command is followed."""
    with connect(server.address, HELLO, server.key) as connection:
        settings = TickSettings(
            connection.welcome.session, 1, 2, 1_000_000, 2000, wait=10**10, key=server.key
        )
        tick = PythonTick(settings, connection.datagrams)
        reading, _ = tick.step(RigState.ACTIVE, np.array([0.5]))
    wait_for_end(server)
    return reading.tolist() == [0.5, -0.5]


def wait_for_end(server):
    """Wait until the server has no session."""
    for _ in range(6000):
        if server.session is None:
            return
        threading.Event().wait(0.01)
    raise AssertionError("the session never ended")


def test_it_serves_one_session_after_another(server):
    assert works(server)
    assert works(server)
    assert [text.split(":")[0] for text in server.said if "begins" in text] == ["session begins"] * 2


def test_noise_on_either_port_does_not_disturb_the_server(server):
    die = random.Random(3)
    to = ("127.0.0.1", server.address.port)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as noise:
        for _ in range(200):
            noise.sendto(die.randbytes(die.randrange(200)), to)
    for _ in range(5):
        with socket.create_connection(to) as connection:
            connection.sendall(die.randbytes(300) + b"\nmac x\n")
            connection.recv(100)
    with socket.create_connection(to) as hurried:
        hurried.sendall(b"DOVETAIL")
    assert works(server)


def test_a_silent_client_does_not_block_a_session(server, monkeypatch):
    monkeypatch.setattr(serve, "HELLO_TIME", 600.0)  # far longer than anybody waits here
    to = ("127.0.0.1", server.address.port)
    with connect(server.address, HELLO, None) as connection:
        settings = TickSettings(connection.welcome.session, 1, 2, 1_000_000, 2000, wait=10**11)
        mute = [socket.create_connection(to) for _ in range(12)]  # more than are told why
        tick = PythonTick(settings, connection.datagrams)
        for _ in range(20):
            reading, _ = tick.step(RigState.ACTIVE, np.array([0.5]))
        assert reading.tolist() == [0.5, -0.5]
        for each in mute:
            each.close()
    with pytest.raises(LinkError, match="no complete message|closed the connection"):
        connection_module.receive_message(Trickle(monkeypatch))


def test_silent_clients_are_dropped_and_delay_no_one(server, monkeypatch):
    monkeypatch.setattr(serve, "HELLO_TIME", 600.0)
    to = ("127.0.0.1", server.address.port)
    mute = [socket.create_connection(to) for _ in range(serve.MAX_CALLERS + 5)]
    slow = socket.create_connection(to)
    slow.sendall(b"DOVETAIL RIG 2\n")  # and no more
    assert works(server)
    assert len(server.callers) <= serve.MAX_CALLERS
    for caller in server.callers.values():
        caller.deadline = 0.0
    slow.settimeout(60.0)
    while slow.recv(1000):  # the challenge, and the end
        continue
    for each in (slow, *mute):
        each.close()


def test_a_replayed_hello_starts_no_session_and_blocks_no_client(make_cs1, served):
    key = bytes(range(16))
    server = served(make_cs1(), Echo(), key=key)
    to = ("127.0.0.1", server.address.port)
    with socket.create_connection(to) as eavesdropped:
        eavesdropped.settimeout(60.0)
        hello = HELLO.pack(connection_module.receive_message(eavesdropped), key)
    with socket.create_connection(to) as thief:
        thief.settimeout(60.0)
        connection_module.receive_message(thief)
        thief.sendall(hello)
        assert b"refused handshake: the signature is wrong" in connection_module.receive_message(thief)
    assert server.session is None
    assert works(server)


def test_a_session_without_a_valid_datagram_is_dropped(server, monkeypatch):
    monkeypatch.setattr(serve, "HELLO_TIME", 0.3)
    with connect(server.address, HELLO, None) as connection:
        connection.datagrams.send(b"not a datagram of the protocol")
        wait_for_end(server)
        assert connection.control.recv(1) == b""
    assert any("session dropped: no valid datagram in time" in text for text in server.said)


@pytest.mark.parametrize(("asked", "agreed"), [(20, 20), (999_999_999, 100)])
def test_the_smaller_link_timeout_counts_and_the_answer_names_it(make_cs1, served, asked, agreed):
    server = served(make_cs1(), Echo(), max_link_timeout=0.1)
    with connect(server.address, Hello(axes=1, rate=1000.0, link_timeout=asked), None) as connection:
        assert connection.welcome.link_timeout == connection.link_timeout == agreed
        assert server.session.link_timeout == agreed


def test_without_a_bound_of_its_own_a_rig_waits_a_fifth_of_a_second():
    server = RigServer(Echo(), Address("127.0.0.1", 0), 1000.0, native=False)
    try:
        assert server.max_link_timeout == 0.2
    finally:
        server.close()


class Recorded(Echo):
    """An actuator with a first-order lag of 10 ms; it records where it is, and can fail."""

    def __init__(self, rate=1000.0):
        self.dt, self.position, self.path, self.failures = 1 / rate, 0.0, [], 0

    def step(self, command):
        if self.failures:
            self.failures -= 1
            raise RuntimeError("no answer from the controller")
        self.position += (command[0] - self.position) * (1 - np.exp(-self.dt / 0.01))
        self.path.append(self.position)
        return np.array([self.position, -100.0 * self.position])


def hang_up(server, connection):
    connection.close()


def stop(server, connection):
    server.stop()


def fail(server, connection):
    server.plant.failures = 3


@pytest.mark.parametrize(("end", "reason"), [(hang_up, "ended"), (stop, "operator"), (fail, "failed")])
def test_every_end_of_a_session_returns_the_plant_to_rest_and_reports_it(make_cs1, served, end, reason):
    plant = Recorded()
    server = served(make_cs1(), plant)
    with connect(server.address, HELLO, None) as connection:
        settings = TickSettings(connection.welcome.session, 1, 2, 1_000_000, 20, wait=10**11)
        tick = PythonTick(settings, connection.datagrams)
        for _ in range(100):
            tick.step(RigState.ACTIVE, np.array([0.01]))
        assert plant.position > 0.0099
        end(server, connection)
        if end is fail:
            for _ in range(10):
                tick.step(RigState.ACTIVE, np.array([0.01]))
            assert tick.rig_state == RigState.SAFE
        else:
            wait_for_end(server)
    wait_for_end(server)
    # within half a second of the rig's own time, as measured on the plant
    assert max(map(abs, plant.path[100 + 500 :]), default=0.0) <= 0.02 * 0.01
    assert abs(plant.path[-1]) <= 0.02 * 0.01
    assert len(plant.path) <= 100 + 500
    assert f"at rest, safe ({reason}" in server.said[-1]
    assert ("the plant failed: no answer from the controller" in server.said[-1]) == (end is fail)


def test_a_plant_that_does_not_return_is_not_reported_at_rest(make_cs1, served, monkeypatch):
    monkeypatch.setattr(serve, "MAX_RETURN_TIME", 0.1)
    plant = Recorded()
    server = served(make_cs1(), plant)
    with connect(server.address, HELLO, None) as connection:
        settings = TickSettings(connection.welcome.session, 1, 2, 1_000_000, 20, wait=10**11)
        tick = PythonTick(settings, connection.datagrams)
        for _ in range(100):
            tick.step(RigState.ACTIVE, np.array([0.01]))
        plant.dt = 0.0  # blocked
    wait_for_end(server)
    assert "0.01 m away from rest, safe (ended)" in server.said[-1]


class Trickle:
    """A peer that sends a byte a second; the clock goes with it."""

    def __init__(self, monkeypatch):
        self.now = self.timeout = 100.0
        monkeypatch.setattr(connection_module.time, "monotonic", lambda: self.now)

    def gettimeout(self):
        return 2.0

    def settimeout(self, seconds):
        self.timeout = seconds

    def recv(self, most):
        self.now += min(self.timeout, 1.0)
        if self.timeout < 1.0:
            raise TimeoutError
        return b"x"


def test_closing_the_connection_ends_the_session_in_the_safe_state(server):
    works(server)
    assert server.last_session.state == RigState.SAFE
    assert server.last_session.flags == SafeStateReason.ENDED


def test_a_port_in_use_is_reported(server):
    with pytest.raises(LinkError, match="cannot listen there .*choose another port"):
        RigServer(Echo(), Address("127.0.0.1", server.address.port), 1000.0)


def test_it_does_not_listen_beyond_this_machine_without_a_key():
    with pytest.raises(LinkError, match="is not this machine"):
        RigServer(Echo(), Address("0.0.0.0", 0), 1000.0)


def test_stopping_leads_to_the_safe_state_and_frees_the_ports(make_cs1):
    server = RigServer(Echo(), Address("127.0.0.1", 0), 1000.0)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    connection = connect(server.address, HELLO, None)
    server.stop()
    thread.join(300)
    assert server.last_session.flags & SafeStateReason.OPERATOR
    connection.close()
    again = RigServer(Echo(), server.address, 1000.0)
    again.close()


def test_the_tighter_of_both_limits_holds(make_cs1, served):
    server = served(make_cs1(), Echo(), limits={"displacement": 2.0, "force": 5.0})
    hello = Hello(axes=1, rate=1000.0, link_timeout=20, limits={"displacement": 3.0, "force": 4.0})
    with connect(server.address, hello, None) as connection:
        assert connection.welcome.limits == {"displacement": 2.0, "force": 5.0}
        assert server.session.limits == {"displacement": 2.0, "force": 4.0}


@pytest.fixture(scope="module")
def compiled_rig():
    import dovetail as dv

    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=60.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(0.01), specimen=dv.specimens.Spring(k=500.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        rate=100.0,
        duration=0.5,
        limits=dv.Limits(link_timeout=2000, approach_time=0.05, return_time=0.05),
    )
    return test, VirtualPlant(test)


needs_compiler = pytest.mark.skipif(bool(available()), reason="no C++ compiler")


@needs_compiler
def test_a_compiled_session_equals_the_rehearsal(served):
    """On the wall clock, at ticks so long that a busy machine keeps them; where it did not, once more."""
    import dovetail as dv

    test = dv.Test(  # slow in proportion
        numerical=dv.mechanics.Oscillator(m=1375.0, c=1500.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(0.25), specimen=dv.specimens.Spring(k=500.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=0.12),
        rate=4.0,
        duration=2.0,
        limits=dv.Limits(link_timeout=2000, approach_time=0.05, return_time=0.05),
    )
    server = served(test, lockstep=False, native=True)
    rehearsed = test.rehearse().data
    for _ in range(20):
        run = test.run_realtime(str(server.address), real_time=RealTimeSettings(priority=0, lock=False))
        assert run.outcome is Outcome.FINISHED
        while server.session is not None:
            threading.Event().wait(0.01)
        assert server.last_session.flags == SafeStateReason.ENDED
        if float(np.abs(run.data.displacement - rehearsed.displacement).max()) < 1e-12:
            break
    # started within a tick of each other, the rig's ticks are those of the loop
    np.testing.assert_allclose(run.data.displacement, rehearsed.displacement, rtol=0.0, atol=1e-12)
    assert "at rest, ended by the loop" in server.said[-1]


@needs_compiler
def test_a_compiled_session_is_ended_by_silence_and_the_next_one_begins_at_rest(compiled_rig, served):
    test, plant = compiled_rig
    server = served(test, plant, lockstep=False, native=True)
    hello = Hello(axes=1, rate=100.0, link_timeout=50)  # longer than a busy machine keeps the rig waiting
    for _ in range(2):
        with connect(server.address, hello, None) as connection:
            settings = TickSettings(
                connection.welcome.session, 1, connection.welcome.count, 10_000_000, 2000, wait=10**9
            )
            tick = PythonTick(settings, connection.datagrams)
            reading, _ = tick.step(RigState.READY, np.zeros(1))
            assert reading[:2].tolist() == [0.0, 0.0]
            for _ in range(10):
                reading, _ = tick.step(RigState.ACTIVE, np.array([0.01]))
            for _ in range(500):  # 0.5 s are 50 ticks
                if server.session.state == RigState.SAFE:
                    break
                threading.Event().wait(0.01)
            assert server.session.flags == SafeStateReason.LINK_TIMEOUT
            reading, _ = tick.step(RigState.ACTIVE, np.array([0.02]))
            assert tick.rig_state == RigState.SAFE
        while server.session is not None:
            threading.Event().wait(0.01)
    assert server.said.count("the rig moves") == 2


@needs_compiler
def test_noise_does_not_disturb_a_compiled_session(compiled_rig, served):
    test, plant = compiled_rig
    server, die = served(test, plant, lockstep=False, native=True, key=bytes(range(16))), random.Random(5)
    hello = Hello(axes=1, rate=100.0, link_timeout=2000)
    with (
        connect(server.address, hello, server.key) as connection,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as noise,
    ):
        settings = TickSettings(
            connection.welcome.session,
            1,
            connection.welcome.count,
            10_000_000,
            2000,
            wait=10**10,
            key=server.key,
        )
        tick = PythonTick(settings, connection.datagrams)
        for _ in range(20):
            for _ in range(10):
                noise.sendto(die.randbytes(die.randrange(200)), ("127.0.0.1", server.address.port))
            reading, _ = tick.step(RigState.ACTIVE, np.array([0.01]))
        assert tick.counts().lost == 0
    while server.session is not None:
        threading.Event().wait(0.01)
    assert sum(server.last_session.reader.rejected.values()) == 200


def test_a_plant_that_is_not_compiled_cannot_be_served_natively():
    with pytest.raises(LinkError, match="no native session: the plant is not compiled"):
        RigServer(Echo(), Address("127.0.0.1", 0), 1000.0, native=True)


@pytest.mark.parametrize(("ahead", "timeout"), [(3e-3, 3e-3), (-5e-3, 0.0), (0.7, serve.IDLE)])
def test_the_server_sleeps_until_the_next_tick_of_the_rig_at_most(ahead, timeout):
    """While the rig moves; else as long as it takes to notice that it is to stop."""
    server = RigServer(Echo(), Address("127.0.0.1", 0), 1000.0, native=False)
    try:
        assert server._wait_time() == serve.IDLE
        server._begin(7, 20, {})
        assert server._wait_time() == serve.IDLE  # nothing moves yet
        moving = Datagram(COMMAND, RigState.ACTIVE, 7, 1, 0, np.array([0.5]))
        assert server.session.receive(moving.pack(None), 10**9) is not None
        server.clock = lambda: server.session.next_wake - round(ahead * 1e9)
        assert server._wait_time() == pytest.approx(timeout, abs=1e-12)
    finally:
        server.close()


def test_a_loop_that_falls_silent_leaves_the_served_rig_safe(make_cs1, served):
    """The server lets the rig's own time pass, command or not; the clock is the test's."""
    now = [10**9]
    server = served(make_cs1(), Echo(), native=False)
    server.clock = lambda: now[0]
    with connect(server.address, HELLO, None) as connection:
        settings = TickSettings(connection.welcome.session, 1, 2, 1_000_000, 2000, wait=10**11)
        PythonTick(settings, connection.datagrams).step(RigState.ACTIVE, np.array([0.5]))
        session = server.session
        for flags in (SafeStateReason(0), SafeStateReason.LINK_TIMEOUT):
            now[0] += 19_000_000  # of 20 ticks
            for _ in range(6000):
                if session.tick_count >= (now[0] - session.epoch) // 1_000_000 - 1:
                    break
                threading.Event().wait(0.01)
            assert session.flags == flags


def test_every_rejected_client_receives_the_reason(server):
    with connect(server.address, HELLO, None):
        for _ in range(serve.MAX_CALLERS + 2):
            with pytest.raises(LinkError, match="another session is active"):
                connect(server.address, HELLO, None)


@pytest.mark.parametrize(
    ("hello", "why"),
    [
        (Hello(axes=2, rate=1000.0, link_timeout=20), "the rig has 1 axes, the test has 2"),
        (Hello(axes=1, rate=1000.001, link_timeout=20), "the rate of the rig is 1000 Hz"),
        (Hello(axes=1, rate=999.0, link_timeout=20), "the rate of the rig is 1000 Hz"),
    ],
)
def test_another_number_of_axes_or_another_rate_is_rejected(server, hello, why):
    with pytest.raises(LinkError, match=why):
        connect(server.address, hello, None)
    assert server.session is None
    assert works(server)


def test_a_message_ends_with_the_line_of_its_tag_and_has_its_bounds():
    def received(*pieces):
        near, far = socket.socketpair()
        with near, far:
            near.settimeout(600.0)
            for piece in pieces:
                far.sendall(piece)
            far.shutdown(socket.SHUT_WR)
            return connection_module.receive_message(near)

    whole = b"DOVETAIL RIG 2\naxes 1\nmac -\n"
    for cut in range(1, len(whole)):
        assert received(whole[:cut], whole[cut:]) == whole
        with pytest.raises(LinkError, match="closed the connection"):
            received(whole[:cut])
    most = MAX_BYTES - len(b"\nmac -\n")
    assert len(received(b"x" * most + b"\nmac -\n")) == MAX_BYTES
    with pytest.raises(LinkError, match="too long"):
        received(b"x" * (most + 1) + b"\nmac -\n")

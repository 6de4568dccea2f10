"""The server: one session at a time, ports given back, and nothing it hears can stop it."""

import random
import socket
import threading

import numpy as np
import pytest

from dovetail.core.errors import LinkError
from dovetail.links import Address, Flag, Hello, PythonTick, Server, Settings, State, connect

HELLO = Hello(axes=1, rate=1000.0, silence=20)


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
        settings = Settings(connection.welcome.session, 1, 2, 1_000_000, 2000, wait=10**10, key=server.key)
        tick = PythonTick(settings, connection.datagrams)
        reading, _ = tick.step(State.ACTIVE, np.array([0.5]))
    for _ in range(1000):
        if server.session is None:
            return reading.tolist() == [0.5, -0.5]
        threading.Event().wait(0.01)
    return False


def test_it_serves_one_session_after_another(server):
    assert works(server)
    assert works(server)
    assert [text.split(":")[0] for text in server.said if "begins" in text] == ["session begins"] * 2


def test_noise_on_either_port_does_it_no_harm(server):
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


def test_closing_the_connection_ends_the_session_in_the_safe_state(server):
    works(server)
    assert server.last.state == State.SAFE
    assert server.last.flags == Flag.ENDED


def test_a_port_in_use_is_told(server):
    with pytest.raises(LinkError, match="cannot listen there .*choose another port"):
        Server(Echo(), Address("127.0.0.1", server.address.port), 1000.0)


def test_it_does_not_listen_beyond_this_machine_without_a_key():
    with pytest.raises(LinkError, match="is not this machine"):
        Server(Echo(), Address("0.0.0.0", 0), 1000.0)


def test_stopped_it_leaves_the_rig_safe_and_gives_its_ports_back(make_cs1):
    server = Server(Echo(), Address("127.0.0.1", 0), 1000.0)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    connection = connect(server.address, HELLO, None)
    server.stop()
    thread.join(10)
    assert server.last.flags & Flag.OPERATOR
    connection.close()
    again = Server(Echo(), server.address, 1000.0)
    again.close()


def test_the_tighter_of_both_limits_holds(make_cs1, served):
    server = served(make_cs1(), Echo(), limits={"displacement": 2.0, "force": 5.0})
    hello = Hello(axes=1, rate=1000.0, silence=20, limits={"displacement": 3.0, "force": 4.0})
    with connect(server.address, hello, None) as connection:
        assert connection.welcome.limits == {"displacement": 2.0, "force": 5.0}
        assert server.session.limits == {"displacement": 2.0, "force": 4.0}

"""The loop's side of the handshake, against what may be at the other end."""

import socket
import threading

import pytest

from dovetail.core.errors import LinkError
from dovetail.links import Address, Hello, connect
from dovetail.links.rig_protocol import RigState

HELLO = Hello(axes=1, rate=1000.0, link_timeout=20)


def at(server):
    return server.address


def test_a_session_begins_and_ends_with_the_connection(make_cs1, served):
    server = served(make_cs1())
    with connect(at(server), HELLO, None) as connection:
        assert [name for name, _ in connection.welcome.signals][:2] == [
            "measured_displacement",
            "measured_force",
        ]
        assert connection.datagrams.getpeername()[1] == server.address.port
    for _ in range(1000):
        if server.last_session is not None:
            break
        threading.Event().wait(0.01)
    assert server.last_session.state == RigState.SAFE


def test_a_second_session_is_rejected_while_the_first_goes_on(make_cs1, served):
    server = served(make_cs1())
    with connect(at(server), HELLO, None), pytest.raises(LinkError, match="another session is active"):
        connect(at(server), HELLO, None)


def test_another_number_of_axes_is_rejected(make_cs1, served):
    server = served(make_cs1())
    with pytest.raises(LinkError, match="the rig has 1 axes, the test has 2"):
        connect(at(server), Hello(axes=2, rate=1000.0, link_timeout=20), None)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\nmac no\n\nmac \n", "not the rig protocol"),
        (b"", "closed the connection"),
        (b"x" * 9000, "too long"),
        (b"DOVETAIL RIG 7\nmac -\n", "the rig uses version 7"),
    ],
)
def test_an_answer_that_is_not_from_a_rig_is_reported(answer, text):
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def other():
            connection, _ = listener.accept()
            with connection:
                if answer:
                    connection.sendall(answer)

        threading.Thread(target=other, daemon=True).start()
        with pytest.raises(LinkError, match=text):
            connect(Address("127.0.0.1", listener.getsockname()[1]), HELLO, None)


def test_a_silent_peer_is_dropped():
    listener = socket.create_server(("127.0.0.1", 0))
    with listener, pytest.raises(LinkError, match="no complete message in time"):
        connect(Address("127.0.0.1", listener.getsockname()[1]), HELLO, None, timeout=0.2)

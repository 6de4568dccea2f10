"""The served cell: sessions, refusals, and what it does with everything that is not right."""

import random
import socket
import time

import numpy as np
import pytest

from dovetail.core.errors import LinkError
from dovetail.links import Address, CellServer, RemoteCell, cell_server
from dovetail.links.cell_protocol import HEADER, VERSION, FrameStream, Message
from dovetail.testing.pseudodynamic import MoveRequest

KEY = bytes(range(16))


def works(served, key=None):
    """Whether a session can be had and a move is made."""
    with RemoteCell(served.url, 1, key, timeout=5.0) as cell:
        cell.begin(f"run-{time.monotonic_ns()}")
        return cell.move(MoveRequest(1, np.array([0.1]), 0.0, 0.0)).force.tolist() == [-10.0]


@pytest.fixture
def served(make_bench, serve_cell):
    return serve_cell(make_bench())


def dial(served):
    connection = socket.create_connection(("127.0.0.1", served.server.address.port), timeout=300.0)
    return connection


def session(served, key=None):
    """A raw connection that is through the handshake."""
    line = FrameStream(dial(served), key)
    _, _, challenge = line.receive()
    sent = line.send(Message.HELLO, {"nonce": "0" * 16, "axes": 1}, before=challenge)
    kind, _, _ = line.receive(before=sent)
    assert kind is Message.WELCOME
    return line


def test_it_serves_one_session_after_another(served):
    assert works(served)
    assert works(served)
    assert served.said.count("session begins") == 2
    assert served.wait_for("session ends")


@pytest.mark.parametrize("key", [KEY])
def test_it_serves_with_a_key_and_refuses_without(make_bench, serve_cell, key):
    served = serve_cell(make_bench(), key)
    assert works(served, key)
    with pytest.raises(LinkError):
        works(served, None)
    with pytest.raises(LinkError, match="signature"):
        works(served, key[::-1])
    assert works(served, key)


def test_remote_access_needs_a_key(make_bench):
    with pytest.raises(LinkError, match="same key file"):
        CellServer(make_bench(), Address("0.0.0.0", 0))


def test_another_number_of_axes_is_rejected(served):
    with pytest.raises(LinkError, match="bench has 1 axes; the test has 6"):
        RemoteCell(served.url, 6)
    assert works(served)


def test_a_second_client_is_rejected_during_a_session(served):
    with RemoteCell(served.url, 1) as cell:
        with pytest.raises(LinkError, match="another session is active"):
            RemoteCell(served.url, 1, timeout=5.0)
        cell.begin("a")
        assert cell.move(MoveRequest(1, np.array([0.1]), 0.0, 0.0)).ok


def test_noise_does_not_disturb_the_server(served):
    die = random.Random(7)
    for size in (0, 1, 31, 32, 200, 5000):
        with dial(served) as connection:
            connection.sendall(die.randbytes(size))
    assert works(served)


@pytest.mark.parametrize(
    ("break_it", "why"),
    [
        (lambda line, sent: line.socket.sendall(sent), "repeated or lost"),
        (lambda line, sent: line.socket.sendall(b"x" * 64), "not the cell protocol"),
        (
            lambda line, sent: line.socket.sendall(
                HEADER.pack(b"DVCL", VERSION, 6, 0, line.session, 2, 1 << 30, 0)
            ),
            "at most 65536",
        ),
        (lambda line, sent: line.socket.sendall(sent[:20]) or line.socket.shutdown(1), "closed"),
        (lambda line, sent: line.send(Message.MOVE, {"number": 1}), "kind"),
        (lambda line, sent: line.send(Message.WELCOME, {}), "not a request to a cell"),
        (lambda line, sent: line.send(Message.BEGIN, {"run": "x" * 500}), "run"),
    ],
    ids=["replayed", "malformed", "oversized", "truncated", "incomplete", "misplaced", "too long"],
)
def test_a_wrong_message_ends_the_session_and_moves_nothing(served, break_it, why):
    line = session(served)
    line.send(Message.BEGIN, {"run": "a"})
    line.receive()
    sent = line.send(Message.READ)
    line.receive()
    break_it(line, sent)
    assert served.wait_for(why), served.said
    line.socket.close()
    assert served.bench.made == []
    assert works(served)


def test_a_recorded_session_cannot_be_played_again(make_bench, serve_cell):
    served = serve_cell(make_bench(), KEY)
    line = FrameStream(dial(served), KEY)
    _, _, challenge = line.receive()
    tape = [line.send(Message.HELLO, {"nonce": "0" * 16, "axes": 1}, before=challenge)]
    line.receive(before=tape[0])
    tape.append(line.send(Message.BEGIN, {"run": "a"}))
    line.receive()
    tape.append(
        line.send(
            Message.MOVE,
            {"number": 1, "kind": "LINE", "target": [0.2], "execution_time": 0.0, "settling_time": 0.0},
        )
    )
    line.receive()
    line.socket.close()
    assert served.wait_for("session ends")
    assert served.bench.made == [1]
    served.bench.begin("b")
    served.said.clear()
    with dial(served) as thief:
        thief.sendall(b"".join(tape))
        assert served.wait_for("the signature is wrong"), served.said
    assert served.bench.made == []


def test_a_connection_that_is_cut_in_mid_move_halts_the_cell(make_bench, serve_cell):
    served = serve_cell(make_bench(seconds=3600.0))
    cell = RemoteCell(served.url, 1)
    cell.begin("a")
    cell.stream.send(
        Message.MOVE,
        {"number": 1, "kind": "LINE", "target": [0.2], "execution_time": 1.0, "settling_time": 0.0},
    )
    assert served.bench.moving.wait(300.0)
    cell.stream.socket.close()
    assert served.wait_for("halted in move 1")  # long before the move would end
    assert served.bench.made == []


def test_a_halt_reaches_a_moving_cell(make_bench, serve_cell):
    served = serve_cell(make_bench(seconds=3600.0))
    line = session(served)
    line.send(Message.BEGIN, {"run": "a"})
    line.receive()
    line.send(
        Message.MOVE,
        {"number": 1, "kind": "LINE", "target": [0.2], "execution_time": 1.0, "settling_time": 0.0},
    )
    line.send(Message.HALT)
    assert served.wait_for("halted by the test; the cell was halted in move 1")
    assert served.bench.halted.is_set()
    line.socket.close()


def test_a_driver_error_is_reported_and_not_fatal(served):
    def broken(move):
        raise RuntimeError("no air pressure")

    served.bench.move, kept = broken, served.bench.move
    with RemoteCell(served.url, 1) as cell:
        cell.begin("a")
        with pytest.raises(LinkError, match="no air pressure"):
            cell.move(MoveRequest(1, np.array([0.1]), 0.0, 0.0))
    served.bench.move = kept
    assert works(served)


def test_stopping_frees_port_and_cell(make_bench, serve_cell):
    served = serve_cell(make_bench())
    port = served.server.address.port
    served.stop()
    assert served.bench.closed
    with pytest.raises(LinkError, match="no cell answers"):
        RemoteCell(f"tcp://127.0.0.1:{port}", 1, timeout=1.0)
    CellServer(make_bench(), Address("127.0.0.1", port)).listener.close()


@pytest.mark.parametrize(
    "said",
    [
        {"nonce": "00", "axes": 10**400},
        {"nonce": "00", "axes": -(10**400)},
        {"nonce": "00", "axes": [[[[[[[[[[1]]]]]]]]]]},
        {"nonce": 10**400, "axes": 1},
    ],
)
def test_invalid_hellos_do_not_end_the_server(served, said):
    """Any peer on the port can say this."""
    address = served.server.address
    with socket.create_connection((address.host, address.port), 5) as link:
        line = FrameStream(link, None)
        _, _, challenge = line.receive()
        line.send(Message.HELLO, said, before=challenge)
        assert line.receive()[0] is Message.REFUSED
    with RemoteCell(served.url, 1) as cell:
        assert cell.read().number == 0


def test_a_driver_that_fails_when_it_begins_ends_the_session_and_not_the_server(served):
    def fail(run):
        raise ZeroDivisionError("no current")

    served.bench.begin = fail
    with RemoteCell(served.url, 1) as cell, pytest.raises(LinkError, match="no current"):
        cell.begin("run")
    del served.bench.begin
    with RemoteCell(served.url, 1) as cell:
        assert cell.begin("run") is None


def test_silent_clients_delay_no_one(make_bench, serve_cell, monkeypatch):
    monkeypatch.setattr(cell_server, "HELLO_TIME", 600.0)
    served = serve_cell(make_bench())
    to = ("127.0.0.1", served.server.address.port)
    mute = [socket.create_connection(to) for _ in range(5)]
    with RemoteCell(served.url, 1) as cell:
        assert cell.read().number == 0
    for each in mute:
        each.close()


def test_the_end_of_a_session_names_the_position_in_which_the_cell_stays(make_bench, serve_cell):
    served = serve_cell(make_bench())
    with RemoteCell(served.url, 1) as cell:
        cell.begin("run")
        cell.move(MoveRequest(1, np.array([0.25]), 0.0, 0.0))
    assert served.wait_for("session ends; the cell stays at 0.25"), served.said


def test_a_replayed_hello_begins_no_session_and_keeps_nobody_out(make_bench, serve_cell):
    served = serve_cell(make_bench(), KEY)
    eavesdropped = FrameStream(dial(served), KEY)
    _, _, challenge = eavesdropped.receive()
    hello = eavesdropped.send(Message.HELLO, {"nonce": "0" * 16, "axes": 1}, before=challenge)
    eavesdropped.socket.close()
    thief = FrameStream(dial(served), KEY)
    thief.receive()
    thief.socket.sendall(hello)
    kind, table, _ = thief.receive()
    assert (kind, table["why"]) == (Message.REFUSED, "cell: the signature is wrong: the keys differ")
    thief.socket.close()
    assert works(served, KEY)

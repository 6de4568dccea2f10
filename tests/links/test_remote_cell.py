"""The test's side of a served cell: what is asked is answered, and silence is noticed."""

import socket
import threading
import time

import numpy as np
import pytest

from dovetail.core.errors import LinkError
from dovetail.links import RemoteCell
from dovetail.links.cell_protocol import FrameStream, Message, pack_reply
from dovetail.testing.pseudodynamic import MoveReply, MoveRequest
from dovetail.transfer.robot import TripCode


def test_it_is_a_cell_like_any_other(make_bench, serve_cell):
    served = serve_cell(make_bench(axes=2, limit=50.0))
    with RemoteCell(served.url, 2) as cell:
        assert (cell.name, cell.axes) == ("bench", 2)
        assert cell.begin("a") is None
        reply = cell.move(MoveRequest(1, np.array([0.1, -1 / 3]), 0.5, 0.5))
        assert reply.force.tolist() == [-10.0, -100.0 * (-1 / 3)]
        assert cell.read().position.tolist() == [0.1, -1 / 3]
        trip = cell.move(MoveRequest(2, np.array([1.0, 0.0]), 0.5, 0.5))
        assert (trip.trip, trip.value, trip.limit) == (TripCode.FORCE, 100.0, 50.0)
        assert cell.begin("a").number == 1


def test_a_long_move_shows_signs_of_life(make_bench, serve_cell):
    served = serve_cell(make_bench(seconds=1.0), alive_every=0.1)
    with RemoteCell(served.url, 1, timeout=0.5) as cell:
        cell.begin("a")
        assert cell.move(MoveRequest(1, np.array([0.1]), 1.0, 0.0)).ok


def test_a_cell_that_falls_silent_is_noticed(make_bench, serve_cell):
    served = serve_cell(make_bench(seconds=30.0), alive_every=60.0)
    cell = RemoteCell(served.url, 1, timeout=0.3)
    cell.begin("a")
    began = time.monotonic()
    with pytest.raises(LinkError, match=r"no message for 0\.3 s"):
        cell.move(MoveRequest(1, np.array([0.1]), 1.0, 0.0))
    assert time.monotonic() - began < 20.0  # long before the move of 30 s would end
    cell.close()


def test_a_halt_from_another_thread_ends_a_move(make_bench, serve_cell):
    served = serve_cell(make_bench(seconds=3600.0))
    cell = RemoteCell(served.url, 1)
    cell.begin("a")
    halting = threading.Thread(target=lambda: (served.bench.moving.wait(300.0), cell.halt()))
    halting.start()
    with pytest.raises(LinkError, match="halted in move 1"):
        cell.move(MoveRequest(1, np.array([0.1]), 1.0, 0.0))
    halting.join()
    assert served.bench.halted.is_set()
    cell.close()


def test_a_missing_peer_is_reported():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(LinkError, match="no cell answers.*rig serve"):
        RemoteCell(f"tcp://127.0.0.1:{port}", 1, timeout=1.0)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda line: line.socket.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 3), "not the cell protocol"),
        (lambda line: line.send(Message.REPLY, {"known": True}), "trip"),
        (lambda line: line.send(Message.REPLY, pack_reply(None)), "empty reply"),
        (
            lambda line: line.send(Message.REPLY, pack_reply(MoveReply(1, np.zeros(3), np.zeros(1), 0.0))),
            "position",
        ),
        (lambda line: line.send(Message.MOVE), "got move; expected reply"),
        (lambda line: line.send(Message.BYE), "ended the session"),
        (lambda line: line.socket.close(), "closed|broke"),
    ],
)
def test_an_invalid_answer_ends_the_session(answer, why):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)

        def act():
            connection, _ = listener.accept()
            with connection:
                line = FrameStream(connection, None)
                line.send(Message.CHALLENGE, {"nonce": "0" * 16})
                _, _, sent = line.receive()
                line.session = 3
                line.send(Message.WELCOME, {"name": "actor", "axes": 1}, before=sent)
                line.receive()
                answer(line)
                time.sleep(0.2)

        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        cell = RemoteCell(f"tcp://127.0.0.1:{listener.getsockname()[1]}", 1, timeout=3.0)
        with pytest.raises(LinkError, match=why):
            cell.move(MoveRequest(1, np.array([0.1]), 0.0, 0.0))
        cell.close()
        thread.join(3.0)

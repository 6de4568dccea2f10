"""A served cell: any `Cell` behind the cell protocol, in a process of its own.

One session at a time; whoever asks meanwhile is refused. While the cell moves, in a thread that does nothing else, the
connection is watched: a halt, or the end of the connection, reaches the cell at once. A session that ends leaves
the cell where it is, and the next one takes the run up again.
"""

from __future__ import annotations

import dataclasses
import functools
import secrets
import select
import socket
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from dovetail.core.errors import LinkError
from dovetail.links.address import Address
from dovetail.links.cell_protocol import (
    FrameStream,
    Message,
    number,
    pack_reply,
    read_move,
    word,
)
from dovetail.testing.pseudodynamic import Cell, Move, Reply

HELLO_TIME = 2.0  # [s] within which a hello has to be complete
ALIVE_EVERY = 0.5  # [s] between two signs of life while the cell moves
IDLE = 0.1  # [s] between two looks at whether to stop


class _Hands:
    """Makes the moves of a cell, one after another, in a thread of its own; a byte on `over` says that one is made."""

    def __init__(self, cell: Cell):
        self.cell = cell
        self.over, self._made = socket.socketpair()
        self._asked: SimpleQueue[Move | None] = SimpleQueue()
        self._found: SimpleQueue[Reply | BaseException] = SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()  # a driver that hangs keeps nobody alive

    def begin(self, move: Move) -> None:
        self._asked.put(move)

    def found(self) -> Reply | BaseException:
        """What came of the move, once `over` has its byte."""
        self.over.recv(1)
        return self._found.get()

    def rest(self) -> None:
        """No more moves."""
        self._asked.put(None)

    def _work(self) -> None:
        with self.over, self._made:
            while (move := self._asked.get()) is not None:
                try:
                    self._found.put(self.cell.move(move))
                except BaseException as error:
                    self._found.put(error)
                self._made.send(b".")


@dataclasses.dataclass
class CellServer:
    """Serves a cell at an address; port 0 takes a free one."""

    cell: Cell
    address: Address
    key: bytes | None = None
    report: Callable[[str], None] = lambda text: None
    alive_every: float = ALIVE_EVERY

    def __post_init__(self):
        family, host = self.address.resolved(self.key)
        self.listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.listener.bind((host, self.address.port))
        except OSError as error:
            self.listener.close()
            reason = (error.strerror or str(error)).lower()
            raise LinkError(
                f"tcp://{self.address.host}:{self.address.port}: cannot listen there ({reason})"
            ) from error
        self.listener.listen(4)
        self.address = Address(self.address.host, self.listener.getsockname()[1])
        self.stopping = False
        self.line: FrameStream | None = None

    @functools.cached_property
    def hands(self) -> _Hands:
        """Who makes its moves, from the first on."""
        return _Hands(self.cell)

    @property
    def url(self) -> str:
        """Where it is, for `--rig`."""
        return f"tcp://{self.address.host}:{self.address.port}"

    def serve(self, until: Callable[[], bool] = lambda: False) -> None:
        """Serve until `until()` is true or `stop` was called; then the cell stands still."""
        try:
            while not (self.stopping or until()):
                if select.select([self.listener], [], [], IDLE)[0]:
                    connection, _ = self.listener.accept()
                    with connection:
                        self._session(connection, until)
        finally:
            self.listener.close()
            if "hands" in vars(self):
                self.hands.rest()
            self.cell.close()

    def stop(self) -> None:
        """Ask `serve` to end; it does so within a fraction of a second."""
        self.stopping = True

    # one session

    def _session(self, connection: socket.socket, until: Callable[[], bool]) -> None:
        connection.settimeout(HELLO_TIME)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        keep_alive(connection)
        line = FrameStream(connection, self.key)
        try:
            self._greet(line)
        except (LinkError, OSError) as error:
            self.report(f"refused: {error}")
            self._refuse(line, str(error))
            return
        self.line = line
        self.report("session begins")
        try:
            while not (self.stopping or until()):
                if not self._waiting(line):
                    continue
                kind, table, _ = line.receive()
                if kind is Message.BYE:
                    self.report("session ends")
                    return
                line.send(Message.REPLY, pack_reply(self._answer(line, kind, table)))
            line.send(Message.BYE)
        except (LinkError, OSError) as error:
            self.report(f"session ends: {error}")
            self._refuse(line, str(error))
        except Exception as error:  # of the driver, or of ours: no message may end the server
            self.report(f"session ends: {type(error).__name__}: {error}")
            self._refuse(line, f"the cell failed: {type(error).__name__}: {error}")
        finally:
            self.line = None

    def _greet(self, line: FrameStream) -> None:
        kind, table, sent = line.receive()
        if kind is not Message.HELLO:
            raise LinkError(f"cell: {kind.name.lower()} before the hello")
        word(table, "nonce")
        axes = int(number(table, "axes", 1, 4096))
        if axes != self.cell.axes:
            raise LinkError(f"{self.cell.name} has {self.cell.axes} axes, the test {axes}")
        line.session = secrets.randbits(63) + 1
        line.send(Message.WELCOME, {"name": self.cell.name[:200], "axes": self.cell.axes}, before=sent)

    def _answer(self, line: FrameStream, kind: Message, table: dict[str, Any]) -> Reply | None:
        if kind is Message.BEGIN:
            return self.cell.begin(word(table, "run", 64))
        if kind is Message.READ:
            return self.cell.read()
        if kind is Message.HALT:
            self.cell.halt()
            self.report("halted by the test")
            return self.cell.read()
        if kind is Message.MOVE:
            return self._moved(line, read_move(table, self.cell.axes))
        raise LinkError(f"cell: {kind.name.lower()} is not for a cell")

    def _moved(self, line: FrameStream, move: Move) -> Reply:
        """Make a move while the connection is watched."""
        self.hands.begin(move)
        last, gone = time.monotonic(), ""
        while not self._made(line, bool(gone)):
            if gone:
                continue
            try:
                gone = self._interrupted(line)
                if not gone and time.monotonic() - last > self.alive_every:
                    line.send(Message.ALIVE)
                    last = time.monotonic()
            except (LinkError, OSError) as error:
                gone = str(error)
            if gone:
                self.cell.halt()
        found = self.hands.found()
        if isinstance(found, BaseException):
            raise LinkError(f"{self.cell.name}: the driver failed: {found}") from found
        if gone:
            raise LinkError(f"{gone}; the cell was halted in move {move.number}")
        if not found.ok:
            self.report(f"move {move.number}: {found.trip.name.lower().replace('_', ' ')}")
        return found

    def _made(self, line: FrameStream, gone: bool) -> bool:
        """Wait until the move is made, the test says something, or it is time for a look; whether it is made."""
        watched = [self.hands.over] if gone else [self.hands.over, line.socket]
        wait = 0.0 if line.buffer and not gone else min(IDLE, self.alive_every)
        return self.hands.over in select.select(watched, [], [], wait)[0]

    def _interrupted(self, line: FrameStream) -> str:
        """Why a move has to be given up: a halt, or the end of the connection; nothing if it has not."""
        if self.stopping:
            return "the server is told to stop"
        if not line.buffer and not select.select([line.socket], [], [], 0)[0]:
            return ""
        kind, _, _ = line.receive()
        return "halted by the test" if kind is Message.HALT else f"{kind.name.lower()} in mid-move"

    def _waiting(self, line: FrameStream) -> bool:
        """True if the test has said something; whoever else calls meanwhile is refused.

        What the test says comes first: it may be its farewell, and the caller its successor.
        """
        ready = select.select([line.socket, self.listener], [], [], 0 if line.buffer else IDLE)[0]
        if self.listener in ready and line.socket not in ready and not line.buffer:
            other, _ = self.listener.accept()
            with other:
                self._refuse(FrameStream(other, self.key), "another session is going on")
        return bool(line.buffer) or line.socket in ready

    def _refuse(self, line: FrameStream, why: str) -> None:
        """Say why, if anybody still listens."""
        try:
            line.send(Message.REFUSED, {"why": why[:200]})
        except OSError:
            return


def keep_alive(connection: socket.socket) -> None:
    """Let the system notice within some ten seconds that the other side has vanished without a word."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

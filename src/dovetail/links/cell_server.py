"""Server of a robot cell: any `Cell` behind the cell protocol.

One session at a time; other clients are refused, and a client that sends nothing delays nobody. The cell moves in a
separate thread, while the server monitors the connection: a halt, or the end of the connection, stops the cell
immediately. The safe state of a cell is standstill: it stays at its position after the end of a session, which the
server reports with the measured position, and the next session continues the run.
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

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.address import Address, keep_alive
from dovetail.links.cell_protocol import (
    FrameStream,
    Message,
    new_nonce,
    number,
    pack_reply,
    read_move,
    word,
)
from dovetail.testing.pseudodynamic import Cell, MoveReply, MoveRequest

HELLO_TIME = 2.0  # [s] time limit for a complete hello
ALIVE_EVERY = 0.5  # [s] interval of alive messages while the cell moves
IDLE = 0.1  # [s] interval of the check for a stop
MAX_CALLERS = 32  # clients that have sent nothing; of more, the oldest is dropped


class _MoveThread:
    """Thread that makes the moves of a cell one after another; each completed move sends a byte to `done`."""

    def __init__(self, cell: Cell):
        self.cell = cell
        self.done, self._done_end = socket.socketpair()
        self._requests: SimpleQueue[MoveRequest | None] = SimpleQueue()
        self._results: SimpleQueue[MoveReply | BaseException] = SimpleQueue()
        threading.Thread(
            target=self._work, daemon=True
        ).start()  # daemon: a blocked driver does not keep the process

    def begin(self, move: MoveRequest) -> None:
        self._requests.put(move)

    def result(self) -> MoveReply | BaseException:
        """Return the result of a move, when `done` has received its byte."""
        self.done.recv(1)
        return self._results.get()

    def close(self) -> None:
        """End the thread."""
        self._requests.put(None)

    def _work(self) -> None:
        with self.done, self._done_end:
            while (move := self._requests.get()) is not None:
                try:
                    self._results.put(self.cell.move(move))
                except BaseException as error:
                    self._results.put(error)
                self._done_end.send(b".")


@dataclasses.dataclass
class _Caller:
    """Client that has sent nothing yet."""

    line: FrameStream
    challenge: bytes
    deadline: float  # [s] of the monotonic clock


@dataclasses.dataclass
class CellServer:
    """Server of a cell at an address; port 0: any free port."""

    cell: Cell
    address: Address
    key: bytes | None = None
    report: Callable[[str], None] = lambda text: None
    alive_every: float = ALIVE_EVERY

    def __post_init__(self):
        family, host = self.address.resolve(self.key)
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
    def move_thread(self) -> _MoveThread:
        """Thread for the moves, created at the first move."""
        return _MoveThread(self.cell)

    @property
    def url(self) -> str:
        """Address for `--address`."""
        return f"tcp://{self.address.host}:{self.address.port}"

    def serve(self, until: Callable[[], bool] = lambda: False) -> None:
        """Serve until `until()` is true or `stop` is called; then close the cell."""
        callers: dict[socket.socket, _Caller] = {}
        try:
            while not (self.stopping or until()):
                ready = select.select([self.listener, *callers], [], [], IDLE)[0]
                late = [each for each, caller in callers.items() if time.monotonic() > caller.deadline]
                if self.listener in ready and (caller := self._accept()):
                    late += list(callers)[: len(callers) + 1 - MAX_CALLERS]
                    callers[caller.line.socket] = caller
                for connection in [each for each in callers if each in ready or each in late]:
                    caller = callers.pop(connection)
                    with connection:
                        if connection in ready:
                            self._session(caller, until)
        finally:
            for each in (self.listener, *callers):
                each.close()
            if "move_thread" in vars(self):
                self.move_thread.close()
            self.cell.close()

    def stop(self) -> None:
        """End `serve` within a fraction of a second."""
        self.stopping = True

    def _accept(self) -> _Caller | None:
        """Send a challenge to a new client; return None if it is gone."""
        connection, _ = self.listener.accept()
        try:
            connection.settimeout(HELLO_TIME)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            keep_alive(connection)
            line = FrameStream(connection, self.key)
            challenge = line.send(Message.CHALLENGE, {"nonce": new_nonce()})
        except OSError:
            connection.close()
            return None
        return _Caller(line, challenge, time.monotonic() + HELLO_TIME)

    def _session(self, caller: _Caller, until: Callable[[], bool]) -> None:
        line = caller.line
        try:
            self._greet(line, caller.challenge)
        except (LinkError, OSError) as error:
            self.report(f"refused: {error}")
            self._refuse(line, str(error))
            return
        self.line = line
        self.report("session begins")
        try:
            while not (self.stopping or until()):
                if not self._has_message(line):
                    continue
                kind, table, _ = line.receive()
                if kind is Message.BYE:
                    self.report(f"session ends; {self._standstill()}")
                    return
                line.send(Message.REPLY, pack_reply(self._answer(line, kind, table)))
            line.send(Message.BYE)
            self.report(f"session ends: the server was stopped; {self._standstill()}")
        except (LinkError, OSError) as error:
            self.report(f"session ends: {error}; {self._standstill()}")
            self._refuse(line, str(error))
        except Exception as error:  # of the driver or of the server: no message may end the server
            self.report(f"session ends: {type(error).__name__}: {error}; {self._standstill()}")
            self._refuse(line, f"the cell failed: {type(error).__name__}: {error}")
        finally:
            self.line = None

    def _standstill(self) -> str:
        """Return the measured position in which the cell stays."""
        try:
            position = np.ravel(self.cell.read().position)
        except Exception as error:  # of a driver that may have failed before
            return f"the cell gives no position: {error}"
        return f"the cell stays at {' '.join(f'{value:.6g}' for value in position)}"

    def _greet(self, line: FrameStream, challenge: bytes) -> None:
        kind, table, sent = line.receive(before=challenge)
        if kind is not Message.HELLO:
            raise LinkError(f"cell: got {kind.name.lower()}; expected a hello")
        word(table, "nonce")
        axes = int(number(table, "axes", 1, 4096))
        if axes != self.cell.axes:
            raise LinkError(f"{self.cell.name} has {self.cell.axes} axes; the test has {axes}")
        line.session = secrets.randbits(63) + 1
        line.send(Message.WELCOME, {"name": self.cell.name[:200], "axes": self.cell.axes}, before=sent)

    def _answer(self, line: FrameStream, kind: Message, table: dict[str, Any]) -> MoveReply | None:
        if kind is Message.BEGIN:
            return self.cell.begin(word(table, "run", 64))
        if kind is Message.READ:
            return self.cell.read()
        if kind is Message.HALT:
            self.cell.halt()
            self.report("halted by the test")
            return self.cell.read()
        if kind is Message.MOVE:
            return self._make_move(line, read_move(table, self.cell.axes))
        raise LinkError(f"cell: got {kind.name.lower()}, which is not a request to a cell")

    def _make_move(self, line: FrameStream, move: MoveRequest) -> MoveReply:
        """Make a move and monitor the connection."""
        self.move_thread.begin(move)
        last, interruption = time.monotonic(), ""
        while not self._is_done(line, bool(interruption)):
            if interruption:
                continue
            try:
                interruption = self._interruption(line)
                if not interruption and time.monotonic() - last > self.alive_every:
                    line.send(Message.ALIVE)
                    last = time.monotonic()
            except (LinkError, OSError) as error:
                interruption = str(error)
            if interruption:
                self.cell.halt()
        result = self.move_thread.result()
        if isinstance(result, BaseException):
            raise LinkError(f"{self.cell.name}: the driver failed: {result}") from result
        if interruption:
            raise LinkError(f"{interruption}; the cell was halted in move {move.number}")
        if not result.ok:
            self.report(f"move {move.number}: {result.trip.name.lower().replace('_', ' ')}")
        return result

    def _is_done(self, line: FrameStream, interrupted: bool) -> bool:
        """Wait for the end of the move, a message or a time-out; return whether the move is complete."""
        done = self.move_thread.done
        inputs = [done] if interrupted else [done, line.socket]
        wait = 0.0 if line.buffer and not interrupted else min(IDLE, self.alive_every)
        return done in select.select(inputs, [], [], wait)[0]

    def _interruption(self, line: FrameStream) -> str:
        """Return the reason to stop a move: a halt, or the end of the connection; otherwise an empty text."""
        if self.stopping:
            return "the server was stopped"
        if not line.buffer and not select.select([line.socket], [], [], 0)[0]:
            return ""
        kind, _, _ = line.receive()
        return "halted by the test" if kind is Message.HALT else f"{kind.name.lower()} during a move"

    def _has_message(self, line: FrameStream) -> bool:
        """Return whether a message of the test has arrived; refuse other clients.

        Messages of the test come first: its last message may precede the connection of the next test.
        """
        ready = select.select([line.socket, self.listener], [], [], 0 if line.buffer else IDLE)[0]
        if self.listener in ready and line.socket not in ready and not line.buffer:
            other, _ = self.listener.accept()
            with other:
                self._refuse(FrameStream(other, self.key), "another session is active")
        return bool(line.buffer) or line.socket in ready

    def _refuse(self, line: FrameStream, reason: str) -> None:
        """Send the reason of a refusal, if the connection still exists."""
        try:
            line.send(Message.REFUSED, {"why": reason[:200]})
        except OSError:
            return

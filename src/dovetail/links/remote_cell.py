"""Robot cell behind a TCP connection: client of the cell protocol, for a pseudo-dynamic test."""

from __future__ import annotations

import contextlib
import socket

from dovetail.core.errors import LinkError
from dovetail.links.cell_protocol import (
    FrameStream,
    Message,
    new_nonce,
    number,
    pack_move,
    parse_url,
    read_reply,
    word,
)
from dovetail.testing.pseudodynamic import Cell, MoveReply, MoveRequest

TIMEOUT = 10.0  # [s] without a message


class RemoteCell(Cell):
    """Robot cell at an address.

    Raises `LinkError` if there is no answer, the cell refuses, the answer is not valid, or there is no message for
    `timeout` seconds.
    """

    def __init__(self, url: str, axes: int, key: bytes | None = None, timeout: float = TIMEOUT):
        self.url = url
        address = parse_url(url)
        family, host = address.resolve(key)
        link = socket.socket(family, socket.SOCK_STREAM)
        link.settimeout(timeout)
        try:
            link.connect((host, address.port))
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.stream = FrameStream(link, key)
            _, challenge = self._await(Message.CHALLENGE)
            hello = self.stream.send(Message.HELLO, {"nonce": new_nonce(), "axes": axes}, before=challenge)
            table, _ = self._await(Message.WELCOME, before=hello)
        except OSError as error:
            link.close()
            reason = (error.strerror or str(error)).lower()
            raise LinkError(
                f'{url}: no cell answers ({reason}); is it served there ("dovetail rig serve CELL")?'
            ) from error
        except BaseException:
            link.close()
            raise
        self.name, self.axes = word(table, "name"), int(number(table, "axes", 1, 4096))
        self.moving = False

    def begin(self, run: str) -> MoveReply | None:
        return self._request(Message.BEGIN, {"run": run})

    def read(self) -> MoveReply:
        return self._reply(self._request(Message.READ))

    def move(self, move: MoveRequest) -> MoveReply:
        self.moving = True
        try:
            return self._reply(self._request(Message.MOVE, pack_move(move)))
        finally:
            self.moving = False

    def halt(self) -> None:
        if self.moving:  # the thread that waits for the move receives the answer: the cell ends the session
            self.stream.send(Message.HALT)
        else:
            self._request(Message.HALT)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.stream.send(Message.BYE)
        self.stream.socket.close()

    def _request(self, kind: Message, table: dict | None = None) -> MoveReply | None:
        try:
            self.stream.send(kind, table)
            return read_reply(self._await(Message.REPLY)[0], self.axes)
        except TimeoutError as error:
            raise LinkError(f"{self.url}: no message for {self.stream.socket.gettimeout():g} s") from error
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise LinkError(f"{self.url}: connection lost ({reason})") from error

    def _await(self, expected: Message, before: bytes = b"") -> tuple[dict, bytes]:
        while True:
            kind, table, frame = self.stream.receive(before)
            if kind is expected:
                return table, frame
            if kind is Message.REFUSED:
                raise LinkError(f"the cell refused: {word(table, 'why')}")
            if kind is Message.BYE:
                raise LinkError(f"{self.url}: the cell ended the session")
            if kind is not Message.ALIVE:
                raise LinkError(f"cell: got {kind.name.lower()}; expected {expected.name.lower()}")

    def _reply(self, reply: MoveReply | None) -> MoveReply:
        if reply is None:
            raise LinkError(f"{self.url}: got an empty reply from the cell")
        return reply

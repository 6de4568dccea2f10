"""A cell at the other end of a TCP connection: the creep test's side of the cell protocol."""

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
from dovetail.testing.pseudodynamic import Cell, Move, Reply

PATIENCE = 10.0  # [s] without a sign of life


class RemoteCell(Cell):
    """A cell that is served somewhere.

    Raises `LinkError` when nobody answers, the cell refuses, something comes that is no answer, or no sign of life
    comes for `patience` seconds.
    """

    def __init__(self, url: str, axes: int, key: bytes | None = None, patience: float = PATIENCE):
        self.url = url
        address = parse_url(url)
        family, host = address.resolved(key)
        link = socket.socket(family, socket.SOCK_STREAM)
        link.settimeout(patience)
        try:
            link.connect((host, address.port))
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.line = FrameStream(link, key)
            sent = self.line.send(Message.HELLO, {"nonce": new_nonce(), "axes": axes})
            table = self._await(Message.WELCOME, before=sent)
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

    def begin(self, run: str) -> Reply | None:
        return self._ask(Message.BEGIN, {"run": run})

    def read(self) -> Reply:
        return self._known(self._ask(Message.READ))

    def move(self, move: Move) -> Reply:
        return self._known(self._ask(Message.MOVE, pack_move(move)))

    def halt(self) -> None:
        self._ask(Message.HALT)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.line.send(Message.BYE)
        self.line.socket.close()

    def _ask(self, kind: Message, table: dict | None = None) -> Reply | None:
        try:
            self.line.send(kind, table)
            return read_reply(self._await(Message.REPLY), self.axes)
        except TimeoutError as error:
            raise LinkError(f"{self.url}: no sign of life for {self.line.socket.gettimeout():g} s") from error
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise LinkError(f"{self.url}: the connection broke ({reason})") from error

    def _await(self, wanted: Message, before: bytes = b"") -> dict:
        while True:
            kind, table, _ = self.line.receive(before)
            if kind is wanted:
                return table
            if kind is Message.REFUSED:
                raise LinkError(f"the cell refused: {word(table, 'why')}")
            if kind is Message.BYE:
                raise LinkError(f"{self.url}: the cell ended the session")
            if kind is not Message.ALIVE:
                raise LinkError(f"cell: {kind.name.lower()} where {wanted.name.lower()} was due")

    def _known(self, reply: Reply | None) -> Reply:
        if reply is None:
            raise LinkError(f"{self.url}: the cell answered with nothing")
        return reply

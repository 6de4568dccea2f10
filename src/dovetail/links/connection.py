"""The loop's side of a session: the handshake, and a socket that hears the rig alone."""

from __future__ import annotations

import dataclasses
import socket

from dovetail.core.errors import LinkError
from dovetail.links.address import Address
from dovetail.links.handshake import Hello, Welcome
from dovetail.links.serve import receive_message

PATIENCE = 5.0  # [s] for the handshake
BUFFER = 1 << 16  # [bytes] of the socket, some hundred datagrams


@dataclasses.dataclass(frozen=True)
class Connection:
    """An open session. Closing it ends the session, and the rig goes to its safe state."""

    address: Address
    hello: Hello
    welcome: Welcome
    key: bytes | None
    control: socket.socket  # TCP
    datagrams: socket.socket  # UDP, connected

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """End the session."""
        self.control.close()
        self.datagrams.close()


def connect(address: Address, hello: Hello, key: bytes | None, patience: float = PATIENCE) -> Connection:
    """Agree on a session with the rig at an address.

    Raises
    ------
    LinkError
        If nobody answers in time, it is no rig, the keys differ, or the rig refuses.
    """
    family, host = address.resolved(key)
    control = socket.socket(family, socket.SOCK_STREAM)
    datagrams = socket.socket(family, socket.SOCK_DGRAM)
    try:
        control.settimeout(patience)
        try:
            control.connect((host, address.port))
            sent = hello.pack(key)
            control.sendall(sent)
            data = receive_message(control)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise LinkError(
                f'{address}: no rig answers ({reason}); is it served there ("dovetail rig serve TEST")?'
            ) from error
        welcome = Welcome.parse(data, sent, key)
        datagrams.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        datagrams.connect((host, welcome.port))
        datagrams.setblocking(False)
    except BaseException:
        control.close()
        datagrams.close()
        raise
    return Connection(address, hello, welcome, key, control, datagrams)

"""Session of the loop with a rig: handshake, and a socket that is connected to the rig."""

from __future__ import annotations

import dataclasses
import socket
import time

from dovetail.core.errors import LinkError
from dovetail.links.address import Address
from dovetail.links.handshake import MAX_BYTES, Hello, Welcome, check_challenge, is_complete

TIMEOUT = 5.0  # [s] for the handshake
BUFFER = 1 << 16  # [bytes] of the socket, some hundred datagrams


@dataclasses.dataclass(frozen=True)
class RigConnection:
    """Open session with a rig. Closing it ends the session, and the rig enters its safe state."""

    address: Address
    hello: Hello
    welcome: Welcome
    key: bytes | None
    control: socket.socket  # TCP
    datagrams: socket.socket  # UDP, connected

    @property
    def link_timeout(self) -> int:
        """Largest number of ticks without a message: the smaller of the limits of loop and rig."""
        return min(self.hello.link_timeout, self.welcome.link_timeout or self.hello.link_timeout)

    def __enter__(self) -> RigConnection:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """End the session."""
        self.control.close()
        self.datagrams.close()


def connect(address: Address, hello: Hello, key: bytes | None, timeout: float = TIMEOUT) -> RigConnection:
    """Open a session with the rig at an address.

    Raises
    ------
    LinkError
        If there is no answer in time, the answer is not from a rig, the keys differ, or the rig refuses.
    """
    family, host = address.resolve(key)
    control = socket.socket(family, socket.SOCK_STREAM)
    datagrams = socket.socket(family, socket.SOCK_DGRAM)
    try:
        control.settimeout(timeout)
        try:
            control.connect((host, address.port))
            challenge = receive_message(control)
            check_challenge(challenge, key)
            sent = hello.pack(challenge, key)
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
    return RigConnection(address, hello, welcome, key, control, datagrams)


def receive_message(connection: socket.socket) -> bytes:
    """Return one message of the handshake, complete within the time-out of the connection."""
    data, timeout = b"", connection.gettimeout() or TIMEOUT
    end = time.monotonic() + timeout
    while not is_complete(data):
        connection.settimeout(max(end - time.monotonic(), 1e-3))  # the time limit is for the complete message
        try:
            piece = connection.recv(MAX_BYTES)
        except TimeoutError:
            raise LinkError("handshake: got no complete message in time") from None
        if not piece or len(data) + len(piece) > MAX_BYTES:
            raise LinkError("handshake: the other side closed the connection, or its message is too long")
        data += piece
    connection.settimeout(timeout)
    return data

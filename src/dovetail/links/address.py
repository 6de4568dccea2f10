"""Address of a rig and shared key.

An address other than loopback requires a key.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import os
import re
import secrets
import socket
from pathlib import Path

from dovetail.core.errors import LinkError
from dovetail.links.siphash import KEY_LENGTH

PORT = 7001
KEY_VARIABLE = "DOVETAIL_RIG_KEY"  # path of the key file


@dataclasses.dataclass(frozen=True)
class Address:
    """Host and port of a rig; TCP (handshake) and UDP (datagrams) use the same port number."""

    host: str
    port: int

    @staticmethod
    def parse(url: str) -> Address:
        """Return the address for `udp://HOST:PORT` (default port: 7001)."""
        match = re.fullmatch(r"udp://(\[[0-9a-fA-F:]+\]|[^:/\s]+)(?::(\d{1,5}))?/?", url)
        port = int(match[2] or PORT) if match else 0
        if not match or not 1 <= port <= 65535:
            raise LinkError(f'got "{url}"; the address of a rig has the form udp://HOST:PORT')
        return Address(match[1].strip("[]"), port)

    def resolve(self, key: bytes | None) -> tuple[int, str]:
        """Return address family and IP address of the host; "localhost" works without name resolution.

        Raises
        ------
        LinkError
            If the host does not exist, or is not this machine and there is no key.
        """
        try:
            entries = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_DGRAM)
        except OSError as error:
            if self.host == "localhost":
                return socket.AF_INET, "127.0.0.1"
            raise LinkError(f'no host "{self.host}" ({error}); check the name') from error
        family, _, _, _, endpoint = min(entries, key=lambda entry: entry[0])  # IPv4 first
        number = str(endpoint[0])
        if key is None and not ipaddress.ip_address(number.partition("%")[0]).is_loopback:
            raise LinkError(
                f"{self.host} is not this machine: give both sides the same key file with --key "
                f'or {KEY_VARIABLE} (make one with "dovetail rig key FILE")'
            )
        return family, number

    def __str__(self) -> str:
        return f"udp://{self.host}:{self.port}"


def read_key(path: str | Path | None) -> bytes | None:
    """Return the key from a file of 32 hexadecimal digits (default: file named by DOVETAIL_RIG_KEY; None if unset)."""
    path = path or os.environ.get(KEY_VARIABLE)
    if not path:
        return None
    try:
        text = Path(path).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise LinkError(f"{path}: cannot be read as a key; make one with: dovetail rig key FILE") from error
    if not re.fullmatch(rf"[0-9a-fA-F]{{{2 * KEY_LENGTH}}}", text):
        raise LinkError(f"{path}: contains no key; expected {2 * KEY_LENGTH} hexadecimal digits")
    return bytes.fromhex(text)


def write_key(path: str | Path) -> Path:
    """Write a new key to a file that only its owner can read."""
    path = Path(path)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LinkError(f"{path}: cannot be written ({reason}); choose another file") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(KEY_LENGTH) + "\n")
    return path


def keep_alive(connection: socket.socket) -> None:
    """Enable TCP keep-alive, which detects a lost connection within about ten seconds."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

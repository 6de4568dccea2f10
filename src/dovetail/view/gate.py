"""A door with a token before the view, for looking from another machine.

The view itself listens on loopback only. The gate listens where it was asked to, and lets a connection through to
it only if its first request names the token, in the address or in the cookie that the address was exchanged for.
Everything else is answered with 403 and cut.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import socket
import threading
from urllib.parse import parse_qs, urlsplit

HEAD = 16_384  # [bytes] of a request's head, at most
PATIENCE = 10.0  # [s] for a head to arrive


class Gate:
    """Listens on `host`:`port` and passes on to the view at `inner` on loopback; `cookie` names its cookie."""

    def __init__(self, inner: int, host: str, port: int, token: str | None = None, cookie: str = ""):
        self.inner, self.token = inner, token or secrets.token_urlsafe(24)
        self.listener = socket.create_server((host, port))
        self.port = self.listener.getsockname()[1]
        self.cookie = cookie or f"dovetail-{self.port}"  # browsers share cookies between the ports of a host
        shown = socket.gethostname() if host in ("0.0.0.0", "::") else host
        self.url = f"http://{shown}:{self.port}/?token={self.token}"
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self.listener.close()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._admit, args=(connection,), daemon=True).start()

    def _admit(self, outside: socket.socket) -> None:
        with outside, contextlib.suppress(OSError):
            outside.settimeout(PATIENCE)
            head = b""
            while b"\r\n\r\n" not in head:
                piece = outside.recv(4096)
                if not piece or len(head) > HEAD:
                    return
                head += piece
            verdict = judge(head, self.token, self.cookie)
            if verdict == "enter":
                cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                outside.sendall(_answer("302 Found", f"Location: /\r\nSet-Cookie: {cookie}\r\n"))
            elif verdict == "pass":
                outside.settimeout(None)
                with socket.create_connection(("127.0.0.1", self.inner)) as inside:
                    inside.sendall(_one_request(head))
                    back = threading.Thread(target=_pour, args=(inside, outside), daemon=True)
                    back.start()
                    _pour(outside, inside)
                    back.join()
            else:
                outside.sendall(_answer("403 Forbidden", ""))


def judge(head: bytes, token: str, cookie: str = "dovetail") -> str:
    """`enter` with the token in the address, `pass` with it in the cookie of that name, else `refuse`."""
    try:
        lines = head.decode("latin-1").split("\r\n")
        _, target, _ = lines[0].split(" ", 2)
    except ValueError:
        return "refuse"
    given = parse_qs(urlsplit(target).query).get("token", [""])[0]
    if given and hmac.compare_digest(given.encode(), token.encode()):
        return "enter"
    for line in lines[1:]:
        name, _, value = line.partition(":")
        if name.strip().lower() == "cookie":
            for pair in value.split(";"):
                key, _, held = pair.strip().partition("=")
                if key == cookie and hmac.compare_digest(held.encode(), token.encode()):
                    return "pass"
    return "refuse"


def _one_request(head: bytes) -> bytes:
    """The head with the promise that no other request follows on this connection, unless it becomes a websocket."""
    first, rest = head.split(b"\r\n", 1)
    if b"upgrade: websocket" in rest.lower():
        return head
    kept = [line for line in rest.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    return b"\r\n".join([first, b"Connection: close", *kept])


def _answer(status: str, fields: str) -> bytes:
    return f"HTTP/1.1 {status}\r\n{fields}Content-Length: 0\r\nConnection: close\r\n\r\n".encode()


def _pour(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65_536):
            sink.sendall(piece)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)

"""Access control of the view: same origin, loopback host name and token are required.

A page of another site, open in the same browser, can send requests to the loopback address, websockets in particular.
Therefore each request must not come from another page (`Origin`); on loopback it must name a loopback host (this
blocks DNS rebinding); and if a token is set, it must have the token: once in the address, then in a cookie. Every
other request is answered with status 403. The page and the websocket of viser share one port; both are protected.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")
REFUSAL = "Access denied: open the address printed by `dovetail view`.\n"


class AccessControl:
    """Access control of a server on `host`; requires a token beyond loopback, or `always`."""

    def __init__(self, host: str = "127.0.0.1", always: bool = False):
        self.host = host
        self.token = secrets.token_urlsafe(24) if always or host not in LOOPBACK else ""
        self.active = False  # whether a server uses it

    def url(self, port: int) -> str:
        """Return the address to open."""
        name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(self.host, self.host)
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{port}" + (f"/?token={self.token}" if self.token else "")

    def decision(self, target: str, fields: Any, port: int) -> str:
        """Return `pass`, `enter` (token in the address) or `refuse` for a request with these header fields."""
        host, origin = fields.get("Host", ""), fields.get("Origin")
        if self.host in LOOPBACK and urlsplit(f"//{host}").hostname not in LOOPBACK:
            return "refuse"
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "refuse"
        return (
            check_token(target, fields.get("Cookie", ""), self.token, cookie_name(port))
            if self.token
            else "pass"
        )

    def answer(self, connection: Any, request: Any) -> Any:
        """Return the response to a request that is not passed to the server, or None."""
        port = int(connection.local_address[1])
        try:
            decision = self.decision(request.path, request.headers, port)
        except (ValueError, LookupError):  # duplicate header field, invalid address
            decision = "refuse"
        if decision == "pass":
            return None
        if decision == "refuse":
            return connection.respond(403, REFUSAL)
        entered = connection.respond(302, "")
        entered.headers["Location"] = "/"
        entered.headers["Set-Cookie"] = f"{cookie_name(port)}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        return entered

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Install the access control for all servers that viser starts in this block; sets `active`."""
        import websockets.asyncio.server as server

        plain = server.serve

        def serve(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
            self.active = True

            def check(connection: Any, request: Any) -> Any:
                refusal = self.answer(connection, request)
                if refusal is None and process_request is not None:
                    return process_request(connection, request)
                return refusal

            return plain(*arguments, process_request=check, **options)

        server.serve = serve  # type: ignore[assignment,misc]  # while viser starts
        try:
            yield
        finally:
            server.serve = plain  # type: ignore[misc]  # restored


def cookie_name(port: int) -> str:
    """Return the cookie name of the view at a port, because browsers share cookies between ports of a host."""
    return f"dovetail-{port}"


def check_token(target: str, cookies: str, token: str, cookie: str) -> str:
    """Return `enter` with the token in the address, `pass` with it in the cookie, else `refuse`."""
    from_address = parse_qs(urlsplit(target).query).get("token", [""])[0]
    if from_address and hmac.compare_digest(from_address.encode(), token.encode()):
        return "enter"
    for pair in cookies.split(";"):
        key, _, value = pair.strip().partition("=")
        if key == cookie and hmac.compare_digest(value.encode(), token.encode()):
            return "pass"
    return "refuse"

"""The gate of the view: who may look, asked by the server itself before it answers anything.

A browser opens pages of strangers too, and those can send requests to loopback, websockets above all, which a browser
lets through to anywhere. So each request must come from no other page (`Origin`), must on loopback name a host that is
loopback (a stranger's name that was made to point here is refused), and must, where there is a token, have it: in the
address once, in a cookie from then on. Everything else is answered with 403, and there is no other way in: what viser
serves, the page and its websocket, is one port, and the gate stands in front of both.
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
SENTENCE = "This page wants its key: open the address that was printed.\n"


class Gate:
    """Stands before what listens on `host`; asks for a `token` beyond loopback, or where it is `wanted`."""

    def __init__(self, host: str = "127.0.0.1", wanted: bool = False):
        self.host = host
        self.token = secrets.token_urlsafe(24) if wanted or host not in LOOPBACK else ""
        self.stands = False  # whether a server asks here

    def url(self, port: int) -> str:
        """The address to open."""
        shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(self.host, self.host)
        shown = f"[{shown}]" if ":" in shown else shown
        return f"http://{shown}:{port}" + (f"/?token={self.token}" if self.token else "")

    def verdict(self, target: str, fields: Any, port: int) -> str:
        """`pass`, `enter` (the token was in the address), or `refuse` a request with these header fields."""
        host, origin = fields.get("Host", ""), fields.get("Origin")
        if self.host in LOOPBACK and urlsplit(f"//{host}").hostname not in LOOPBACK:
            return "refuse"
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "refuse"
        return (
            judge(target, fields.get("Cookie", ""), self.token, cookie_name(port)) if self.token else "pass"
        )

    def answer(self, connection: Any, request: Any) -> Any:
        """What a request is answered with before it is served; None where it may pass."""
        port = int(connection.local_address[1])
        try:
            verdict = self.verdict(request.path, request.headers, port)
        except (ValueError, LookupError):  # a field twice, an address that is none
            verdict = "refuse"
        if verdict == "pass":
            return None
        if verdict == "refuse":
            return connection.respond(403, SENTENCE)
        entered = connection.respond(302, "")
        entered.headers["Location"] = "/"
        entered.headers["Set-Cookie"] = f"{cookie_name(port)}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        return entered

    @contextlib.contextmanager
    def before(self) -> Iterator[None]:
        """Whatever viser begins to serve in this block is asked here first; `stands` says whether it is."""
        import websockets.asyncio.server as server

        plain = server.serve

        def serve(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
            self.stands = True

            def asked(connection: Any, request: Any) -> Any:
                refused = self.answer(connection, request)
                if refused is None and process_request is not None:
                    return process_request(connection, request)
                return refused

            return plain(*arguments, process_request=asked, **options)

        server.serve = serve  # type: ignore[assignment,misc]  # for as long as viser begins
        try:
            yield
        finally:
            server.serve = plain  # type: ignore[misc]  # as it was


def cookie_name(port: int) -> str:
    """The cookie of the view at a port: browsers share cookies between the ports of a host."""
    return f"dovetail-{port}"


def judge(target: str, cookies: str, token: str, cookie: str) -> str:
    """`enter` with the token in the address, `pass` with it in the cookie of that name, else `refuse`."""
    given = parse_qs(urlsplit(target).query).get("token", [""])[0]
    if given and hmac.compare_digest(given.encode(), token.encode()):
        return "enter"
    for pair in cookies.split(";"):
        key, _, held = pair.strip().partition("=")
        if key == cookie and hmac.compare_digest(held.encode(), token.encode()):
            return "pass"
    return "refuse"

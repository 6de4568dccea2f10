"""Who comes in: whoever has the key, on a page of our own, under a name of this machine's loopback.

A browser opens pages of strangers too, and those can send requests to loopback. So each request must name a host that
is loopback (a stranger's name that was made to point here is refused), must come from no other page (`Origin`), and
must have the key: in the address once, in a cookie from then on. Everything else is answered with 403 and a sentence.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from dovetail.view.access import judge

Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]
NAMES = ("127.0.0.1", "localhost", "[::1]")
FIELDS = (  # with every answer: no other page frames this one, hears its address, or guesses what a file is
    (b"content-security-policy", b"frame-ancestors 'self'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class Door:
    """ASGI middleware that lets in who has the `key`; `port` is where the server listens."""

    def __init__(self, app: Callable[..., Awaitable[None]], key: str, port: int):
        self.app, self.key = app, key
        self.hosts = tuple(f"{name}:{port}" for name in NAMES)
        self.cookie = cookie_name(port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, exchange the key for a cookie, or refuse."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        why = self.refusal(scope)
        verdict = "refuse" if why else judge(*asked(scope), self.key, self.cookie)
        if verdict == "pass":
            return await self.app(scope, receive, _with_fields(send))
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        if verdict == "enter":
            cookie = f"{self.cookie}={self.key}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
            fields = [(b"location", b"/"), (b"set-cookie", cookie.encode())]
            return await _answer(send, 302, fields, "")
        words = why or "This page wants its key: open the address that `dovetail studio` printed.\n"
        return await _answer(send, 403, [], words)

    def refusal(self, scope: Scope) -> str:
        """Why a request is refused before its key is looked at; nothing if it is not."""
        fields = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = fields.get(b"host", ""), fields.get(b"origin")
        if host not in self.hosts:
            return f"This page is served on {self.hosts[0]} only.\n"
        if origin is not None and origin not in tuple(f"http://{host}" for host in self.hosts):
            return "This page takes nothing from other pages.\n"
        return ""


def cookie_name(port: int) -> str:
    """The cookie of the studio at a port: browsers share cookies between the ports of a host."""
    return f"dovetail-studio-{port}"


def asked(scope: Scope) -> tuple[str, str]:
    """What a request asks for, and its cookies."""
    cookies = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"cookie"]
    return f"{scope['path']}?{scope['query_string'].decode('latin-1')}", ";".join(cookies)


def _with_fields(send: Send) -> Send:
    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message.get("headers", [])}
            more = [field for field in FIELDS if field[0] not in there]
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return sending


async def _answer(send: Send, status: int, fields: list[tuple[bytes, bytes]], words: str) -> None:
    body = words.encode()
    plain = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        *FIELDS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": [*plain, *fields]})
    await send({"type": "http.response.body", "body": body})

"""Access control of the studio: loopback host name, same origin and key are required.

A page of another site, open in the same browser, can send requests to the loopback address. Therefore each request
must name a loopback host (this blocks DNS rebinding), must not come from another page (`Origin`), and must have the
key: once in the address, then in a cookie. Every other request is answered with status 403 and a message.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from dovetail.view.access import check_token

Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]
NAMES = ("127.0.0.1", "localhost", "[::1]")
FIELDS = (  # response headers: no framing by other pages, no referrer, no content sniffing
    (b"content-security-policy", b"frame-ancestors 'self'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class AccessMiddleware:
    """ASGI middleware that requires the `key`; `port` is the port of the server."""

    def __init__(self, app: Callable[..., Awaitable[None]], key: str, port: int):
        self.app, self.key = app, key
        self.hosts = tuple(f"{name}:{port}" for name in NAMES)
        self.cookie = cookie_name(port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, exchange the key for a cookie, or refuse."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        reason = self.refusal(scope)
        decision = "refuse" if reason else check_token(*target_and_cookies(scope), self.key, self.cookie)
        if decision == "pass":
            return await self.app(scope, receive, _with_fields(send))
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        if decision == "enter":
            cookie = f"{self.cookie}={self.key}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
            fields = [(b"location", b"/"), (b"set-cookie", cookie.encode())]
            return await _answer(send, 302, fields, "")
        text = reason or "Access denied: open the address printed by `dovetail studio`.\n"
        return await _answer(send, 403, [], text)

    def refusal(self, scope: Scope) -> str:
        """Return the reason to refuse a request before its key is checked; empty if there is none."""
        fields = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = fields.get(b"host", ""), fields.get(b"origin")
        if host not in self.hosts:
            return f"This page is served on {self.hosts[0]} only.\n"
        if origin is not None and origin not in tuple(f"http://{host}" for host in self.hosts):
            return "Access denied: the request comes from another page.\n"
        return ""


def cookie_name(port: int) -> str:
    """Return the cookie name of the studio at a port, because browsers share cookies between ports of a host."""
    return f"dovetail-studio-{port}"


def target_and_cookies(scope: Scope) -> tuple[str, str]:
    """Return the path with query of a request, and its cookies."""
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


async def _answer(send: Send, status: int, fields: list[tuple[bytes, bytes]], text: str) -> None:
    body = text.encode()
    plain = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        *FIELDS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": [*plain, *fields]})
    await send({"type": "http.response.body", "body": body})

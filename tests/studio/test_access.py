"""Access control: key, host, origin."""

import contextlib

import pytest

from dovetail.studio.access import AccessMiddleware, cookie_name

PORT = 8090
COOKIE = f"{cookie_name(PORT)}=secret"


async def inner(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"the page"})
    else:
        await send({"type": "websocket.accept"})


def asked(path="/", kind="http", **fields):
    """What comes back for a request with these header fields."""
    query = path.partition("?")[2].encode()
    headers = {"host": f"127.0.0.1:{PORT}", **fields}
    scope = {
        "type": kind,
        "path": path.partition("?")[0],
        "query_string": query,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    sent = []

    async def send(message):
        sent.append(message)

    coroutine = AccessMiddleware(inner, "secret", PORT)(scope, None, send)
    with contextlib.suppress(StopIteration):  # it waits for nothing, so it needs no loop
        coroutine.send(None)
    return sent


def test_without_the_key_access_is_denied():
    for path, cookie in [
        ("/", ""),
        ("/?token=guess", ""),
        ("/", f"{cookie_name(PORT)}=guess"),
        ("/", "dovetail=secret"),
    ]:
        sent = asked(path, cookie=cookie)
        assert sent[0]["status"] == 403
        assert b"dovetail studio" in sent[1]["body"]  # says what to do


def test_the_key_is_exchanged_for_a_cookie_that_grants_access():
    start = asked("/?token=secret")[0]
    fields = dict(start["headers"])
    assert start["status"] == 302
    assert fields[b"location"] == b"/"  # the key does not stay in the address
    assert b"HttpOnly" in fields[b"set-cookie"]
    assert b"SameSite=Strict" in fields[b"set-cookie"]
    assert asked("/", cookie=COOKIE)[0]["status"] == 200


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "fields",
    [
        {"host": "evil.example:8090"},
        {"host": "127.0.0.1:8091"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:8090"},
        {"origin": "http://127.0.0.1:8091"},
    ],
)
def test_a_foreign_host_name_or_origin_is_rejected_even_with_the_key(kind, fields):
    sent = asked("/?token=secret", kind, cookie=COOKIE, **fields)
    refused = {"http": ("http.response.start", 403), "websocket": ("websocket.close", None)}[kind]
    assert (sent[0]["type"], sent[0].get("status")) == refused


@pytest.mark.parametrize("host", ["127.0.0.1:8090", "localhost:8090", "[::1]:8090"])
def test_every_name_of_loopback_is_served(host):
    assert asked("/", cookie=COOKIE, host=host, origin=f"http://{host}")[0]["status"] == 200


def test_a_websocket_needs_the_cookie():
    assert asked("/_nicegui_ws", "websocket")[0]["type"] == "websocket.close"
    assert asked("/_nicegui_ws", "websocket", cookie=COOKIE)[0]["type"] == "websocket.accept"


def test_other_pages_cannot_frame_this_one_or_receive_its_address():
    fields = dict(asked("/", cookie=COOKIE)[0]["headers"])
    assert fields[b"content-security-policy"] == b"frame-ancestors 'self'"
    assert fields[b"referrer-policy"] == b"no-referrer"

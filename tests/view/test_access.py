"""Access control of the view: page and websocket of viser require the token."""

import contextlib
import http.client

import pytest
import websockets.asyncio.server
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from dovetail.view.access import AccessControl, check_token, cookie_name
from dovetail.view.browser import MissingViewer, open_server

viser = pytest.importorskip("viser")


@pytest.fixture(scope="module")
def served():
    """`served(access_control)`: port of a server with access control."""
    servers = []

    def serve(access_control):
        servers.append(open_server(access_control, 0))
        return int(servers[-1].get_port())

    yield serve
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def locked(served):
    access_control = AccessControl(always=True)
    return access_control, served(access_control)


@pytest.fixture(scope="module")
def free(served):
    return served(AccessControl())


def get(port, path="/", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.getheader("Set-Cookie"), answer.read()
    connection.close()
    return found


def listens(port, **headers):
    """Whether a websocket of viser's kind is let in and told what the page shows."""
    options = {"open_timeout": 300, "proxy": None, "max_size": None, "additional_headers": headers}
    with (
        contextlib.suppress(InvalidStatus),
        connect(f"ws://127.0.0.1:{port}", subprotocols=[f"viser-v{viser.__version__}"], **options) as line,
    ):
        return len(line.recv(timeout=300)) > 0
    return False


def test_without_the_token_neither_the_page_nor_its_websocket_is_had(locked):
    _, port = locked
    for path, cookie in (
        ("/", ""),
        ("/?token=guess", ""),
        ("/", f"{cookie_name(port)}=guess"),
        ("/", "dovetail="),
    ):
        assert get(port, path, Cookie=cookie)[0] == 403
        assert not listens(port, Cookie=cookie)
    assert b"open the address" in get(port)[2]  # says what to do


def test_the_token_is_exchanged_for_a_cookie_that_grants_access(locked):
    access_control, port = locked
    assert access_control.url(port) == f"http://127.0.0.1:{port}/?token={access_control.token}"
    status, cookie, _ = get(port, f"/?token={access_control.token}")
    assert status == 302
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    cookie = cookie.split(";")[0]
    status, _, body = get(port, "/", Cookie=cookie)
    assert (status, b"<html" in body.lower()) == (200, True)
    assert listens(port, Cookie=cookie)
    assert not listens(port, Cookie=cookie, Origin="http://evil.example")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_other_pages_have_no_access_even_without_a_token(free, origin):
    assert listens(free)
    assert listens(free, Origin=f"http://127.0.0.1:{free}")
    assert not listens(free, Origin=origin)
    assert get(free, Origin=origin)[0] == 403


@pytest.mark.parametrize("name", ["evil.example", "", "127.0.0.1.evil.example", "["])
def test_on_loopback_a_foreign_host_name_is_rejected(free, name):
    assert get(free, Host=name)[0] in (400, 403)
    assert get(free, Host=f"localhost:{free}")[0] == 200
    assert get(free, Host="localhost:9999")[0] == 200  # through a tunnel


def test_beyond_loopback_there_is_a_token_and_any_name_of_the_machine():
    access_control = AccessControl("0.0.0.0")
    assert access_control.token in access_control.url(8080)
    assert "0.0.0.0" not in access_control.url(8080)
    cookie = {"Host": "lab.example:8080", "Cookie": f"{cookie_name(8080)}={access_control.token}"}
    assert access_control.decision("/", cookie, 8080) == "pass"
    assert access_control.decision("/", {"Host": "lab.example:8080"}, 8080) == "refuse"


def test_an_unsupported_version_of_viser_is_not_opened(monkeypatch):
    monkeypatch.setattr(viser, "ViserServer", lambda **_: type("Open", (), {"stop": lambda self: None})())
    with pytest.raises(MissingViewer, match="not supported"):
        open_server(AccessControl(), 0)


def test_former_hooks_are_restored():
    installed = websockets.asyncio.server.serve
    with AccessControl().installed():
        assert websockets.asyncio.server.serve is not installed
    assert websockets.asyncio.server.serve is installed


def test_the_valid_one_of_several_cookies_is_used():
    assert check_token("/", "a=b; dovetail-1=secret", "secret", "dovetail-1") == "pass"
    assert check_token("/", "dovetail-2=secret", "secret", "dovetail-1") == "refuse"
    assert check_token("/?token=", "dovetail-1=", "secret", "dovetail-1") == "refuse"

"""The gate of the view: what viser serves, its page and its websocket, and nothing of it without the token."""

import contextlib
import http.client

import pytest
import websockets.asyncio.server
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from dovetail.view.access import Gate, cookie_name, judge
from dovetail.view.browser import MissingViewer, opened

viser = pytest.importorskip("viser")


@pytest.fixture(scope="module")
def served():
    """`served(gate)`: the port of a server behind a gate."""
    servers = []

    def serve(gate):
        servers.append(opened(gate, 0))
        return int(servers[-1].get_port())

    yield serve
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def locked(served):
    gate = Gate(wanted=True)
    return gate, served(gate)


@pytest.fixture(scope="module")
def free(served):
    return served(Gate())


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


def test_the_token_is_exchanged_for_a_cookie_that_lets_in(locked):
    gate, port = locked
    assert gate.url(port) == f"http://127.0.0.1:{port}/?token={gate.token}"
    status, cookie, _ = get(port, f"/?token={gate.token}")
    assert status == 302
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    cookie = cookie.split(";")[0]
    status, _, body = get(port, "/", Cookie=cookie)
    assert (status, b"<html" in body.lower()) == (200, True)
    assert listens(port, Cookie=cookie)
    assert not listens(port, Cookie=cookie, Origin="http://evil.example")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_without_a_token_too_no_other_page_may_look_or_press(free, origin):
    assert listens(free)
    assert listens(free, Origin=f"http://127.0.0.1:{free}")
    assert not listens(free, Origin=origin)
    assert get(free, Origin=origin)[0] == 403


@pytest.mark.parametrize("name", ["evil.example", "", "127.0.0.1.evil.example", "["])
def test_on_loopback_a_foreign_host_name_is_refused(free, name):
    assert get(free, Host=name)[0] in (400, 403)
    assert get(free, Host=f"localhost:{free}")[0] == 200
    assert get(free, Host="localhost:9999")[0] == 200  # through a tunnel


def test_beyond_loopback_there_is_a_token_and_any_name_of_the_machine():
    gate = Gate("0.0.0.0")
    assert gate.token in gate.url(8080)
    assert "0.0.0.0" not in gate.url(8080)
    cookie = {"Host": "lab.example:8080", "Cookie": f"{cookie_name(8080)}={gate.token}"}
    assert gate.verdict("/", cookie, 8080) == "pass"
    assert gate.verdict("/", {"Host": "lab.example:8080"}, 8080) == "refuse"


def test_a_viser_that_serves_in_another_way_is_not_opened(monkeypatch):
    monkeypatch.setattr(viser, "ViserServer", lambda **_: type("Open", (), {"stop": lambda self: None})())
    with pytest.raises(MissingViewer, match="would let everybody in"):
        opened(Gate(), 0)


def test_what_stood_before_stands_there_again():
    before = websockets.asyncio.server.serve
    with Gate().before():
        assert websockets.asyncio.server.serve is not before
    assert websockets.asyncio.server.serve is before


def test_of_several_cookies_the_right_one_counts():
    assert judge("/", "a=b; dovetail-1=secret", "secret", "dovetail-1") == "pass"
    assert judge("/", "dovetail-2=secret", "secret", "dovetail-1") == "refuse"
    assert judge("/?token=", "dovetail-1=", "secret", "dovetail-1") == "refuse"

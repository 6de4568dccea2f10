"""A door with a token before the view."""

import http.client
import http.server
import threading

import pytest

from dovetail.view.gate import Gate, judge


@pytest.fixture
def gate():
    class Inner(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = b"the view"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Inner)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    gate = Gate(server.server_address[1], "127.0.0.1", 0, token="secret")
    yield gate
    gate.close()
    server.shutdown()
    server.server_close()


def get(gate, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", gate.port, timeout=300)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.getheader("Set-Cookie"), answer.read()
    connection.close()
    return found


def test_without_the_token_nobody_comes_in(gate):
    assert get(gate, "/")[0] == 403
    assert get(gate, "/?token=guess")[0] == 403
    assert get(gate, "/", Cookie="dovetail=guess")[0] == 403


def test_the_token_is_exchanged_for_a_cookie_that_lets_in(gate):
    status, cookie, _ = get(gate, "/?token=secret")
    assert status == 302
    assert "HttpOnly" in cookie
    status, _, body = get(gate, "/anything", Cookie=cookie.split(";")[0])
    assert (status, body) == (200, b"the view")


def test_what_is_no_request_is_refused():
    assert judge(b"\x00\xff\r\n\r\n", "secret") == "refuse"
    assert judge(b"GET\r\n\r\n", "secret") == "refuse"

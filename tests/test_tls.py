"""Connections that are encrypted: trusted when they should be, and nothing sent when not."""

from __future__ import annotations

import ssl
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
import trustme

import rowhaul as rh

KEY = "a-key-for-tls-tests"


class Balance(BaseHTTPRequestHandler):
    """Answers every request with a balance."""

    def do_GET(self):
        body = b'{"usd_remaining": 1.5}'
        self.server.seen.append(self.headers["Authorization"])
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


class Quiet(ThreadingHTTPServer):
    """Takes a refused handshake without a word."""

    daemon_threads = True

    def handle_error(self, *_):
        """Say nothing: that the client hangs up is what is tested."""


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def server(authority):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    server = Quiet(("127.0.0.1", 0), Balance)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.seen = []
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def address(server):
    return f"https://localhost:{server.server_address[1]}"


def test_a_service_with_an_authority_of_its_own_is_trusted_by_its_file(server, authority, tmp_path):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with rh.Client(address(server), KEY, ca_file=tmp_path / "ca.pem") as client:
        assert client.balance() == Decimal("1.5")
    assert server.seen == [f"Bearer {KEY}"]


def test_an_unknown_authority_gets_nothing_and_the_hint_names_the_way_out(server):
    with rh.Client(address(server), KEY) as client, pytest.raises(rh.errors.ConnectError, match="ca_file=") as caught:
        client.balance()
    assert (caught.value.outcome, caught.value.attempts, server.seen) == ("not_sent", 1, [])


def test_a_certificate_for_another_name_is_refused(server, authority, tmp_path):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    other = address(server).replace("localhost", "127.0.0.1")
    with rh.Client(other, KEY, ca_file=tmp_path / "ca.pem") as client, pytest.raises(rh.errors.ConnectError):
        client.balance()
    assert server.seen == []

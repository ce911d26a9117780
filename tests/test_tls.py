"""Connections that are encrypted: trusted when they should be, and nothing sent when not."""

from __future__ import annotations

import socket
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


@pytest.fixture(params=[["http/1.1"], ["h2", "http/1.1"]], ids=["http1", "http2"])
def demanding(authority, request):
    """A server that wants a certificate of its client, and tells so by TLS 1.3: when the handshake is over for the client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    authority.issue_cert("localhost").configure_cert(context)
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    context.set_alpn_protocols(request.param)
    taken = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse():
            while True:
                connection, _ = listener.accept()
                if connection.recv(4, socket.MSG_PEEK) == b"OVER":
                    return connection.close()
                taken.append(connection)
                with pytest.raises(ssl.SSLError), connection:
                    context.wrap_socket(connection, server_side=True)

        thread = Thread(target=refuse)
        thread.start()
        yield f"https://localhost:{listener.getsockname()[1]}", taken, request.param[0]
        with socket.create_connection(listener.getsockname()) as last:
            last.sendall(b"OVER")
        thread.join()


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


def test_a_service_that_wants_a_certificate_of_its_client_has_received_nothing(demanding, authority, tmp_path):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    url, taken, protocol = demanding
    with rh.Client(url, KEY, ca_file=tmp_path / "ca.pem") as client:
        asks = [client.balance, lambda: client.start("events/events", {"searchQueries": ["jazz"], "maxResults": 1})]
        for ask in asks:
            taken.clear()
            with pytest.raises(rh.errors.ConnectError) as caught:
                ask()
            assert (caught.value.outcome, caught.value.attempts) == ("not_sent", len(taken))
            # By HTTP/2 a request may come back as it was before anything is said of the certificate: it is sent again.
            if protocol == "http/1.1" or "CertificateRequired" in str(caught.value):
                assert "a certificate of its client" in str(caught.value)
            if protocol == "http/1.1":
                assert len(taken) == 1

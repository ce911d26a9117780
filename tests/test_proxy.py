"""A proxy between the client and the service, and names that lead nowhere."""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import sys
import textwrap
import threading
from contextlib import contextmanager, suppress

import pytest
import trustme

import rowhaul as rh

KEY = "a-key-for-proxy-tests"
# The name is reserved: nothing but the proxy below knows where it is.
SERVICE = "https://service.invalid"
#: `user:secret`, as the proxy is told them.
CREDENTIALS = "dXNlcjpzZWNyZXQ="

START = """
    import json, sys
    import rowhaul as rh

    try:
        client = rh.Client(sys.argv[1], sys.argv[2], ca_file=sys.argv[3] or None, allow_http=True)
        told = {"job": client.start("events/events", {"searchQueries": ["jazz"], "maxResults": 1}).id}
    except rh.RowhaulError as error:
        told = {"error": type(error).__name__, "outcome": error.outcome, "attempts": error.attempts, "text": str(error)}
    print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@contextmanager
def listening(serve):
    """Give the port of a server that handles one connection after the other by `serve`, and what it noted."""
    noted = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def run():
            while True:
                connection, _ = listener.accept()
                with connection:
                    if serve(connection, noted) == "over":
                        return

        thread = threading.Thread(target=run)
        thread.start()
        yield listener.getsockname()[1], noted
        # One last connection, which says that it is over.
        with socket.create_connection(listener.getsockname()) as last:
            last.sendall(b"OVER\r\n\r\n")
        thread.join()


def head_of(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(65536)
        if not piece:
            return head
        head += piece
    return head


def refusing(status):
    """Make a proxy that answers everything with this status line."""

    def serve(connection, noted):
        head = head_of(connection)
        if head.startswith(b"OVER"):
            return "over"
        noted.append(head.decode())
        connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        return None

    return serve


STARTED = b'HTTP/1.1 202 Accepted\r\nContent-Length: 37\r\n\r\n{"job_id": "j-1", "status": "queued"}'


def secured(authority, serve):
    """Make a proxy that is spoken to by TLS of one that is not."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    def secure(connection, noted):
        if connection.recv(1, socket.MSG_PEEK) == b"O":
            return "over"
        # The client may not trust it.
        with suppress(ssl.SSLError), context.wrap_socket(connection, server_side=True) as inner:
            return serve(inner, noted)
        return None

    return secure


def passing_on(connection, noted):
    """Be a proxy that reads what it is asked for, and answers as the service would."""
    head = head_of(connection)
    if head.startswith(b"OVER"):
        return "over"
    noted.append(head.decode())
    connection.sendall(STARTED)
    return None


def tunnelling(authority):
    """Make a proxy behind whose tunnel the service itself answers, on the same connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("service.invalid").configure_cert(context)

    def serve(connection, noted):
        head = head_of(connection)
        if head.startswith(b"OVER"):
            return "over"
        noted.append(head.decode())
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        with context.wrap_socket(connection, server_side=True) as inner:
            noted.append(head_of(inner).decode())
            inner.sendall(STARTED)
            # The client may be gone already; it has its answer.
            with suppress(OSError):
                inner.unwrap()
        return None

    return serve


def start_through(proxy_port, ca_file="", tmp_path=None):
    return start_with({"HTTPS_PROXY": f"http://127.0.0.1:{proxy_port}"}, SERVICE, ca_file, tmp_path)


def start_with(proxies, url, ca_file, tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    environment |= {"XDG_DATA_HOME": str(tmp_path), **proxies}
    command = [sys.executable, "-c", textwrap.dedent(START), url, KEY, str(ca_file)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_start_goes_through_the_tunnel_of_a_proxy_which_never_sees_the_key(authority, tmp_path):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with listening(tunnelling(authority)) as (port, noted):
        assert start_through(port, tmp_path / "ca.pem", tmp_path) == {"job": "j-1"}
        asked, inside = noted
    assert asked.startswith("CONNECT service.invalid:443 ")
    assert KEY not in asked
    assert inside.startswith("POST /api/v1/agents/events/events/run ")
    assert f"Bearer {KEY}" in inside


def test_credentials_of_a_proxy_are_for_the_proxy_alone(authority, tmp_path):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with listening(tunnelling(authority)) as (port, noted):
        proxies = {"HTTPS_PROXY": f"http://user:secret@127.0.0.1:{port}"}
        assert start_with(proxies, SERVICE, tmp_path / "ca.pem", tmp_path) == {"job": "j-1"}
        asked, inside = (head.lower() for head in noted)
    assert f"proxy-authorization: basic {CREDENTIALS}\r\n".lower() in asked
    assert "proxy-authorization" not in inside


def test_a_proxy_is_asked_for_the_whole_address_of_a_service_in_plain_http(tmp_path):
    with listening(passing_on) as (port, noted):
        proxies = {"HTTP_PROXY": f"http://user:secret@127.0.0.1:{port}"}
        assert start_with(proxies, "http://service.invalid", "", tmp_path) == {"job": "j-1"}
        (asked,) = noted
    assert asked.startswith("POST http://service.invalid/api/v1/agents/events/events/run HTTP/1.1\r\n")
    assert f"proxy-authorization: Basic {CREDENTIALS}\r\n" in asked
    assert "host: service.invalid\r\n" in asked


def test_a_proxy_may_itself_be_spoken_to_by_tls(authority, tmp_path):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with listening(secured(authority, passing_on)) as (port, noted):
        proxies = {"HTTP_PROXY": f"https://127.0.0.1:{port}"}
        assert start_with(proxies, "http://service.invalid", tmp_path / "ca.pem", tmp_path) == {"job": "j-1"}
        assert len(noted) == 1


def test_hosts_without_a_proxy_are_asked_themselves(tmp_path):
    with listening(refusing("502 Bad Gateway")) as (port, noted):
        proxies = {"ALL_PROXY": f"http://127.0.0.1:{port}", "NO_PROXY": "example.com,.invalid"}
        told = start_with(proxies, SERVICE, "", tmp_path)
        assert (told["error"], told["outcome"], noted) == ("ConnectError", "not_sent", [])


def test_a_proxy_of_another_kind_is_refused_before_anything_is_sent(tmp_path):
    told = start_with({"ALL_PROXY": "socks5://127.0.0.1:1"}, SERVICE, "", tmp_path)
    assert told["error"] == "ConfigError"
    assert "`socks5`" in told["text"]
    assert "NO_PROXY" in told["text"]


@pytest.mark.parametrize("proxy", ["socks://127.0.0.1:1", "http://us er:secret@127.0.0.1:1", "http://"])
def test_a_proxy_that_cannot_be_read_is_refused_and_not_gone_around(tmp_path, proxy):
    for url, name in [(SERVICE, "HTTPS_PROXY"), (SERVICE, "all_proxy"), ("http://service.invalid", "http_proxy")]:
        told = start_with({name: proxy}, url, "", tmp_path)
        assert (told["error"], told["attempts"]) == ("ConfigError", 0)
        assert f"`{name}`" in told["text"]
        assert "secret" not in told["text"]
    with listening(refusing("502 Bad Gateway")) as (port, noted):
        told = start_with({"HTTPS_PROXY": proxy, "ALL_PROXY": f"http://127.0.0.1:{port}"}, SERVICE, "", tmp_path)
        assert (told["error"], noted) == ("ConfigError", [])
    # One that is not meant for the service says nothing about it.
    for proxies in [{"HTTP_PROXY": proxy}, {"HTTPS_PROXY": proxy, "NO_PROXY": ".invalid"}, {"HTTPS_PROXY": ""}]:
        told = start_with(proxies, SERVICE, "", tmp_path)
        assert (told["error"], told["outcome"]) == ("ConnectError", "not_sent")


def test_a_proxy_that_cannot_be_reached_is_told_as_the_proxy_and_not_as_the_service(authority, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    told = start_through(port, tmp_path=tmp_path)
    assert (told["error"], told["outcome"]) == ("ConnectError", "not_sent")
    assert "through the proxy" in told["text"]
    assert "HTTPS_PROXY" in told["text"]
    with listening(secured(authority, passing_on)) as (port, noted):
        # Its authority is not known.
        told = start_with({"HTTP_PROXY": f"https://127.0.0.1:{port}"}, "http://service.invalid", "", tmp_path)
        assert (told["error"], told["outcome"], told["attempts"], noted) == ("ConnectError", "not_sent", 1, [])
    assert "to the proxy" in told["text"]
    assert "ca_file" in told["text"]


def test_a_proxy_that_reads_and_wants_credentials_is_a_connection_that_failed(tmp_path):
    with listening(refusing("407 Proxy Authentication Required")) as (port, noted):
        proxies = {"HTTP_PROXY": f"http://127.0.0.1:{port}"}
        told = start_with(proxies, "http://service.invalid", "", tmp_path)
        assert (told["error"], told["outcome"], told["attempts"], len(noted)) == ("ConnectError", "not_sent", 1, 1)
    assert "HTTP_PROXY" in told["text"]


def test_a_proxy_that_wants_credentials_is_asked_once_and_the_hint_says_where_they_go(tmp_path):
    with listening(refusing("407 Proxy Authentication Required")) as (port, noted):
        told = start_through(port, tmp_path=tmp_path)
        assert (told["error"], told["outcome"], len(noted)) == ("ConnectError", "not_sent", 1)
    assert "hint:" in told["text"]
    assert "HTTPS_PROXY" in told["text"]


def test_a_proxy_that_reaches_nobody_is_a_connection_that_failed_and_nothing_was_sent(tmp_path):
    with listening(refusing("502 Bad Gateway")) as (port, noted):
        told = start_through(port, tmp_path=tmp_path)
        assert (told["error"], told["outcome"]) == ("ConnectError", "not_sent")
        # A gateway that failed may work a moment later, and nothing was started: it may be asked again.
        assert len(noted) == told["attempts"] > 1
        assert all(head.startswith("CONNECT ") for head in noted)


def test_a_name_that_nobody_knows_is_a_connection_that_failed_and_nothing_was_sent(monkeypatch):
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    with rh.Client(SERVICE, KEY) as client, pytest.raises(rh.errors.ConnectError) as caught:
        client.start("events/events", {"searchQueries": ["jazz"], "maxResults": 1})
    assert caught.value.outcome == "not_sent"
    assert "service.invalid" in str(caught.value)

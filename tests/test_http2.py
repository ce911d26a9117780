"""A service that speaks HTTP/2: the rows are the same, and no less of them may be on the way than over HTTP/1.1."""

from __future__ import annotations

import json
import ssl
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest
import trustme
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, WindowUpdated

import rowhaul as rh

KEY = "a-key-for-http2-tests"
ROWS = [{"id": number, "text": "x" * 1000} for number in range(20_000)]
ANSWERS = {
    "/run": json.dumps({"job_id": "j1", "status": "completed"}).encode(),
    "/results": json.dumps({"status": "completed", "row_count": len(ROWS), "data": ROWS}).encode(),
}


class Http2(BaseRequestHandler):
    """Answers a start and the results of its job, as fast as the client takes them."""

    def handle(self):
        self.http2, self.unsent = H2Connection(H2Configuration(client_side=False)), {}
        self.http2.initiate_connection()
        self.request.sendall(self.http2.data_to_send())
        while received := self.request.recv(1 << 16):
            for event in self.http2.receive_data(received):
                self._take(event)
            self.request.sendall(self.http2.data_to_send())

    def _take(self, event):
        match event:
            case DataReceived():
                self.http2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            case RequestReceived(stream_id=stream):
                kind = next(kind for kind in ANSWERS if dict(event.headers)[b":path"].decode().endswith(kind))
                self.server.on_the_way[kind] = self.http2.local_flow_control_window(stream)
                self.http2.send_headers(stream, [(":status", "200"), ("content-type", "application/json")])
                self.unsent[stream] = ANSWERS[kind]
                self._go_on(stream)
            case WindowUpdated():
                for stream in list(self.unsent):
                    self._go_on(stream)

    def _go_on(self, stream):
        unsent = self.unsent.pop(stream)
        while unsent and (window := self.http2.local_flow_control_window(stream)):
            size = min(window, self.http2.max_outbound_frame_size)
            self.http2.send_data(stream, unsent[:size])
            unsent = unsent[size:]
        if unsent:
            self.unsent[stream] = unsent
        else:
            self.http2.end_stream(stream)


class Server(ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Say nothing: the client hangs up when it is closed."""


@pytest.fixture
def server(tmp_path):
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context.set_alpn_protocols(["h2"])
    with Server(("127.0.0.1", 0), Http2) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.on_the_way, server.ca_file = {}, tmp_path / "ca.pem"
        Thread(target=server.serve_forever).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_come_over_http2_and_megabytes_of_them_may_be_on_the_way(server, threads):
    url = f"https://localhost:{server.server_address[1]}"
    with rh.Client(url, KEY, ca_file=server.ca_file, threads=threads) as client:
        rows = client.run("events/events", {"searchQueries": ["jazz"], "maxResults": len(ROWS)})
        assert [{name: row[name] for name in ROWS[0]} for row in rows.to_dicts()] == ROWS
    assert server.on_the_way["/results"] >= 8 << 20

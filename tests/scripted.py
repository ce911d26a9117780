"""A server that answers by a script, and programs that are killed: what the tests of the ledger stand on."""

import json
import subprocess
import sys
import textwrap
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import rowhaul as rh

KEY = "key-123456"
RESULTS = json.dumps({"status": "completed", "row_count": 3, "data": [{"n": n} for n in range(3)]}).encode()


class Scripted:
    """A server that answers by a script, counts starts, and says when it was asked for what."""

    def __init__(self):
        self.starts, self.asked = 0, {name: threading.Event() for name in ("start", "status", "results", "list")}
        self.answers = {
            "start": lambda answer: answer(202, b'{"job_id": "j1", "status": "queued"}'),
            "status": lambda answer: answer(200, b'{"job_id": "j1", "status": "completed"}'),
            "results": lambda answer: answer(200, RESULTS),
            "list": lambda answer: answer(404, b"{}"),
        }
        self.over = threading.Event()
        #: Whether answers say when they were given.
        self.tells_time = True
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _serve(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                kinds = {"run": "start", "results": "results", "balance": "balance"}
                path = self.path.split("?")[0]
                kind = kinds.get(path.rsplit("/", 1)[-1], "list" if path.endswith("/jobs") else "status")
                if kind == "balance":
                    return self._answer(200, b'{"usd_remaining": 12.5}')
                scripted.starts += kind == "start"
                scripted.asked[kind].set()
                return scripted.answers[kind](self._answer)

            do_GET = do_POST = _serve  # noqa: N815

            def _answer(self, status, body, length=None, headers=()):
                if scripted.tells_time:
                    self.send_response(status)
                else:
                    self.send_response_only(status)
                for name, value in dict(headers).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body) if length is None else length))
                self.end_headers()
                self.wfile.write(body)
                self.wfile.flush()
                if length is not None:
                    self.close_connection = True
                    scripted.over.wait(30)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def never(self, _answer):
        """Answer nothing until the test is over."""
        self.over.wait(30)

    def client(self, ledger, **options):
        return rh.Client(self.url, KEY, ledger=ledger, **options)

    def close(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


def answered_late(scripted):
    """Have the start answered when the event is set that this gives."""
    release = threading.Event()

    def answer(answer):
        release.wait(30)
        answer(202, b'{"job_id": "j1", "status": "queued"}')

    scripted.answers["start"] = answer
    return release


@contextmanager
def running(url, ledger, doing="client.run('events/events', {'searchQueries': ['x'], 'maxResults': 3})", **options):
    """A program that is killed in the end, as by `kill -9`."""
    code = f"""
        import sys
        import rowhaul as rh
        client = rh.Client(sys.argv[1], {KEY!r}, ledger=sys.argv[2], **{options!r})
        print("ready", flush=True)
        sys.stdin.readline()
        {doing}
        print("done", flush=True)
        sys.stdin.readline()
    """
    words = [sys.executable, "-c", textwrap.dedent(code), url, str(ledger)]
    program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout.readline() == "ready\n"
        program.begin = lambda: (program.stdin.write("\n"), program.stdin.flush())
        yield program
    finally:
        program.kill()
        program.communicate()

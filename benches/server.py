"""The few endpoints that a run needs (sections 4.1 to 4.3), over bodies that are ready: a plain server that does no work.

The slug of an agent is the kind of the body that its run gives, and the job's id too. The start already says
`completed`, so that no client waits and only the way of the rows is timed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN, JOB, RESULTS = "/api/v1/agents/", "/api/v1/jobs/", "/results"


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve the bodies of a folder from a process of its own, and give the address of its runs but for the kind of body."""
    root = Path(__file__).parent.parent
    command = [sys.executable, "-m", "benches.server", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}{RUN}events"
        finally:
            process.kill()


class Handler(BaseHTTPRequestHandler):
    """Answers a start, a status or the results of a job."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body leave together, as they do from a service
    folder: Path

    def do_POST(self) -> None:
        """Start a run: its job is completed at once."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind = self.path.removeprefix(RUN).split("/")[1]
        self._answer(json.dumps({"job_id": kind, "status": "completed"}).encode())

    def do_GET(self) -> None:
        """Give the state of a job, or its results."""
        kind = self.path.removeprefix(JOB).removesuffix(RESULTS)
        if self.path.endswith(RESULTS):
            self._answer(*_body(self.folder / f"{kind}.envelope.json"))
        else:
            self._answer(json.dumps({"job_id": kind, "status": "completed"}).encode())

    def log_message(self, *_: object) -> None:
        """Keep quiet."""

    def _answer(self, body: bytes, encoding: str = "") -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """Has room for a hundred connections that are opened at once: one that is turned away is tried again a second later."""

    request_queue_size = 128


@cache
def _body(path: Path) -> tuple[bytes, str]:
    compressed = path.with_suffix(".gz")
    return (compressed.read_bytes(), "gzip") if compressed.exists() else (path.read_bytes(), "")


def main() -> None:
    """Serve a folder on a free port, which is printed."""
    Handler.folder = Path(sys.argv[1])
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()

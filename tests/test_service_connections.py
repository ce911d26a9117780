"""Thousands of connections to a service: whoever asks for something is served meanwhile."""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import rowhaul as rh

resource = pytest.importorskip("resource")

KEY = "key-of-the-tests"

#: As many as are wished for; fewer where this process may not open so many files.
CONNECTIONS = 4500


@pytest.fixture
def files():
    """Let this process open as many files as it may, and say how many these are."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield sys.maxsize if before[1] == resource.RLIM_INFINITY else before[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


SERVE = """
import os, resource, sys
soft, hard, *words = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_NOFILE, (int(soft), int(hard)))
os.execv(sys.executable, [sys.executable, "-m", "rowhaul", "serve", *words])
"""


@pytest.fixture
def served():
    """Give a function that starts `rowhaul serve` in a process that may open so many files, and its port."""
    with contextlib.ExitStack() as stack:

        def start(soft, hard):
            words = [sys.executable, "-c", SERVE, str(soft), str(hard), "--key", KEY, "--log", "off"]
            program = stack.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
            stack.callback(program.terminate)
            return program, int(re.search(r":(\d+)", program.stdout.readline())[1])

        yield start


@pytest.mark.parametrize("said", [b"", b"GET /api/v1/balance HT"])
def test_a_client_is_served_while_thousands_of_connections_say_nothing_whole(files, served, said):
    _, port = served(1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    with contextlib.ExitStack() as stack, rh.Client(f"http://127.0.0.1:{port}", KEY) as client:
        for number in range(min(CONNECTIONS, files - 200)):
            idle = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=50))
            idle.sendall(said)
            if number % 500 == 0:
                assert client.balance() == 100
        assert len(client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 5})) == 5


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limits of another process are in /proc")
def test_a_service_that_is_a_process_of_its_own_opens_as_many_files_as_it_may(served):
    program, _ = served(256, 2048)
    assert re.search(r"Max open files +2048 +2048", Path(f"/proc/{program.pid}/limits").read_text())

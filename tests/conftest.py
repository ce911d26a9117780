"""What the tests share: a local service, and a client of it that is driven blocking and awaited alike."""

from __future__ import annotations

import _thread
import asyncio
import contextlib
import inspect
import os
import signal
import socket
import threading
from typing import Any

import pytest
from hypothesis import settings

import rowhaul as rh
from scripted import Scripted

# A busy machine is slow, not wrong.
settings.register_profile("rowhaul", deadline=None)
settings.load_profile("rowhaul")

# A shell without job control starts what it puts into the background with SIGINT ignored, and whatever is started from
# there ignores it, too: the tests of Ctrl-C, and the programs that they start, would hear nothing of it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _ledger(tmp_path_factory):
    """Keep the tests' clients, and those of the programs they start, out of the developer's own ledger."""
    os.environ["ROWHAUL_LEDGER"] = str(tmp_path_factory.mktemp("ledger") / "ledger.sqlite")
    yield
    del os.environ["ROWHAUL_LEDGER"]


@pytest.fixture
def service():
    """A service whose jobs are completed at once."""
    with rh.LocalService(clock="instant") as service:
        yield service


@pytest.fixture
def held():
    """A service whose time stands still."""
    with rh.LocalService(clock="manual") as service:
        yield service


@pytest.fixture(params=["sync", "async"])
def drive(request):
    """Give a function from a service (and options) to a client of it, called the same way in both modes."""
    if request.param == "sync":
        yield lambda service, **options: service.client(**options)
        return
    with asyncio.Runner() as runner:
        yield lambda service, **options: Driven(runner, service.async_client(**options))


@pytest.fixture
def client(drive, service):
    return drive(service)


@pytest.fixture
def interrupt_when():
    """Give a function that interrupts the main thread, as Ctrl-C does, as soon as a condition holds."""
    over = threading.Event()

    def begin(condition):
        def watch():
            while not over.wait(0.001):
                if condition():
                    _thread.interrupt_main()
                    return

        threading.Thread(target=watch, daemon=True).start()

    yield begin
    over.set()


@pytest.fixture
def silent():
    """Give the address of a server that takes one request and never answers, and the event of having taken it."""
    taken = threading.Event()
    held = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def take():
            connection, _ = listener.accept()
            held.append(connection)
            with connection:
                while b"}" not in connection.recv(65536):
                    pass
                taken.set()
                # Until the other side leaves, or the test does: a start is carried on after its caller has left.
                connection.recv(1)

        thread = threading.Thread(target=take)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", taken
        with contextlib.suppress(OSError):
            held[0].shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.fixture
def ledger(tmp_path):
    return tmp_path / "ledger.sqlite"


@pytest.fixture
def account(service, monkeypatch):
    """The local service as the environment names it."""
    monkeypatch.setenv("ROWHAUL_BASE_URL", service.url)
    monkeypatch.setenv("ROWHAUL_API_KEY", service.api_key)
    return service


@pytest.fixture
def scripted():
    server = Scripted()
    yield server
    server.close()


class Driven:
    """An awaited object that is called as if it blocked: coroutines are run, jobs are driven as well."""

    def __init__(self, runner: asyncio.Runner, inner: Any) -> None:
        self._runner, self._inner = runner, inner

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._inner, name)
        if not inspect.ismethod(attribute):
            return attribute

        def call(*args: Any, **kwargs: Any) -> Any:
            result = attribute(*args, **kwargs)
            if inspect.iscoroutine(result):
                result = self._runner.run(result)
            if isinstance(result, rh.AsyncStream) or inspect.isasyncgen(result):
                return self._steps(result)
            return Driven(self._runner, result) if isinstance(result, rh.AsyncJob) else result

        return call

    def _steps(self, steps: Any) -> Any:
        try:
            while (step := self._runner.run(_next(steps))) is not None:
                yield step
        finally:
            if inspect.isasyncgen(steps):
                self._runner.run(steps.aclose())


async def _next(steps: Any) -> Any:
    return await anext(steps, None)

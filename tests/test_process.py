"""What a process does to a client: threads, exits, forks, and what importing costs."""

import os
import pickle
import subprocess
import sys
import textwrap
import time

import pytest

import rowhaul as rh
from programs import start

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}


@pytest.mark.parametrize("use", ["rh.read_json(b'[]')", "rh.Client(*sys.argv[1:], ledger=False).balance()"])
def test_several_threads_may_be_the_first_to_use_it(service, use):
    program = start(
        f"""
        import sys, threading
        import rowhaul as rh
        rh.read_json, rh.Client
        sys.setswitchinterval(1e-6)
        ready = threading.Barrier(6)

        def use():
            ready.wait()
            {use}

        threads = [threading.Thread(target=use) for _ in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print("done")
        """,
        service.url,
        service.api_key,
    )
    try:
        assert program.communicate(timeout=30) == ("done\n", "")
    finally:
        program.kill()


@pytest.mark.parametrize("daemon", [True, False])
def test_the_interpreter_exits_while_threads_wait(held, daemon):
    program = start(
        f"""
        import sys, threading
        import rowhaul as rh
        client = rh.Client(sys.argv[1], sys.argv[2])

        def wait():
            try:
                client.run("events/events", {{"searchQueries": ["x"], "maxResults": 1}})
            except rh.errors.InternalError:
                pass

        threading.Thread(target=wait, daemon={daemon}).start()
        client.balance()
        print("ready")
        """,
        held.url,
        held.api_key,
    )
    assert program.stdout.readline() == "ready\n", program.stderr.read()
    since = time.monotonic()
    _, complaints = program.communicate(timeout=20)
    assert program.returncode == 0
    assert complaints == ""
    assert time.monotonic() - since < 10, "2 s on a machine that does nothing else"


@pytest.mark.parametrize("daemon", [True, False])
def test_the_interpreter_exits_while_a_loop_in_a_thread_awaits_what_never_ends(held, daemon):
    program = start(
        f"""
        import asyncio, sys, threading
        import rowhaul as rh
        started = threading.Event()

        async def run():
            job = await rh.AsyncClient(*sys.argv[1:]).start("events/events", {{"searchQueries": ["x"], "maxResults": 2}})
            started.set()
            try:
                await job.wait()
            except rh.errors.InternalError as error:
                # A daemon thread may be gone before it comes to this.
                if not {daemon}:
                    print(error.outcome)

        threading.Thread(target=asyncio.run, args=(run(),), daemon={daemon}).start()
        started.wait()
        """,
        held.url,
        held.api_key,
    )
    assert program.communicate(timeout=20) == ("" if daemon else "unknown\n", "")
    assert program.returncode == 0


@pytest.mark.parametrize(
    "use",
    ["rh.read_json(b'[]')", "rh.read_json(io.BytesIO(b'[]'))", "rh.Client(*sys.argv[1:], ledger=False).balance()"],
)
def test_a_daemon_thread_may_be_the_first_to_use_it_while_the_interpreter_exits(service, use):
    program = start(
        f"""
        import io, sys, threading
        exiting = threading.Event()
        # What is told of first is called last, when waits have been told to end.
        threading._register_atexit(exiting.set)
        import rowhaul as rh
        rh.read_json, rh.Client

        def work():
            exiting.wait()
            while True:
                try:
                    {use}
                except rh.errors.InternalError:
                    pass

        threading.Thread(target=work, daemon=True).start()
        """,
        service.url,
        service.api_key,
    )
    assert program.communicate(timeout=20) == ("", "")
    assert program.returncode == 0


def test_what_runs_at_exit_may_wait_for_a_daemon_thread_that_is_in_a_call(held):
    program = start(
        """
        import asyncio, atexit, sys, threading
        import rowhaul as rh
        client, waiter = rh.AsyncClient(*sys.argv[1:]), rh.Client(*sys.argv[1:])
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()

        def ask():
            return asyncio.run_coroutine_threadsafe(client.balance(), loop).result()

        def run():
            try:
                waiter.run("events/events", {"searchQueries": ["x"], "maxResults": 1})
            except rh.errors.InternalError as error:
                print(error.outcome)

        def last():
            worker.join()
            try:
                ask()
            except rh.errors.InternalError:
                print("given up")

        assert ask() == waiter.balance() == 100
        worker = threading.Thread(target=run, daemon=True)
        worker.start()
        while not waiter.jobs():
            pass
        atexit.register(last)
        """,
        held.url,
        held.api_key,
    )
    assert program.communicate(timeout=20) == ("unknown\ngiven up\n", "")
    assert program.returncode == 0


@pytest.mark.parametrize(
    ("method", "calls", "told"),
    [("create_future", 1, "before"), ("call_later", 2, "before"), ("call_later", 1, "behind")],
)
def test_a_daemon_thread_may_be_at_work_for_its_loop_when_the_interpreter_is_over(held, method, calls, told):
    program = start(
        f"""
        import asyncio, atexit, contextlib, sys, threading, time
        slow, exiting = threading.Event(), threading.Event()
        # What is told of first is called last: behind all that rowhaul does at the exit, or before.
        if {told!r} == "behind":
            atexit.register(lambda: (exiting.set(), time.sleep(0.02)))
        import rowhaul as rh
        rh.AsyncClient
        if {told!r} == "before":
            atexit.register(exiting.set)

        class Loop(asyncio.SelectorEventLoop):
            calls = 0

            def {method}(self, *args, **options):
                self.calls += 1
                if self.calls == {calls}:
                    slow.set()
                    exiting.wait()
                    time.sleep(0.05)
                return super().{method}(*args, **options)

        class Late:
            # The interpreter is over, and this keeps the process for longer than the thread above sleeps.
            def __del__(self, sleep=time.sleep):
                sleep(0.3)

        async def wait():
            client = rh.AsyncClient(*sys.argv[1:], ledger=False)
            with contextlib.suppress(rh.errors.InternalError):
                job = await client.start("events/events", {{"searchQueries": ["x"], "maxResults": 2}})
                await job.wait()

        def run():
            loop = Loop()
            if {told!r} == "behind":
                loop.call_soon(lambda: (slow.set(), exiting.wait()))
            loop.run_until_complete(wait())

        late = Late()
        threading.Thread(target=run, daemon=True).start()
        slow.wait()
        """,
        held.url,
        held.api_key,
    )
    assert program.communicate(timeout=20) == ("", "")
    assert program.returncode == 0


def test_what_runs_last_waits_once_for_a_daemon_thread_however_often_that_calls(service):
    program = start(
        """
        import atexit, contextlib, sys, threading
        exiting = threading.Event()
        # What is told of first is called last: behind all that rowhaul does at the exit.
        atexit.register(lambda: (exiting.set(), thread.join()))
        import rowhaul as rh
        client = rh.Client(*sys.argv[1:], ledger=False)

        def call():
            exiting.wait()
            for _ in range(9):
                with contextlib.suppress(rh.errors.InternalError):
                    client.balance()

        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        """,
        service.url,
        service.api_key,
    )
    # Each call waited for two seconds, or for six.
    assert program.communicate(timeout=15) == ("", "")
    assert program.returncode == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_the_interpreter_exits_while_a_thread_reads_what_never_ends(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    program = start(
        """
        import fcntl, os, sys, termios, threading, time
        import rowhaul as rh
        pipe = os.open(sys.argv[1], os.O_RDWR)
        os.write(pipe, b"[")

        def read():
            try:
                rh.read_json(sys.argv[1])
            except rh.errors.InternalError:
                print("given up")

        threading.Thread(target=read).start()
        while any(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))):
            time.sleep(0.01)
        """,
        str(tmp_path / "pipe"),
    )
    assert program.communicate(timeout=20) == ("given up\n", "")
    assert program.returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_client_works_after_a_fork_in_parent_and_child(service):
    client = service.client()
    client.run("events/events", EVENTS)
    child = os.fork()
    if child == 0:
        try:
            os._exit(len(client.run("events/events", EVENTS)))
        finally:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    assert len(client.run("events/events", EVENTS)) == 3
    assert len(service.starts) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_service_outlives_a_child_that_stops_or_drops_it(service):
    child = os.fork()
    if child == 0:
        try:
            service.stop()
            service.__dict__.clear()
            os._exit(0)
        finally:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert service.client().balance() == 100


def test_clients_jobs_and_services_do_not_pickle_and_say_why(service):
    client = service.client()
    job = client.start("events/events", EVENTS)
    for thing in (client, service.async_client(), job, service):
        with pytest.raises(TypeError, match="does not pickle"):
            pickle.dumps(thing)


def test_importing_brings_nothing_that_takes_long_to_import():
    code = """
    import sys
    import rowhaul
    print({"pandas", "pyarrow", "polars", "numpy", "tqdm", "asyncio", "IPython"} & set(sys.modules) or "")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_closed_service_is_stopped_twice_without_harm():
    service = rh.LocalService()
    service.stop()
    service.stop()
    assert service.requests == []


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of files to run into here")
def test_without_files_to_open_nothing_is_sent_and_later_all_is_well(service):
    code = """
        import os, resource, sys
        import rowhaul as rh

        client = rh.Client(sys.argv[1], sys.argv[2])
        request = rh.agents.Events(search_queries=["jazz"], max_results=1)
        client.balance()
        resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
        held = []
        try:
            while True:
                held.append(os.dup(0))
        except OSError:
            pass
        try:
            client.start(request)
        except rh.errors.ConnectError as error:
            told = error.outcome, "ulimit" in str(error)
        for number in held:
            os.close(number)
        print(*told, len(client.run(request)))
    """
    words = [sys.executable, "-c", textwrap.dedent(code), service.url, service.api_key]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["not_sent", "True", "1"]
    assert len(service.starts) == 1

"""Ctrl-C: what is under way ends, and what was paid for is told."""

import signal
import sys
import time

import pytest

import rowhaul as rh
from programs import start
from scripted import KEY

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}


def interrupted(scripted, code):
    """Interrupt a program once its job is polled; give the seconds until it ended, and what it printed."""
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "j1", "status": "running"}')
    program = start(code, scripted.url, KEY)
    assert program.stdout.readline() == "ready\n", program.stderr.read()
    assert scripted.asked["status"].wait(20)
    since = time.monotonic()
    program.send_signal(signal.SIGINT)
    printed = program.stdout.readline()
    answered = time.monotonic() - since
    program.stdout.close()
    program.stderr.close()
    assert program.wait(timeout=20) == 0
    return answered, printed


def test_ctrl_c_ends_a_blocking_wait_and_tells_the_job(scripted):
    answered, printed = interrupted(
        scripted,
        """
        import sys
        import rowhaul as rh
        client = rh.Client(sys.argv[1], sys.argv[2])
        client.balance()
        print("ready")
        try:
            client.run("events/events", {"searchQueries": ["x"], "maxResults": 1})
        except KeyboardInterrupt as interrupt:
            print(interrupt.__notes__)
        """,
    )
    assert "'j1'" in printed
    assert answered < 10, "200 ms on a machine that does nothing else"


def test_ctrl_c_while_rows_are_fetched_says_that_the_job_is_completed(scripted):
    scripted.answers["results"] = scripted.never
    program = start(
        """
        import sys
        import rowhaul as rh
        client = rh.Client(sys.argv[1], sys.argv[2], ledger=False)
        job = client.start("events/events", {"searchQueries": ["x"], "maxResults": 1}).wait()
        print("ready")
        try:
            job.rows()
        except KeyboardInterrupt as interrupt:
            print(interrupt.__notes__)
        """,
        scripted.url,
        KEY,
    )
    assert program.stdout.readline() == "ready\n", program.stderr.read()
    assert scripted.asked["results"].wait(20)
    program.send_signal(signal.SIGINT)
    told, _ = program.communicate(timeout=20)
    assert "job 'j1' is completed and billed: client.job('j1').rows() fetches its rows" in told


@pytest.mark.skipif(sys.platform == "win32", reason="has no timer that sends a signal")
def test_ctrl_c_is_heard_while_python_objects_are_made():
    program = start(
        """
        import signal, sys
        import pyarrow as pa
        import rowhaul as rh
        rows = rh.read_json(b"\\n".join(b'{"a": %d, "b": ["x"]}' % n for n in range(60_000)), threads=1)
        print(len(pa.table(rows).to_batches()))
        before = sys.getallocatedblocks()

        def interrupt(_signal, _frame):
            raise KeyboardInterrupt(sys.getallocatedblocks() - before)

        signal.signal(signal.SIGALRM, interrupt)
        for make in (rows.to_dicts, rows["b"].to_list):
            whole = make()
            blocks = sys.getallocatedblocks() - before
            del whole
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.001)
                make()
            except KeyboardInterrupt as interrupted:
                print(interrupted.args[0] / blocks)
        """
    )
    parts, told = program.communicate(timeout=50)
    batches, *parts = parts.split()
    # Between batches it was always heard.
    assert batches == "1"
    assert [float(part) < 0.5 for part in parts] == [True, True], (parts, told)


def test_ctrl_c_ends_an_awaited_run_and_tells_the_job(scripted):
    _, printed = interrupted(
        scripted,
        """
        import asyncio
        import sys
        import rowhaul as rh

        async def run():
            client = rh.AsyncClient(sys.argv[1], sys.argv[2])
            await client.balance()
            print("ready")
            try:
                await client.run("events/events", {"searchQueries": ["x"], "maxResults": 1})
            except asyncio.CancelledError as cancelled:
                print(cancelled.__notes__)
                raise

        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            pass
        """,
    )
    assert "'j1'" in printed


@pytest.mark.parametrize("write", ["write_csv", "write_ndjson", "write_parquet"])
def test_a_write_that_is_interrupted_leaves_nothing(tmp_path, interrupt_when, write):
    few = rh.read_json(b"[" + b",".join([b'{"a": "some text", "n": 1.5}'] * 1000) + b"]")
    many = rh.concat([few] * 20_000)
    interrupt_when(lambda: any(tmp_path.iterdir()))
    with pytest.raises(KeyboardInterrupt):
        getattr(many, write)(tmp_path / "rows")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_start_says_that_it_may_be_billed(silent, interrupt_when):
    url, taken = silent
    interrupt_when(taken.is_set)
    with pytest.raises(KeyboardInterrupt) as caught:
        rh.Client(url, "key-123456").start("events/events", EVENTS)
    (note,) = caught.value.__notes__
    assert "may have been started" in note
    assert "client.balance()" in note

"""Ledgers on disks that fail, ledgers that are damaged, and many processes at one ledger."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import contextmanager

import pyarrow as pa
import pytest

import rowhaul as rh
from scripted import KEY, answered_late, running

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}


def test_what_cannot_be_written_down_is_not_started(scripted, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for ledger in (tmp_path / "nowhere" / "ledger.sqlite", tmp_path / "file" / "ledger.sqlite", tmp_path):
        client = scripted.client(ledger)
        with pytest.raises(rh.errors.LedgerError) as caught:
            client.run("events/events", EVENTS)
        assert caught.value.outcome == "not_sent"
        assert "`ledger=False`" in caught.value.hint
    assert scripted.starts == 0


LIMITED = """
    import resource, signal, sys
    import rowhaul as rh

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    client = rh.Client(sys.argv[1], sys.argv[2], ledger=sys.argv[3])
    client.jobs()
"""
LIMIT = "resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))"


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files here")
def test_a_disk_that_is_full_before_the_start_stops_it(scripted, ledger):
    code = textwrap.dedent(LIMITED) + textwrap.dedent(
        f"""
        {LIMIT}
        try:
            client.run("events/events", {EVENTS!r})
        except rh.errors.LedgerError as error:
            print(error.outcome)
        """
    )
    words = [sys.executable, "-c", code, scripted.url, KEY, str(ledger)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("not_sent\n", "")
    assert scripted.starts == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files here")
def test_a_disk_that_is_full_after_the_start_hands_the_id_over_with_a_warning(scripted, ledger):
    release = answered_late(scripted)
    code = textwrap.dedent(LIMITED) + textwrap.dedent(
        f"""
        import threading, warnings

        def fill():
            sys.stdin.readline()
            {LIMIT}
            print("full", flush=True)

        threading.Thread(target=fill).start()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            job = client.start("events/events", {EVENTS!r})
        print(job.id, [str(warning.message) for warning in caught if warning.category is rh.LedgerWarning])
        print(len(job.wait().rows()), job.notes)
        """
    )
    words = [sys.executable, "-c", code, scripted.url, KEY, str(ledger)]
    program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert scripted.asked["start"].wait(20)
    program.stdin.write("\n")
    program.stdin.flush()
    assert program.stdout.readline() == "full\n"
    release.set()
    printed, complaints = program.communicate(timeout=30)
    assert complaints == ""
    handed, read = printed.splitlines()
    assert handed.startswith("j1 [")
    assert "'j1' was started" in handed
    assert read.startswith("3 (")
    assert "not written down" in read
    assert scripted.starts == 1
    assert [entry.status for entry in scripted.client(ledger).jobs()] == ["uncertain"]


def used(scripted, ledger):
    """A ledger with some runs in it, closed."""
    with running(
        scripted.url, ledger, "[client.start('events/events', {'searchQueries': ['x']}) for _ in range(3)]"
    ) as program:
        program.begin()
        assert program.stdout.readline() == "done\n"
    with sqlite3.connect(ledger) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return ledger.read_bytes()


def refused(scripted, ledger, broken):
    """The ledger is refused and left as it is; gives the error."""
    for file in ledger.parent.iterdir():
        file.unlink()
    ledger.write_bytes(broken)
    client = scripted.client(ledger)
    starts = scripted.starts
    for act in (lambda: client.start("events/events", EVENTS), client.jobs, client.jobs):
        with pytest.raises(rh.errors.LedgerError) as caught:
            act()
    assert ledger.read_bytes() == broken
    assert scripted.starts == starts
    return caught.value, sorted(file.name for file in ledger.parent.iterdir() if ".damaged-" in file.name)


def test_a_damaged_ledger_is_refused_left_as_it_is_and_copied_once(scripted, ledger):
    sound = used(scripted, ledger)
    flipped = bytearray(sound)
    for at in range(4096, len(sound), 4096):
        flipped[at : at + 8] = bytes(byte ^ 0xFF for byte in flipped[at : at + 8])
    head = bytearray(sound)
    head[3] ^= 0x10
    for broken in (sound[: len(sound) // 2], sound[:50], bytes(flipped), bytes(head)):
        error, copies = refused(scripted, ledger, broken)
        assert "damaged" in str(error)
        assert len(copies) == 1
        assert copies[0] in str(error)
        assert (ledger.parent / copies[0]).read_bytes() == broken


def test_a_newer_ledger_and_files_of_others_are_refused_and_left_as_they_are(scripted, ledger, tmp_path):
    sound = used(scripted, ledger)
    newer = bytearray(sound)
    newer[60:64] = (99).to_bytes(4, "big")
    foreign = tmp_path / "foreign"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE theirs (a)")
    database.close()
    theirs = foreign.read_bytes()
    for broken, why in ((bytes(newer), "newer rowhaul"), (theirs, "another program"), (b"a diary\n" * 50, "no ledger")):
        error, copies = refused(scripted, ledger, broken)
        assert why in str(error)
        assert copies == []


def test_a_ledger_that_is_taken_away_is_begun_anew_and_the_job_is_in_the_new_one(scripted, ledger):
    client = scripted.client(ledger)
    client.start("events/events", EVENTS)
    release = answered_late(scripted)
    scripted.asked["start"].clear()
    starting = threading.Thread(target=client.start, args=("events/events", EVENTS))
    starting.start()
    assert scripted.asked["start"].wait(20)
    for file in ledger.parent.glob("ledger.sqlite*"):
        file.unlink()
    release.set()
    starting.join()
    assert [(entry.id, entry.params) for entry in client.jobs()] == [("j1", EVENTS)]


def test_answers_go_to_their_own_starts_in_a_ledger_that_was_begun_anew_between_them(scripted, ledger):
    client = scripted.client(ledger)
    other = {**EVENTS, "searchQueries": ["rock paris"]}
    releases, arrived = [threading.Event(), threading.Event()], [threading.Event(), threading.Event()]
    turns = iter(range(2))

    def answered(answer):
        turn = next(turns)
        arrived[turn].set()
        releases[turn].wait(20)
        answer(202, json.dumps({"job_id": f"job-{turn}", "status": "queued"}).encode())

    scripted.answers["start"] = answered
    starting = []
    for params, there in zip((EVENTS, other), arrived, strict=True):
        starting.append(threading.Thread(target=client.start, args=("events/events", params)))
        starting[-1].start()
        assert there.wait(20)
    for file in ledger.parent.glob("ledger.sqlite*"):
        file.unlink()
    for thread, release in reversed([*zip(starting, releases, strict=True)]):
        release.set()
        thread.join()
    assert {(entry.id, entry.params["searchQueries"][0]) for entry in client.jobs()} == {
        ("job-0", EVENTS["searchQueries"][0]),
        ("job-1", "rock paris"),
    }


MANY = """
    import sys
    from concurrent.futures import ThreadPoolExecutor
    import rowhaul as rh

    client = rh.Client(sys.argv[1], sys.argv[2], ledger=sys.argv[3])
    request = rh.agents.Events(search_queries=["x"], max_results=1)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: client.run(request), range(int(sys.argv[4]))):
            print(rows.job.id)
"""


def test_eight_processes_write_into_one_ledger_and_lose_nothing(ledger):
    runs = int(os.environ.get("ROWHAUL_TEST_RUNS", "25"))
    with rh.LocalService(clock="instant", api_key=KEY, balance_usd=1000) as service:
        words = [sys.executable, "-c", textwrap.dedent(MANY), service.url, KEY, str(ledger), str(runs)]
        programs = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(8)]
        printed = [program.communicate()[0].split() for program in programs]
        assert {program.returncode for program in programs} == {0}
        ids = [job_id for ids in printed for job_id in ids]
        entries = service.client(ledger=ledger).jobs()
        assert len(ids) == len(set(ids)) == len(service.starts) == len(entries) == 8 * runs
        assert {entry.id for entry in entries} == set(ids)
        assert all(entry.fetched_at and entry.row_count == 1 for entry in entries)


LOCKING = """
    import sqlite3, sys

    database = sqlite3.connect(sys.argv[1], isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    print("locked", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def locked(ledger):
    """Have another process write to the ledger all the time."""
    words = [sys.executable, "-c", textwrap.dedent(LOCKING), str(ledger)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout.readline() == "locked\n"
            yield
        finally:
            program.kill()


def test_a_job_is_taken_up_while_another_process_writes(scripted, ledger):
    job = scripted.client(ledger).start("events/events", EVENTS)
    with locked(ledger):
        for client in (scripted.client(ledger), rh.AsyncClient(scripted.url, KEY, ledger=ledger)):
            taken = client.job(job.id)
            assert (taken.status, taken.params, taken.notes) == ("queued", EVENTS, ())
        assert [entry.id for entry in scripted.client(ledger).jobs()] == [job.id]


def test_an_event_loop_does_not_wait_for_another_process_when_a_stream_has_ended(scripted, ledger):
    async def stream():
        client = rh.AsyncClient(scripted.url, KEY, ledger=ledger)
        job = await (await client.start("events/events", EVENTS)).wait()
        async with job.stream() as batches:
            before = asyncio.get_running_loop().time()
            with locked(ledger):
                rows = [len(batch) async for batch in batches]
                # Whoever waits for the ledger waits for ten seconds.
                took = asyncio.get_running_loop().time() - before
        return rows, took, len(await client.jobs("unfetched"))

    rows, took, unfetched = asyncio.run(stream())
    assert (rows, unfetched) == ([3], 0)
    assert took < 5


def test_a_receiver_does_not_wait_for_another_process_with_the_last_rows_of_a_stream(scripted, ledger):
    client = scripted.client(ledger)
    with client.start("events/events", EVENTS).wait().stream() as batches:
        before = time.monotonic()
        with locked(ledger):
            table = pa.table(batches)
            # Whoever waits for the ledger waits for ten seconds.
            took = time.monotonic() - before
    assert (table.num_rows, len(client.jobs("unfetched"))) == (3, 0)
    assert took < 5

"""Paid once, never lost: processes that die or are interrupted at every step of a run."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import rowhaul as rh
from scripted import KEY, RESULTS, answered_late, running

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}


def test_killed_before_the_intent_the_ledger_has_nothing(scripted, ledger):
    with running(scripted.url, ledger):
        pass
    assert len(scripted.client(ledger).jobs()) == 0
    assert scripted.starts == 0


def test_killed_between_intent_and_sending_the_start_is_uncertain(ledger):
    # A server that takes connections and never answers the first message of TLS: nothing of the start is sent.
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"https://127.0.0.1:{listener.getsockname()[1]}"
        client = rh.Client(url, KEY, ledger=ledger)
        with running(url, ledger) as program:
            program.begin()
            connection, _ = listener.accept()
            assert [entry.status for entry in client.jobs()] == ["starting"]
            assert len(client.jobs("uncertain")) == 0, "somebody is at it"
        connection.close()
        (entry,) = client.jobs("uncertain")
        assert (entry.id, entry.status) == (None, "uncertain")
        assert "ended before an answer" in entry.note


def test_killed_before_the_answer_the_start_is_uncertain_and_not_repeated(scripted, ledger):
    scripted.answers["start"] = scripted.never
    with running(scripted.url, ledger) as program:
        program.begin()
        assert scripted.asked["start"].wait(20)
    client = scripted.client(ledger)
    assert [entry.status for entry in client.jobs("uncertain")] == ["uncertain"]
    assert list(client.resume()) == []
    assert scripted.starts == 1


def test_killed_while_polling_the_rows_come_by_resume(scripted, ledger):
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "j1", "status": "running"}')
    with running(scripted.url, ledger) as program:
        program.begin()
        assert scripted.asked["status"].wait(20)
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "j1", "status": "completed"}')
    client = scripted.client(ledger)
    assert [entry.id for entry in client.jobs("running")] == ["j1"]
    (outcome,) = client.resume()
    assert (outcome.ok, len(outcome.rows), outcome.request.agent) == (True, 3, "events/events")
    assert scripted.starts == 1


def test_a_job_that_failed_meanwhile_is_resumed_as_what_it_became(scripted, ledger):
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "j1", "status": "running"}')
    client = scripted.client(ledger)
    client.start("events/events", EVENTS).refresh()
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "j1", "status": "failed", "error": "blocked"}')
    (outcome,) = client.resume()
    assert isinstance(outcome.error, rh.errors.JobFailed)
    assert (outcome.job.status, outcome.job.error, outcome.job.cost_usd) == ("failed", "blocked", 0)


def test_killed_in_the_middle_of_a_download_the_rows_come_by_resume(scripted, ledger):
    scripted.answers["results"] = lambda answer: answer(200, RESULTS[:40], length=len(RESULTS))
    with running(scripted.url, ledger) as program:
        program.begin()
        assert scripted.asked["results"].wait(20)
    scripted.answers["results"] = lambda answer: answer(200, RESULTS)
    client = scripted.client(ledger)
    assert [entry.id for entry in client.jobs("unfetched")] == ["j1"]
    (outcome,) = client.resume()
    assert len(outcome.rows) == 3
    assert (len(client.jobs("unfetched")), scripted.starts) == (0, 1)


def test_killed_when_all_is_done_the_ledger_says_so(scripted, ledger):
    with running(scripted.url, ledger) as program:
        program.begin()
        assert program.stdout.readline() == "done\n"
    client = scripted.client(ledger)
    assert [(entry.id, entry.status, entry.row_count) for entry in client.jobs()] == [("j1", "completed", 3)]
    assert list(client.resume()) == []


def test_an_interrupted_start_is_written_down_when_its_answer_comes(scripted, ledger, interrupt_when):
    release = answered_late(scripted)
    client = scripted.client(ledger)
    interrupt_when(scripted.asked["start"].is_set)
    with pytest.raises(KeyboardInterrupt) as caught:
        client.start("events/events", EVENTS)
    assert "may have been started" in caught.value.__notes__[0]
    assert "client.jobs()" in caught.value.__notes__[0]
    assert [entry.status for entry in client.jobs()] == ["starting"]
    release.set()
    # Written by a thread that nobody waits for any more; a file calls nobody when it is written.
    while not client.jobs("running"):
        pass
    assert len(next(client.resume()).rows) == 3
    assert scripted.starts == 1


def test_a_cancelled_start_is_written_down_when_its_answer_comes(scripted, ledger):
    release = answered_late(scripted)

    async def cancel():
        client = rh.AsyncClient(scripted.url, KEY, ledger=ledger)
        task = asyncio.create_task(client.start("events/events", EVENTS))
        assert await asyncio.to_thread(scripted.asked["start"].wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        release.set()
        while not await client.jobs("running"):
            pass
        return [entry.id for entry in await client.jobs()]

    assert asyncio.run(cancel()) == ["j1"]
    assert scripted.starts == 1


def test_a_start_that_is_cancelled_is_not_repeated(scripted, ledger):
    release = threading.Event()

    def throttled(answer):
        release.wait(30)
        answer(429, b'{"error": "rate", "retry_after": 0}')

    scripted.answers["start"] = throttled

    async def cancel():
        client = rh.AsyncClient(scripted.url, KEY, ledger=ledger)
        task = asyncio.create_task(client.start("events/events", EVENTS))
        assert await asyncio.to_thread(scripted.asked["start"].wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        release.set()
        while not await client.jobs("rejected"):
            pass

    asyncio.run(cancel())
    assert scripted.starts == 1


def test_a_program_that_is_interrupted_in_a_start_waits_a_moment_for_the_answer(scripted, ledger):
    release = answered_late(scripted)
    with running(scripted.url, ledger) as program:
        program.begin()
        assert scripted.asked["start"].wait(20)
        threading.Timer(0.3, release.set).start()
        since = time.monotonic()
        program.send_signal(signal.SIGINT)
        program.wait(20)
        assert time.monotonic() - since < 10, "2 s on a machine that does nothing else"
    assert [entry.id for entry in scripted.client(ledger).jobs()] == ["j1"]


def test_a_timeout_names_the_job_and_the_line_that_takes_it_up(scripted, ledger):
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "j1", "status": "running"}')
    with pytest.raises(rh.errors.JobTimeout) as caught:
        scripted.client(ledger).run("events/events", EVENTS, timeout=0.1)
    assert caught.value.job_id == "j1"
    assert 'client.job("j1")' in str(caught.value)


def test_rows_whose_arrival_a_cancellation_meets_are_still_unfetched(scripted, ledger):
    class Meeting(asyncio.SelectorEventLoop):
        """A loop in which a task is cancelled when its answer is there, and before it has it."""

        cancelled = None

        def create_future(self):
            future = super().create_future()
            future.add_done_callback(lambda _: self.cancelled and self.cancelled.cancel())
            return future

    async def fetch(job):
        asyncio.get_running_loop().cancelled = asyncio.current_task()
        return await job.rows()

    client = scripted.client(ledger)
    waiting = rh.AsyncClient(scripted.url, KEY, ledger=ledger)
    job_id = client.start("events/events", {"searchQueries": ["x"], "maxResults": 3}).wait().id
    with asyncio.Runner(loop_factory=Meeting) as runner:
        with pytest.raises(asyncio.CancelledError):
            runner.run(fetch(waiting.job(job_id)))
        assert scripted.asked["results"].is_set()
        # Whatever is written down is written down before this is answered.
        assert [entry.id for entry in runner.run(waiting.jobs("unfetched"))] == [job_id]
        runner.get_loop().cancelled = None
        assert len(runner.run(waiting.job(job_id).rows())) == 3
        assert len(runner.run(waiting.jobs("unfetched"))) == 0


def test_rows_whose_arrival_ctrl_c_meets_are_still_unfetched(scripted, ledger):
    def interrupted(answer):
        os.kill(os.getpid(), signal.SIGINT)
        answer(200, RESULTS)

    client = scripted.client(ledger)
    job = client.start("events/events", {"searchQueries": ["x"], "maxResults": 3}).wait()
    scripted.answers["results"] = interrupted
    with pytest.raises(KeyboardInterrupt):
        job.rows()
    assert [entry.id for entry in client.jobs("unfetched")] == [job.id]


def test_an_interrupted_stream_names_the_job_and_leaves_it_unfetched(scripted, ledger, interrupt_when):
    scripted.answers["results"] = lambda answer: answer(200, RESULTS[:40], length=len(RESULTS))
    client = scripted.client(ledger)
    job = client.start("events/events", EVENTS).wait()
    interrupt_when(scripted.asked["results"].is_set)
    with pytest.raises(KeyboardInterrupt) as caught:
        list(job.stream())
    assert "client.job('j1')" in caught.value.__notes__[0]
    assert [entry.id for entry in client.jobs("unfetched")] == ["j1"]
    scripted.answers["results"] = lambda answer: answer(200, RESULTS)
    assert sum(map(len, job.stream(batch_rows=1))) == 3
    assert (len(client.jobs("unfetched")), scripted.starts) == (0, 1)


KILLED_AMONG_MANY = """
    import os, signal, sys
    import rowhaul as rh

    def requests():
        for town in ("oslo", "berlin", "lisbon"):
            yield "events/events", {"searchQueries": [town], "maxResults": 2}
        os.kill(os.getpid(), signal.SIGKILL)

    rh.Client(sys.argv[1], sys.argv[2], ledger=sys.argv[3]).run_many(requests(), concurrency=1)
"""


def test_killed_among_many_runs_what_had_ended_is_not_lost_with_the_rest(service, ledger):
    command = [sys.executable, "-c", textwrap.dedent(KILLED_AMONG_MANY), service.url, service.api_key, str(ledger)]
    assert subprocess.run(command, check=False, timeout=50).returncode == -signal.SIGKILL
    with rh.Client(service.url, service.api_key, ledger=ledger) as client:
        assert [len(outcome.rows) for outcome in client.resume()] == [2, 2, 2]
        assert len(client.jobs("unfetched")) == 0
    assert len(service.charges) == 3


ENDED_AMONG_MANY = """
    import sys
    import rowhaul as rh

    def requests():
        for town in ("oslo", "berlin", "lisbon"):
            yield "events/events", {"searchQueries": [town], "maxResults": 2}
        raise END

    rh.Client(sys.argv[1], sys.argv[2], ledger=sys.argv[3]).run_many(requests(), concurrency=1)
"""


@pytest.mark.parametrize("end", ["ValueError", "KeyboardInterrupt", "SystemExit"])
def test_a_program_that_ends_among_many_runs_leaves_what_nobody_has_taken_unfetched(service, ledger, end):
    code = textwrap.dedent(ENDED_AMONG_MANY).replace("END", end)
    command = [sys.executable, "-c", code, service.url, service.api_key, str(ledger)]
    subprocess.run(command, check=False, timeout=50, capture_output=True)
    with rh.Client(service.url, service.api_key, ledger=ledger) as client:
        assert [len(outcome.rows) for outcome in client.resume()] == [2, 2, 2]
    assert len(service.charges) == 3


def test_a_program_that_ends_right_after_many_runs_has_their_rows_counted(service, ledger):
    code = textwrap.dedent(ENDED_AMONG_MANY).replace("        raise END\n", "").replace("    raise END\n", "")
    command = [sys.executable, "-c", code, service.url, service.api_key, str(ledger)]
    assert subprocess.run(command, check=False, timeout=50).returncode == 0
    with rh.Client(service.url, service.api_key, ledger=ledger) as client:
        assert [entry.fetched_at is not None for entry in client.jobs()] == [True] * 3


def test_rows_of_many_runs_whose_end_is_interrupted_are_in_the_haul_and_unfetched(drive, service, ledger, monkeypatch):
    def interrupted(_line):
        raise KeyboardInterrupt

    monkeypatch.setattr("rowhaul._progress.RunsProgress.close", interrupted)
    client = drive(service, ledger=ledger)
    with pytest.raises(KeyboardInterrupt) as caught:
        client.run_many([("events/events", EVENTS)] * 2)
    assert len(caught.value.haul.rows) == 6
    assert len(client.jobs("unfetched")) == 2


def test_what_an_interrupt_of_many_runs_carries_away_comes_again_from_resume(drive, service, ledger):
    def requests():
        yield "events/events", EVENTS
        raise KeyError

    client = drive(service, ledger=ledger)
    with pytest.raises(KeyError) as caught:
        client.run_many(requests(), concurrency=1)
    assert len(caught.value.haul.rows) == 3
    assert "`client.resume()` brings their rows again" in caught.value.__notes__[-1]
    assert [len(outcome.rows) for outcome in client.resume()] == [3]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_that_leaves_its_parents_many_runs_says_nothing_of_their_rows(service, ledger):
    code = """
        import os, sys
        import rowhaul as rh

        def requests():
            yield "events/events", {"searchQueries": ["oslo"], "maxResults": 2}
            yield "events/events", {"searchQueries": ["bergen"], "maxResults": 2}
            # Nothing is under way here.
            if os.fork():
                os.wait()
                os._exit(9)

        rh.Client(sys.argv[1], sys.argv[2], ledger=sys.argv[3]).run_many(requests(), concurrency=1)
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code), service.url, service.api_key, str(ledger)]
    assert subprocess.run(command, check=False, timeout=50).returncode == 9
    with rh.Client(service.url, service.api_key, ledger=ledger) as client:
        assert [len(outcome.rows) for outcome in client.resume()] == [2, 2]


def test_a_start_whose_ledger_is_taken_away_is_uncertain_in_the_new_one(scripted, ledger):
    def taken_away(answer):
        for file in ledger.parent.glob("ledger.sqlite*"):
            file.unlink()
        answer(500, b"{}")

    scripted.answers["start"] = taken_away
    client = scripted.client(ledger)
    with pytest.raises(rh.errors.StartUncertain):
        client.start("events/events", EVENTS)
    (entry,) = client.jobs("uncertain")
    assert (entry.agent, entry.params) == ("events/events", EVENTS)


def test_a_start_whose_ledger_is_taken_away_is_written_down_before_it_is_sent_again(scripted, ledger):
    def taken_away(answer):
        for file in ledger.parent.glob("ledger.sqlite*"):
            file.unlink()
        scripted.answers["start"] = looked_at
        answer(503, b"{}", headers={"retry-after": "0"})

    def looked_at(answer):
        entries.extend(scripted.client(ledger).jobs())
        answer(202, b'{"job_id": "j1", "status": "queued"}')

    entries = []
    scripted.answers["start"] = taken_away
    client = scripted.client(ledger)
    assert client.start("events/events", EVENTS).id == "j1"
    assert [entry.status for entry in entries] == ["starting"]
    assert [(entry.id, entry.params) for entry in client.jobs()] == [("j1", EVENTS)]


def test_rows_of_many_runs_count_as_fetched_once_they_are_handed_over(drive, service):
    client = drive(service)
    client.run_many([("events/events", EVENTS)] * 3)
    assert [entry.fetched_at is not None for entry in client.jobs()] == [True] * 3

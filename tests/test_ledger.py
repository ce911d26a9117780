"""The ledger: what was started, what became of it, and taking it up again."""

import asyncio
import datetime as dt
import json
import os
import sqlite3
import stat
import subprocess
import sys
import textwrap
import warnings
from decimal import Decimal
from pathlib import Path

import pytest

import rowhaul as rh

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}


def test_a_run_is_in_the_ledger_with_what_it_brought_and_cost(drive, service):
    client = drive(service)
    rows = client.run("events/events", EVENTS)
    (entry,) = client.jobs()
    assert (entry.id, entry.status, entry.agent) == (rows.job.id, "completed", "events/events")
    assert (entry.row_count, entry.cost_usd) == (3, Decimal("0.03"))
    assert entry.params == EVENTS
    assert dt.timedelta() <= dt.datetime.now(dt.UTC) - entry.created_at < dt.timedelta(minutes=1)
    assert entry.created_at <= entry.started_at <= entry.fetched_at
    assert entry.expires_at == rows.job.expires_at
    assert not entry.is_unfetched


def test_a_start_is_there_before_it_returns_and_its_polls_follow(drive, held):
    client = drive(held)
    job = client.start("events/events", EVENTS)
    assert [(entry.id, entry.is_unfetched) for entry in client.jobs("running")] == [(job.id, False)]
    held.advance(3600)
    job.refresh()
    assert len(client.jobs("running")) == 0
    (entry,) = client.jobs("unfetched")
    assert (entry.id, entry.status, entry.row_count, entry.fetched_at) == (job.id, "completed", 3, None)
    job.rows()
    assert len(client.jobs("unfetched")) == 0
    assert client.jobs()[0].fetched_at is not None


def test_a_job_that_is_streamed_or_downloaded_is_fetched(service, tmp_path):
    client = service.client()
    streamed, downloaded = client.start("events/events", EVENTS), client.start("events/events", EVENTS)
    for job in (streamed, downloaded):
        job.wait()
    assert len(client.jobs("unfetched")) == 2
    batches = iter(streamed.stream(batch_rows=2))
    next(batches)
    assert len(client.jobs("unfetched")) == 2
    list(batches)
    downloaded.download(tmp_path / "raw.json")
    assert len(client.jobs("unfetched")) == 0


def test_a_status_that_no_job_ever_had_is_told_with_those_there_are(client):
    client.start("events/events", EVENTS)
    with pytest.warns(
        rh.RowhaulWarning, match="no job here was ever called `compleetd`\nhint: there are .*`completed`"
    ):
        assert len(client.jobs("compleetd")) == 0
    assert len(client.jobs("failed")) == 0


def test_runs_that_nobody_took_are_unfetched_and_named(service, tmp_path):
    client = service.client(ledger=tmp_path / "jobs.sqlite")
    outcomes = client.iter_many([("events/events", EVENTS)] * 2, concurrency=2)
    taken = next(outcomes)
    while len(ids := {entry.id for entry in client.jobs()} - {None}) < 2:
        pass
    (other,) = ids - {taken.job_id}
    while client.job(other).refresh().status != "completed":
        pass
    with pytest.warns(rh.JobsLeftRunning, match=other):
        outcomes.close()
    assert [entry.id for entry in client.jobs("unfetched")] == [other]
    assert [outcome.job_id for outcome in client.resume()] == [other]
    assert len(client.jobs("unfetched")) == 0


def test_a_job_that_is_cancelled_is_no_longer_running(held):
    client = held.client()
    client.start("events/events", EVENTS).cancel()
    assert [entry.status for entry in client.jobs()] == ["cancelled"]
    assert len(client.jobs("running")) == 0
    assert len(client.jobs("cancelled")) == 1


def test_a_refused_start_is_closed_as_such(client, service):
    with pytest.raises(rh.errors.NotFound):
        client.run("events/none", {})
    (entry,) = client.jobs()
    assert (entry.id, entry.job, entry.status) == (None, None, "rejected")
    assert "events/none" in entry.note
    assert len(client.jobs("uncertain")) == 0


def test_a_start_that_was_never_sent_is_closed_as_such(ledger):
    client = rh.Client("http://127.0.0.1:9", "key-123456", ledger=ledger)
    with pytest.raises(rh.errors.ConnectError):
        client.start("events/events", EVENTS)
    assert [entry.status for entry in client.jobs()] == ["not_sent"]


def test_entries_come_newest_first_and_no_more_than_asked_for(service):
    client = service.client()
    ids = [client.start("events/events", EVENTS).id for _ in range(5)]
    assert [entry.id for entry in client.jobs()] == ids[::-1]
    assert [entry.id for entry in client.jobs(limit=2)] == ids[:2:-1]


def test_a_job_is_taken_up_with_its_agent_parameters_and_price(service, ledger):
    job = service.client(ledger=ledger).start("events/events", EVENTS)
    code = """
        import sys
        import rowhaul as rh
        client = rh.Client(sys.argv[1], sys.argv[2], ledger=sys.argv[3])
        job = client.job(sys.argv[4])
        print(job.agent, job.params == {"searchQueries": ["jazz berlin"], "maxResults": 3})
        rows = job.wait().rows()
        print(len(rows), rows.columns[0], rows.job.cost_usd)
    """
    words = [sys.executable, "-c", textwrap.dedent(code), service.url, service.api_key, str(ledger), job.id]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["events/events True", "3 eventName 0.03"]
    assert service.client(ledger=ledger).jobs()[0].fetched_at is not None


def test_a_job_that_was_started_elsewhere_gets_its_entry_when_it_is_heard_of(service, ledger):
    job = service.client().start("events/events", EVENTS)
    client = service.client(ledger=ledger)
    taken = client.job(job.id)
    assert len(client.jobs()) == 0
    taken.wait()
    (entry,) = client.jobs()
    assert (entry.id, entry.params, entry.status) == (job.id, None, "completed")


def test_the_entries_job_is_a_handle(drive, service):
    client = drive(service)
    client.start("events/events", EVENTS).wait()
    job = client.jobs()[0].job
    assert type(job).__name__ in {"Job", "AsyncJob"}
    rows = job.rows() if isinstance(job, rh.Job) else asyncio.run(job.rows())
    assert len(rows) == 3


def test_resume_brings_what_was_never_fetched_and_what_is_running(held):
    client = held.client()
    first, second, third = (client.start("events/events", EVENTS) for _ in range(3))
    held.advance(3600)
    first.wait()
    third.wait().rows()
    outcomes = list(client.resume())
    assert {outcome.job.id for outcome in outcomes} == {first.id, second.id}
    for outcome in outcomes:
        assert outcome.ok
        assert outcome.request == rh.Request("events/events", EVENTS)
        assert (len(outcome.rows), outcome.rows.job.id) == (3, outcome.job.id)
    assert list(client.resume()) == []
    assert len(held.starts) == 3


def test_resume_is_iterated_with_async_for_by_the_async_client(service):
    async def resume():
        async with service.async_client() as client:
            job = await client.start("events/events", EVENTS)
            return job.id, [(outcome.job.id, len(outcome.rows)) async for outcome in client.resume()]

    job_id, outcomes = asyncio.run(resume())
    assert outcomes == [(job_id, 3)]


def test_resume_yields_an_error_where_a_job_goes_on_too_long_and_the_others_all_the_same(held):
    client = held.client()
    done = client.start("events/events", EVENTS)
    held.advance(3600)
    going = client.start("events/events", EVENTS)
    outcomes = {outcome.job.id: outcome for outcome in client.resume(timeout=0.3)}
    assert outcomes[done.id].ok
    error = outcomes[going.id].error
    assert isinstance(error, rh.errors.JobTimeout)
    assert f'client.job("{going.id}")' in str(error)
    assert len(client.jobs("running")) == 1


def test_what_a_job_of_earlier_cost_is_not_guessed_from_the_price_of_today(ledger):
    with rh.LocalService(clock="instant") as service:
        service.agent("own/words", price_per_1k_usd=2)(lambda: [{"a": 1}])
        started = service.client(ledger=ledger).start("own/words", {})
        while service.client(ledger=False).job(started.id).refresh().status != "completed":
            pass
        with sqlite3.connect(ledger) as database:
            database.execute("UPDATE entries SET started_at = started_at - 20000000")
        database.close()
        service.agent("own/words", price_per_1k_usd=20)(lambda: [{"a": 1}])
        later = service.client(ledger=ledger)
        rows = later.job(started.id).rows()
        assert (len(rows), rows.job.cost_usd, later.jobs()[0].cost_usd) == (1, None, None)
        assert not any(request.path.endswith("own/words") for request in service.requests)


def test_accounts_do_not_see_each_other(service, ledger):
    one = service.client(ledger=ledger)
    other = rh.Client(service.url, "another-key-123", ledger=ledger)
    one.start("events/events", EVENTS)
    assert (len(one.jobs()), len(other.jobs())) == (1, 0)


def test_nothing_is_written_without_a_ledger(service, tmp_path, monkeypatch):
    monkeypatch.setenv("ROWHAUL_LEDGER", "off")
    monkeypatch.setenv("HOME", str(tmp_path))
    for client in (rh.Client(service.url, service.api_key), service.client(ledger=False)):
        assert len(client.run("events/events", EVENTS)) == 3
        with pytest.raises(rh.errors.LedgerError, match="keeps no ledger"):
            client.jobs()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="other directories, and no modes")
@pytest.mark.parametrize("variable", ["HOME", "XDG_DATA_HOME"])
def test_the_ledger_is_in_the_users_data_and_for_the_user_alone(service, tmp_path, monkeypatch, variable):
    monkeypatch.delenv("ROWHAUL_LEDGER")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    rh.Client(service.url, service.api_key).run("events/events", EVENTS)
    folder = tmp_path / (".local/share/rowhaul" if variable == "HOME" else "rowhaul")
    assert (folder / "ledger.sqlite").exists()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


def test_the_clients_of_a_local_service_share_a_ledger_that_goes_away_with_it():
    with rh.LocalService(clock="instant") as service:
        service.client().start("events/events", EVENTS)
        assert len(service.client().jobs()) == 1
        folder = Path(service._folder.ledger).parent
        assert folder.is_dir()
    assert not folder.exists()
    assert len(rh.Client("http://127.0.0.1:9", "key-123456").jobs()) == 0, "the user's ledger has none of it"


def test_a_listing_is_a_sequence_a_table_and_a_frame(service):
    client = service.client()
    client.run("events/events", EVENTS)
    client.start("events/events", EVENTS).wait()
    jobs = client.jobs()
    assert isinstance(jobs[0], rh.JobEntry)
    assert isinstance(jobs[:1], rh.Jobs)
    assert len(jobs) == len(list(jobs)) == 2
    assert "1 job has rows that were paid for and never fetched" in repr(jobs)
    assert jobs[0].id in repr(jobs)
    assert repr(jobs).count('{"maxResults":') == 2
    shown, html = repr(jobs), jobs._repr_html_()
    assert html.count("<tr>") == 3
    assert html.count("maxResults") == 2
    assert "client.resume()" in html
    client.close()
    assert (repr(jobs), jobs._repr_html_()) == (shown, html)
    frame = jobs.to_pandas()
    assert list(frame["id"]) == [entry.id for entry in jobs]
    assert str(frame["fetched_at"].dtype) == "datetime64[us, UTC]"
    assert list(frame["fetched_at"].isna()) == [True, False]
    assert rh.Client(service.url, "another-key-123").jobs().to_pandas().empty


def test_rows_that_go_away_soon_are_warned_of():
    with rh.LocalService(clock="real", job_seconds=0) as service:
        client = service.client()
        client.start("events/events", EVENTS).wait()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            client.jobs()

        soon = (dt.datetime.now(dt.UTC) + dt.timedelta(hours=5)).isoformat()
        with sqlite3.connect(service._folder.ledger) as database:
            database.execute("UPDATE entries SET expires_at = ?", [soon])
        database.close()
        with pytest.warns(rh.LedgerWarning, match="within two days"):
            client.jobs()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_parent_and_children_of_a_fork_write_into_one_ledger(service, ledger):
    client = service.client(ledger=ledger)
    client.run("events/events", EVENTS)
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            try:
                for _ in range(5):
                    client.run("events/events", EVENTS)
                os._exit(0)
            finally:
                os._exit(99)
        children.append(child)
        client.run("events/events", EVENTS)
    assert {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children} == {0}
    entries = client.jobs()
    assert {entry.id for entry in entries} == {start.job_id for start in service.starts}
    assert len(entries) == 25
    assert all(entry.fetched_at for entry in entries)


@pytest.mark.parametrize(
    ("ended", "row_count", "cost_usd"),
    [
        ({"status": "completed"}, None, None),
        ({"status": "completed", "row_count": 8}, 8, Decimal("0.08")),
        ({"status": "failed", "row_count": 0, "credits_used": 7}, 0, None),
    ],
)
def test_what_was_told_of_a_job_while_it_ran_is_not_recalled_as_what_it_came_to(
    scripted, ledger, ended, row_count, cost_usd
):
    def tell(**told):
        status = json.dumps({"job_id": "j1", **told}).encode()
        scripted.answers["status"] = lambda answer: answer(200, status)

    client = scripted.client(ledger)
    job = client.start("events/events", {"searchQueries": ["x"], "maxResults": 9})
    tell(status="running", row_count=5)
    job.refresh()
    assert (client.jobs()[0].row_count, client.jobs()[0].cost_usd) == (5, Decimal("0.05"))
    tell(**ended)
    job.refresh()
    recalled = scripted.client(ledger).job("j1")
    for told in (job, recalled, client.jobs()[0]):
        assert (told.row_count, told.cost_usd) == (row_count, cost_usd), told


def test_what_an_old_snapshot_tells_of_a_job_that_has_ended_is_not_written_down(scripted, ledger):
    def tell(**told):
        status = json.dumps({"job_id": "j1", **told}).encode()
        scripted.answers["status"] = lambda answer: answer(200, status)

    client = scripted.client(ledger)
    client.start("events/events", EVENTS)
    late = client.job("j1")
    tell(status="completed", row_count=8)
    client.job("j1").refresh()
    tell(status="running", row_count=5)
    late.refresh()
    (entry,) = client.jobs()
    assert (entry.status, entry.row_count, entry.cost_usd) == ("completed", 8, Decimal("0.08"))

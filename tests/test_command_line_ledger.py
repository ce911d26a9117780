"""The command line: what was started, and what becomes of it."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pandas as pd
import pyarrow.parquet as pq
import pytest

import rowhaul as rh
from command_line import run
from scripted import KEY, RESULTS

EVENTS = {"searchQueries": ["jazz"], "maxResults": 3}


def test_jobs_lists_what_the_ledger_knows(account, ledger):
    assert "nothing of that kind" in run("jobs", "--ledger", ledger).stdout
    client = account.client(ledger=ledger)
    fetched, waiting = client.run("events/events", EVENTS).job, client.start("events/events", EVENTS).refresh()
    head, _, newest, oldest = run("jobs", "--ledger", ledger).stdout.splitlines()[:4]
    assert head.split() == ["started", "(UTC)", "job", "agent", "status", "rows", "USD", "fetched", "parameters"]
    asked = '{"maxResults":3,"searchQueries":["jazz"]}'
    assert newest.split()[2:] == [waiting.id, "events/events", "completed", "3", "0.03", "–", asked]
    assert oldest.split()[2:] == [fetched.id, "events/events", "completed", "3", "0.03", "yes", asked]
    done = run("jobs", "--status", "unfetched", "--ledger", ledger)
    assert waiting.id in done.stdout
    assert fetched.id not in done.stdout
    assert "never fetched: `rowhaul resume`" in done.stdout


def test_a_status_that_no_job_has_is_told_with_those_there_are(account, ledger):
    account.client(ledger=ledger).start("events/events", EVENTS)
    done = run("jobs", "--status", "compelted", "--ledger", ledger)
    assert done.stdout == "nothing of that kind was started here\n"
    assert "no job here was ever called `compelted`" in done.stderr
    assert "`completed`" in done.stderr
    assert run("jobs", "--status", "uncertain", "--ledger", ledger).stderr == ""


def test_a_job_whose_rows_were_written_to_a_file_is_fetched(account, ledger, tmp_path):
    client = account.client(ledger=ledger)
    job = client.start("events/events", EVENTS)
    assert run("job", job.id, "--wait", "-o", tmp_path / "rows.csv", "--ledger", ledger).returncode == 0
    assert client.jobs()[0].fetched_at is not None


def test_reconcile_settles_what_nobody_answered(scripted, ledger, monkeypatch):
    monkeypatch.setenv("ROWHAUL_BASE_URL", scripted.url)
    monkeypatch.setenv("ROWHAUL_API_KEY", KEY)
    monkeypatch.setenv("ROWHAUL_LEDGER", str(ledger))
    assert run("reconcile").stdout == "no start is uncertain\n"
    scripted.answers["start"] = lambda answer: answer(500, b"{}")
    with pytest.raises(rh.errors.StartUncertain):
        scripted.client(ledger).start("events/events", EVENTS)
    assert "1 perhaps started" in run("jobs").stdout
    job = {"job_id": "j1", "status": "running"}
    scripted.answers["list"] = lambda answer: answer(200, json.dumps({"jobs": [job]}).encode())
    told = run("reconcile").stdout
    assert "still uncertain" in told
    assert "may be job j1" in told
    job |= {"agent": "events/events", "created_at": datetime.now(UTC).isoformat()}
    assert "is job j1" in run("reconcile").stdout


@pytest.fixture
def uncertain(scripted, ledger, monkeypatch):
    """A client with two starts that nobody answered, the later one with other parameters."""
    monkeypatch.setenv("ROWHAUL_BASE_URL", scripted.url)
    monkeypatch.setenv("ROWHAUL_API_KEY", KEY)
    monkeypatch.setenv("ROWHAUL_LEDGER", str(ledger))
    scripted.answers["start"] = lambda answer: answer(500, b"{}")
    client = scripted.client(ledger)
    for params in (EVENTS, {**EVENTS, "maxResults": 8}):
        with pytest.raises(rh.errors.StartUncertain):
            client.start("events/events", params)
    return client


def change(ledger, statement):
    """Change a ledger from another process: what one closes in this process would take the locks of all away."""
    code = (
        "import sqlite3, sys; database = sqlite3.connect(sys.argv[1]); database.execute(sys.argv[2]); database.commit()"
    )
    subprocess.run([sys.executable, "-c", code, ledger, statement], check=True, timeout=50)


def test_a_start_is_settled_by_hand(uncertain):
    assert "`rowhaul adopt` or `rowhaul dismiss`" in run("jobs").stdout
    later, earlier = uncertain.jobs("uncertain")
    uncertain.dismiss(later)
    adopted = run("adopt", "j1")
    assert (adopted.returncode, adopted.stderr) == (0, "")
    assert "job        j1" in adopted.stdout
    assert [(entry.id, entry.status) for entry in uncertain.jobs()] == [(None, "never_started"), ("j1", "completed")]
    assert uncertain.jobs()[1].params == earlier.params
    assert run("adopt", "j2").stderr == "rowhaul: no start is uncertain\n"


def test_which_of_several_uncertain_starts_is_meant_is_told_by_its_second(uncertain, ledger):
    change(ledger, "UPDATE entries SET written_at = written_at - 60000000 WHERE params NOT LIKE '%8%'")
    _, earlier = uncertain.jobs("uncertain")
    done = run("dismiss", "--started", f"{earlier.created_at:%Y-%m-%d %H:%M:%S}")
    assert "counts as never started" in done.stdout
    assert '{"maxResults":3,"searchQueries":["jazz"]}' in done.stdout
    assert [entry.status for entry in uncertain.jobs()] == ["uncertain", "never_started"]


def test_starts_of_one_second_are_told_apart_by_their_very_moment(uncertain, ledger):
    change(ledger, "UPDATE entries SET written_at = 1793000000000000 + (params LIKE '%8%')")
    for command in (["adopt", "j1"], ["adopt", "j1", "--started", "2026-10-26 07:33:20"]):
        done = run(*command)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("rowhaul: 2 starts are uncertain; `--started` says which:\n")
    assert "no start of 2001-01-01 is uncertain; those that are:" in run("dismiss", "--started", "2001-01-01").stderr
    _, first, second = done.stderr.splitlines()
    assert '{"maxResults":8' in first
    assert '{"maxResults":3' in second
    assert '{"maxResults":8' in run("dismiss", "--started", first.split()[0]).stdout
    assert [entry.status for entry in uncertain.jobs()] == ["never_started", "uncertain"]


def test_a_job_is_cancelled(monkeypatch, ledger):
    with rh.LocalService(clock="manual", extras=["cancel"]) as service:
        monkeypatch.setenv("ROWHAUL_BASE_URL", service.url)
        monkeypatch.setenv("ROWHAUL_API_KEY", service.api_key)
        monkeypatch.setenv("ROWHAUL_LEDGER", str(ledger))
        job = service.client(ledger=ledger).start("events/events", EVENTS)
        done = run("cancel", job.id)
        assert (done.returncode, done.stderr) == (0, "")
        assert "status     cancelled" in done.stdout


def test_resume_writes_the_rows_of_each_unfinished_job_to_a_file_of_its_own(account, ledger, tmp_path, monkeypatch):
    monkeypatch.setenv("ROWHAUL_LEDGER", str(ledger))
    out = tmp_path / "new" / "rows"
    assert run("resume", "-o", out).stdout == "nothing is unfinished\n"
    with account.client(ledger=ledger) as client:
        one, other = [client.start("events/events", {**EVENTS, "maxResults": most}) for most in (2, 3)]
    assert "2 with rows that were paid for and never fetched: `rowhaul resume`" in run("jobs").stdout
    done = run("resume", "-o", out, "--format", "csv")
    assert done.returncode == 0
    told = sorted(done.stdout.splitlines())
    assert told == sorted(
        f"job {job.id}: {rows} rows, 0.0{rows} USD, wrote {out / job.id}.csv" for job, rows in ((one, 2), (other, 3))
    )
    assert [len(pd.read_csv(out / f"{job.id}.csv")) for job in (one, other)] == [2, 3]
    assert run("resume", "-o", out).stdout == "nothing is unfinished\n"
    assert len(account.starts) == 2


def test_resume_says_which_job_brought_no_rows_and_writes_those_of_others(scripted, ledger, tmp_path, monkeypatch):
    monkeypatch.setenv("ROWHAUL_BASE_URL", scripted.url)
    monkeypatch.setenv("ROWHAUL_API_KEY", KEY)
    monkeypatch.setenv("ROWHAUL_LEDGER", str(ledger))
    scripted.answers["start"] = lambda answer: answer(202, b'{"job_id": "a/b", "status": "completed"}')
    scripted.answers["results"] = lambda answer: answer(403, b"{}")
    with scripted.client(ledger) as client:
        client.start("events/events", EVENTS)
    done = run("resume", "-o", tmp_path)
    assert done.returncode == 1
    assert "rowhaul: job a/b: the results body of job `a/b` is not permitted" in done.stderr
    assert done.stderr.endswith("of 1 jobs 1 left no file\n")
    scripted.answers["results"] = lambda answer: answer(200, RESULTS)
    assert run("resume", "-o", tmp_path).returncode == 0
    assert pq.read_table(tmp_path / "a%2Fb.parquet").num_rows == 3

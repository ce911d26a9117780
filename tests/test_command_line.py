"""The command line: runs, jobs and their rows, and what the commands say of themselves."""

import json
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from pyarrow import csv, feather

import rowhaul as rh
from command_line import ROWHAUL, run
from scripted import KEY, RESULTS

EVENTS = {"searchQueries": ["jazz"], "maxResults": 3}


def test_the_demo_prints_a_table_and_writes_the_file_it_names(tmp_path):
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "50 rows" in done.stdout
    assert "eventName" in done.stdout
    assert "wrote demo.parquet" in done.stdout
    assert pq.read_table(tmp_path / "demo.parquet").num_rows == 50


def test_rows_are_written_even_where_nobody_reads_what_is_printed(tmp_path):
    program = subprocess.Popen([*ROWHAUL, "demo", "--out", "d.csv"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    program.stdout.close()
    assert program.wait(timeout=50) == 0
    assert csv.read_csv(tmp_path / "d.csv").num_rows == 50


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full here")
def test_output_that_cannot_be_written_is_a_failure_and_the_rows_are_written_all_the_same(tmp_path):
    command = [*ROWHAUL, "demo", "--out", "d.csv"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, check=False, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, timeout=50
        )
    assert done.returncode == 1
    assert "not all could be printed" in done.stderr
    assert csv.read_csv(tmp_path / "d.csv").num_rows == 50


def test_the_demo_shows_whole_numbers_without_a_fraction(tmp_path):
    done = run("demo", cwd=tmp_path)
    going = pq.read_table(tmp_path / "demo.parquet")["going"].to_pylist()[:10]
    lines = done.stdout.split("─\n", 1)[1].splitlines()[:10]
    assert [line.split()[-1] for line in lines] == ["–" if count is None else f"{count:g}" for count in going]


COMMANDS = [
    *("adopt", "agent", "agents", "balance", "cancel", "demo", "dismiss", "estimate", "job", "jobs", "reconcile"),
    *("resume", "run", "serve"),
]


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)], ids=["rowhaul", *COMMANDS])
def test_help_is_given(command):
    done = run(*command, "--help")
    assert done.returncode == 0
    assert "Usage: rowhaul" in done.stdout


@pytest.fixture
def account(service, monkeypatch):
    """The local service as the environment names it."""
    monkeypatch.setenv("ROWHAUL_BASE_URL", service.url)
    monkeypatch.setenv("ROWHAUL_API_KEY", service.api_key)
    return service


@pytest.mark.parametrize("ending", ["parquet", "csv", "ndjson", "arrow", "csv.gz", "ndjson.zst"])
def test_the_rows_of_a_job_are_written_in_the_format_that_the_file_says(account, tmp_path, ending):
    job = account.client().start("events/events", {"searchQueries": ["jazz"], "maxResults": 3})
    done = run("job", job.id, "--wait", "-o", f"rows.{ending}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert job.id in done.stdout
    assert "completed" in done.stdout
    path = tmp_path / f"rows.{ending}"
    readers = {"parquet": pq.read_table, "csv": csv.read_csv, "ndjson": rh.read_json, "arrow": feather.read_table}
    assert len(readers[ending.split(".")[0]](path)) == 3
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == ending.endswith("gz")


@pytest.mark.parametrize("name", ["rows.xlsx", "rows.parquet.gz", "rows.csv.bz2"])
def test_a_file_of_no_known_format_is_refused_before_anything_is_asked(account, name):
    done = run("job", "some-id", "-o", name)
    assert done.returncode == 2
    assert ".gz" in done.stderr
    assert account.requests == []


def test_a_command_without_an_account_says_what_to_set(account, monkeypatch):
    monkeypatch.delenv("ROWHAUL_API_KEY")
    done = run("job", "some-id")
    assert (done.returncode, done.stderr) == (1, "rowhaul: no key: set ROWHAUL_API_KEY\n")


@pytest.mark.parametrize("ending", ["parquet", "csv", "ndjson", "arrow"])
def test_a_run_shows_its_rows_and_writes_them(account, tmp_path, ending):
    parameters = ["-p", "searchQueries=jazz berlin", "-p", "searchQueries=1984", "--param", "maxResults=3"]
    done = run("run", "events/events", *parameters, "-o", f"rows.{ending}", "--max-cost", "0.06", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "eventName" in done.stdout
    assert "6 rows" in done.stdout
    assert "cost 0.06 USD" in done.stdout
    (start,) = account.starts
    assert start.params == {"searchQueries": ["jazz berlin", "1984"], "maxResults": 3}
    assert done.stderr == f"job {start.job_id}\n"
    assert (tmp_path / f"rows.{ending}").exists()


@pytest.mark.parametrize("command", ["run", "job", "demo"])
def test_rows_go_to_standard_output_alone_where_that_is_asked_for(account, tmp_path, command):
    job = account.client().start("events/events", EVENTS)
    arguments = {
        "run": ["events/events", "-p", "searchQueries=jazz", "-p", "maxResults=3", "-o", "-"],
        "job": [job.id, "--wait", "-o", "-"],
        "demo": ["--max-results", "3", "--out", "-"],
    }
    done = run(command, *arguments[command], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 3
    assert all("eventName" in row for row in rows)
    assert "wrote" in done.stderr
    assert not list(tmp_path.iterdir())


def test_rows_that_nobody_read_to_the_last_are_not_fetched_and_that_is_no_failure(account, ledger, tmp_path):
    params = json.dumps({"searchQueries": ["jazz"], "maxResults": 2000})
    with (tmp_path / "told").open("w+") as told:
        command = [*ROWHAUL, "run", "events/events", "--params", params, "-o", "-", "--ledger", ledger]
        program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, text=True)
        assert "eventName" in json.loads(program.stdout.readline())
        program.stdout.close()
        assert program.wait(timeout=50) == 0
        told.seek(0)
        text = told.read()
    (entry,) = account.client(ledger=ledger).jobs("unfetched")
    assert f"stopped before the last; all of them: rowhaul job {entry.id} -o FILE" in text


def test_rows_that_were_not_written_are_not_fetched(account, ledger):
    done = run("run", "events/events", "--params", json.dumps(EVENTS), "--ledger", ledger)
    assert "to write all rows: rowhaul job" in done.stdout
    assert len(account.client(ledger=ledger).jobs("unfetched")) == 1


@pytest.mark.parametrize("way", ["text", "file"])
def test_parameters_are_json_as_well(account, tmp_path, way):
    text = json.dumps({"products": ["B0ABCDEFGH"], "pincodes": ["110001"]})
    (tmp_path / "params.json").write_text(text)
    given = text if way == "text" else "@params.json"
    done = run("run", "retail/pincode-scraper", "--params", given, "-p", "pincodes=560001", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert account.starts[0].params["pincodes"] == ["560001"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["events/events", "-p", "maxResults=3"], "searchQueries"),
        (["events/events", "-p", "searchQuery=x"], "hint: did you mean `searchQueries`?"),
        (["events/events", "-p", "searchQueries=x", "--max-cost", "5"], "maxResults"),
        (["events/events", "-p", "searchQueries=x", "-p", "maxResults=900", "--max-cost", "5"], "more than the cap"),
        (["events/event", "-p", "searchQueries=x"], "near names: `events/events`"),
        (["events/events", "--params", "[1]"], "--params is no JSON object"),
        (["events/events", "--params", "@nowhere.json"], "nowhere.json"),
    ],
)
def test_a_run_that_cannot_be_is_refused_in_one_message(account, arguments, told):
    done = run("run", *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("rowhaul: ")
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert account.starts == []


def test_a_run_that_nothing_limits_says_so_and_works(account):
    done = run("run", "events/events", "-p", "searchQueries=jazz")
    assert done.returncode == 0
    assert "`maxResults`" in done.stderr


def test_a_run_that_takes_too_long_ends_with_its_job(held, monkeypatch):
    monkeypatch.setenv("ROWHAUL_BASE_URL", held.url)
    monkeypatch.setenv("ROWHAUL_API_KEY", held.api_key)
    done = run("run", "events/events", "-p", "searchQueries=jazz", "-p", "maxResults=1", "--timeout", "0.2")
    assert done.returncode == 1
    assert f"`rowhaul job {held.starts[0].job_id} --wait -o rows.parquet` takes it up again" in done.stderr
    assert "client.job" not in done.stderr


def test_an_interrupted_run_says_that_its_job_goes_on(scripted, monkeypatch):
    monkeypatch.setenv("ROWHAUL_BASE_URL", scripted.url)
    monkeypatch.setenv("ROWHAUL_API_KEY", KEY)
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "j1", "status": "running"}')
    command = [*ROWHAUL, "run", "events/events", "--params", json.dumps(EVENTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stderr.readline() == "job j1\n"
        program.send_signal(signal.SIGINT)
        _, told = program.communicate(timeout=50)
    assert told == "rowhaul: job j1 was started and is billed; its rows: `rowhaul job j1 --wait -o rows.parquet`\n"
    assert program.returncode == 130


@pytest.mark.skipif(sys.platform == "win32", reason="has no such terminals")
def test_a_terminal_that_goes_away_ends_no_run(scripted, tmp_path, monkeypatch):
    monkeypatch.setenv("ROWHAUL_BASE_URL", scripted.url)
    monkeypatch.setenv("ROWHAUL_API_KEY", KEY)
    completed = scripted.answers["status"]
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "j1", "status": "running"}')
    command = [*ROWHAUL, "run", "events/events", "--params", json.dumps(EVENTS), "-o", tmp_path / "rows.csv"]
    ours, its_own = os.openpty()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its_own) as program:
        os.close(its_own)
        shown = b""
        while b"running" not in shown:
            shown += os.read(ours, 1024)
        os.close(ours)
        scripted.answers["status"] = completed
        assert program.wait(50) == 0
    assert (tmp_path / "rows.csv").exists()


def test_what_can_be_done_is_told_in_the_words_of_the_command_line(scripted, ledger, monkeypatch):
    monkeypatch.setenv("ROWHAUL_BASE_URL", scripted.url)
    monkeypatch.setenv("ROWHAUL_API_KEY", KEY)
    asked = ("run", "events/events", "--params", json.dumps(EVENTS), "--ledger")
    scripted.answers["start"] = lambda answer: answer(500, b"{}")
    assert "`rowhaul reconcile`" in run(*asked, ledger).stderr
    assert "`--ledger off`" in run(*asked, ledger / "nowhere").stderr
    details = b'{"group": "events", "slug": "events", "price_per_1k_usd": 10}'
    scripted.answers["status"] = lambda answer: answer(200, details)
    assert "`--max-cost`" in run(*asked, ledger, "--max-cost", "0.001").stderr
    assert "is `--base-url` right" in run("balance", "--base-url", "http://127.0.0.1:9").stderr
    assert "`--allow-http`" in run("balance", "--base-url", "http://rowhaul.invalid").stderr
    assert scripted.starts == 1


def test_a_job_that_is_not_there_is_told_as_such(account):
    done = run("job", "no-such-job")
    assert done.returncode == 1
    assert done.stderr.startswith("rowhaul: job `no-such-job` was not found")
    assert done.stderr.endswith("or not known yet\n")


def test_an_estimate_is_told_and_starts_nothing(account):
    done = run("estimate", "events/events", "-p", "searchQueries=jazz", "-p", "maxResults=200")
    assert [line.rsplit(" ", 1)[1] for line in done.stdout.splitlines()] == ["200", "10", "2", "100"]
    assert "unbounded" in run("estimate", "events/events", "-p", "searchQueries=jazz").stdout
    assert account.starts == []


def test_agents_are_listed_and_described(account):
    listed = run("agents").stdout
    assert len(listed.splitlines()) == 9
    assert "events/events" in listed
    assert run("agents", "retail").stdout.count("retail/") == 4
    described = run("agent", "events/events").stdout
    assert "10 USD for 1000 events" in described
    assert "searchQueries" in described
    missing = run("agent", "events/event")
    assert (missing.returncode, "near names" in missing.stderr) == (1, True)


def test_the_balance_is_told(account):
    assert run("balance").stdout == "100 USD\n"


def test_the_key_is_no_option_of_any_command():
    for command in COMMANDS:
        if command != "serve":
            assert "--key" not in run(command, "--help").stdout
            assert "--api-key" not in run(command, "--help").stdout


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


def test_a_run_whose_file_cannot_be_written_says_how_to_have_its_rows(account, ledger, tmp_path):
    (tmp_path / "rows.csv").mkdir()
    out = ("-o", tmp_path / "rows.csv", "--ledger", ledger)
    done = run("run", "events/events", "--params", json.dumps(EVENTS), *out)
    (entry,) = account.client(ledger=ledger).jobs("unfetched")
    assert done.returncode == 1
    assert f"rowhaul job {entry.id} -o" in done.stderr


def test_a_folder_that_is_missing_is_told_before_anything_is_started(account, tmp_path):
    done = run("run", "events/events", "--params", json.dumps(EVENTS), "-o", tmp_path / "nowhere" / "rows.csv")
    assert (done.returncode, len(account.starts)) == (2, 0)
    assert "there is no folder" in done.stderr


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


def test_an_agent_says_which_parameters_need_not_be_given(account):
    described = run("agent", "retail/product-scraper").stdout.splitlines()
    fields = next(line.split() for line in described if line.startswith("maxItemsPerStartUrl"))
    assert fields[1:4] == ["integer", "default", "50"]
    fields = next(line.split() for line in described if line.startswith("categoryOrProductUrls"))
    assert fields[2] == "required"


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


def test_the_version_is_told():
    assert re.fullmatch(r"rowhaul \d+\.\d+\.\d+\n", run("--version").stdout)

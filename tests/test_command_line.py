"""The command line: runs, jobs and their rows, and what the commands say of themselves."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import csv, feather

import rowhaul as rh
from command_line import ROWHAUL, run
from scripted import KEY

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


@pytest.mark.parametrize(("option", "value"), [("--timeout", "-1"), ("--max-cost", "-1"), ("--max-cost", "much")])
def test_a_time_or_a_cost_that_is_none_is_told_as_such(option, value):
    done = run("run", "events/events", "-p", "searchQueries=jazz", option, value)
    assert done.returncode == 2
    assert "that is not negative" in done.stderr


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


def test_an_agent_says_which_parameters_need_not_be_given(account):
    described = run("agent", "retail/product-scraper").stdout.splitlines()
    fields = next(line.split() for line in described if line.startswith("maxItemsPerStartUrl"))
    assert fields[1:4] == ["integer", "default", "50"]
    fields = next(line.split() for line in described if line.startswith("categoryOrProductUrls"))
    assert fields[2] == "required"


def test_the_version_is_told():
    assert re.fullmatch(r"rowhaul \d+\.\d+\.\d+\n", run("--version").stdout)

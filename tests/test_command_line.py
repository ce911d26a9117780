"""The command line: `demo`, `serve`, and what they say of themselves."""

import json
import re
import signal
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
import requests

ROWHAUL = [sys.executable, "-m", "rowhaul"]


def run(*arguments, **options):
    return subprocess.run([*ROWHAUL, *arguments], capture_output=True, text=True, check=False, timeout=50, **options)


def test_the_demo_prints_a_table_and_writes_the_file_it_names(tmp_path):
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "50 rows" in done.stdout
    assert "eventName" in done.stdout
    assert "wrote events.parquet" in done.stdout
    assert pq.read_table(tmp_path / "events.parquet").num_rows == 50


def test_the_demo_shows_whole_numbers_without_a_fraction(tmp_path):
    done = run("demo", cwd=tmp_path)
    going = pq.read_table(tmp_path / "events.parquet")["going"].to_pylist()[:10]
    lines = done.stdout.split("─\n", 1)[1].splitlines()[:10]
    assert [line.split()[-1] for line in lines] == ["–" if count is None else f"{count:g}" for count in going]


def test_other_programs_use_the_service_that_is_served():
    program = subprocess.Popen(
        [*ROWHAUL, "serve", "--clock", "instant", "--key", "some-key-123"], stdout=subprocess.PIPE, text=True
    )
    try:
        url = re.search(r"http://\S+", program.stdout.readline())[0]
        session = requests.Session()
        session.headers["Authorization"] = "Bearer some-key-123"
        params = {"params": {"searchQueries": ["jazz"], "maxResults": 3}}
        job = session.post(f"{url}/api/v1/agents/events/events/run", json=params, timeout=10).json()["job_id"]
        assert session.get(f"{url}/api/v1/jobs/{job}", timeout=10).json()["status"] == "completed"
        results = session.get(f"{url}/api/v1/jobs/{job}/results", timeout=10).json()
        assert results["row_count"] == len(results["data"]) == 3
        assert session.get(f"{url}/api/v1/balance", timeout=10).json() == {"usd_remaining": 99.97}
        session.close()
    finally:
        program.send_signal(signal.SIGINT)
        program.wait(timeout=20)
        rest = program.stdout.read()
        program.stdout.close()
    assert "curl" in rest
    assert program.returncode == 130


def test_the_curl_example_is_a_request_that_works(tmp_path):
    program = subprocess.Popen([*ROWHAUL, "serve"], stdout=subprocess.PIPE, text=True)
    try:
        lines = [program.stdout.readline() for _ in range(5)]
        command = "".join(lines[3:5]).replace("\\\n", "")
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, timeout=20)
        assert done.returncode == 0, (command, done.stderr)
        assert "job_id" in json.loads(done.stdout)
    finally:
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=20)


@pytest.mark.parametrize("command", [[], ["demo"], ["serve"]], ids=["rowhaul", "demo", "serve"])
def test_help_is_given(command):
    done = run(*command, "--help")
    assert done.returncode == 0
    assert "Usage: rowhaul" in done.stdout


def test_a_mistake_is_answered_with_the_usage():
    done = run("serve", "--clock", "fast")
    assert done.returncode == 2
    assert "real, instant" in done.stderr


def test_an_address_that_is_taken_is_told_on_one_line():
    done = run("serve", "--host", "192.0.2.1")
    assert done.returncode == 1
    assert done.stderr.startswith("rowhaul: ")
    assert len(done.stderr.splitlines()) == 1


def test_the_version_is_told():
    assert re.fullmatch(r"rowhaul \d+\.\d+\.\d+\n", run("--version").stdout)

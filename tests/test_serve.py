"""`rowhaul serve`: the local service on the command line, for programs in any language."""

import json
import re
import signal
import subprocess
import sys

import pytest
import requests

from command_line import ROWHAUL, run


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


@pytest.fixture
def serve():
    """Give a function that starts `rowhaul serve` with options and gives the program, its address and its key."""
    programs = []

    def start(*options):
        program = subprocess.Popen(
            [*ROWHAUL, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        programs.append(program)
        url, key = (program.stdout.readline().split()[1] for _ in range(2))
        return program, url, {"Authorization": f"Bearer {key}"}

    yield start
    for program in programs:
        program.kill()
        program.communicate(timeout=20)


def test_faults_and_extras_are_asked_for_on_the_command_line(serve):
    fault = "on=balance,fault=status,code=503,retry_after=1,times=1"
    _, url, key = serve("--fault", fault, "--fault", "on=agents,reset", "--extras", "cancel,csv", "--row-cap", "5")
    assert requests.get(f"{url}/api/v1/balance", headers=key, timeout=10).status_code == 503
    assert requests.get(f"{url}/api/v1/balance", headers=key, timeout=10).status_code == 200
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{url}/api/v1/agents", headers=key, timeout=10)
    assert requests.get(f"{url}/api/v1/jobs", headers=key, timeout=10).status_code == 404
    body = {"params": {"searchQueries": ["a"], "maxResults": 6}}
    assert (
        requests.post(f"{url}/api/v1/agents/events/events/run", headers=key, json=body, timeout=10).status_code == 422
    )
    assert requests.get(f"{url}/healthz", timeout=10).json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--fault", "explode"], "`reset`"),
        (["--fault", "on=start,reset"], "balance or any"),
        (["--extras", "fly"], "job_list"),
    ],
)
def test_a_fault_or_an_extra_that_there_is_not_is_told_with_what_there_is(option, said):
    done = run("serve", *option)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize("form", ["text", "json", "off"])
def test_each_request_is_a_line_of_the_log_without_the_key(serve, form):
    program, url, key = serve(
        "--log", form, "--key", "canary-key-9", "--clock", "instant", "--fault", "on=balance,close"
    )
    body = {"params": {"searchQueries": ["a"], "maxResults": 1}}
    job = requests.post(f"{url}/api/v1/agents/events/events/run", headers=key, json=body, timeout=10).json()["job_id"]
    requests.get(f"{url}/canary-key-9?key=canary-key-9", headers=key, timeout=10)
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{url}/api/v1/balance", headers=key, timeout=10)
    program.send_signal(signal.SIGTERM)
    _, log = program.communicate(timeout=20)
    assert program.returncode == 143
    assert "canary" not in log
    lines = log.splitlines()
    if form == "off":
        assert lines == []
        return
    assert len(lines) == 3
    if form == "json":
        start, unknown, closed = map(json.loads, lines)
        assert (start["method"], start["status"], start["job_id"]) == ("POST", 202, job)
        assert (unknown["path"], unknown["status"]) == ("/***", 404)
        assert (closed["status"], closed["fault"]) == (None, "close")
    else:
        assert re.fullmatch(rf"\S+Z POST /api/v1/agents/events/events/run 202 \d+\.\d ms {job}", lines[0])
        assert lines[2].endswith("fault=close")


def test_the_start_says_how_to_connect_from_python(serve):
    program, *_ = serve("--clock", "instant", "--log", "off")
    lines = [program.stdout.readline() for _ in range(5)]
    line = next(line for line in lines if line.startswith("python"))
    code = f"import rowhaul as rh; print({line.removeprefix('python').strip()}.balance())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "100\n"


def test_a_mistake_is_answered_with_the_usage():
    done = run("serve", "--clock", "fast")
    assert done.returncode == 2
    assert "real, instant" in done.stderr


def test_an_address_that_is_taken_is_told_on_one_line():
    done = run("serve", "--host", "192.0.2.1")
    assert done.returncode == 1
    assert done.stderr.startswith("rowhaul: ")
    assert len(done.stderr.splitlines()) == 1

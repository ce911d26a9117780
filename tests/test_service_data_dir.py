"""A service with a data directory: what it answered is there again, whatever became of the process."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from decimal import Decimal

import pytest

import rowhaul as rh

KEY = "key-of-the-tests"
PRICE = Decimal("0.01")
BALANCE = Decimal(3)
# ROWHAUL_TEST_RUNS=1000 kills more often.
ROUNDS = int(os.environ.get("ROWHAUL_TEST_RUNS", "40"))


class Served:
    """`rowhaul serve` on a directory, and the last thing each of its callers heard."""

    def __init__(self, folder, *arguments):
        words = [sys.executable, "-m", "rowhaul", "serve", "--data-dir", str(folder), "--key", KEY, *arguments]
        self.program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.program.stdout.readline()
        assert line, self.program.stderr.read()
        self.port = int(re.search(r":(\d+)", line)[1])

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def kill(self):
        self.program.send_signal(signal.SIGKILL)
        self.program.communicate(timeout=20)


class Memory:
    """What callers were told, over the lives of many services."""

    def __init__(self):
        self.lock = threading.Lock()
        self.accepted, self.cancelled, self.rows = {}, set(), {}
        self.balance = BALANCE
        self.answers = 0

    def note(self, change):
        with self.lock:
            change()
            self.answers += 1


def call(served, memory, chance):
    """Ask for this and that until the service dies, and remember each answer."""
    try:
        while True:
            match chance.randrange(4):
                case 0 | 1:
                    params = {"searchQueries": [f"q{chance.randrange(9)}"], "maxResults": chance.randint(1, 3)}
                    status, body = served.ask("POST", "/api/v1/agents/events/events/run", {"params": params})
                    assert status in {202, 402}
                    if status == 202:
                        job = json.loads(body)["job_id"]
                        memory.note(lambda job=job, params=params: memory.accepted.update({job: params}))
                case 2:
                    status, body = served.ask("GET", "/api/v1/balance")
                    left = json.loads(body, parse_float=Decimal)["usd_remaining"]
                    memory.note(lambda left=left: setattr(memory, "balance", min(memory.balance, left)))
                case _ if memory.accepted:
                    job = chance.choice(list(memory.accepted))
                    if chance.randrange(3) == 0:
                        status, _ = served.ask("DELETE", f"/v1/jobs/{job}")
                        assert status in {200, 409}
                        if status == 200:
                            memory.note(lambda job=job: memory.cancelled.add(job))
                    else:
                        status, body = served.ask("GET", f"/v1/jobs/{job}/results")
                        if status == 200:
                            memory.note(lambda job=job, body=body: memory.rows.setdefault(job, body))
    except (OSError, http.client.HTTPException):
        return


def check(folder, memory):
    """Whatever callers were told still holds, and every cent is accounted for."""
    with rh.LocalService(data_dir=folder, api_key=KEY) as service:
        served = Served.__new__(Served)
        served.port = int(service.url.rsplit(":", 1)[1])
        # What goes on completes now, so that nothing changes while it is looked at.
        service.advance(60)
        starts = {start.job_id: start.params for start in service.starts}
        assert memory.accepted.items() <= starts.items()
        charges = service.charges
        charged = {charge.job_id for charge in charges}
        assert len(charged) == len(charges)
        assert all(charge.amount_usd == charge.rows * PRICE for charge in charges)
        assert service.balance_usd == BALANCE - sum(charge.amount_usd for charge in charges)
        assert 0 <= service.balance_usd <= memory.balance
        assert not charged & memory.cancelled
        assert memory.rows.keys() <= charged
        for job, body in memory.rows.items():
            assert served.ask("GET", f"/v1/jobs/{job}/results") == (200, body)
        for job in memory.cancelled:
            assert json.loads(served.ask("GET", f"/v1/jobs/{job}")[1])["status"] == "cancelled"


def kill_in_the_middle(folder, memory, chance):
    """One life of a service: some answers, then `kill -9` while others are under way."""
    served = Served(folder, "--job-seconds", "0.03", "--balance", str(BALANCE))
    last = memory.answers + chance.randint(1, 60)
    callers = [threading.Thread(target=call, args=(served, memory, random.Random(chance.random()))) for _ in range(3)]
    for caller in callers:
        caller.start()
    while memory.answers < last and any(caller.is_alive() for caller in callers):
        callers[0].join(0.001)
    served.kill()
    for caller in callers:
        caller.join()
    assert memory.answers >= last


@pytest.mark.timeout(max(300, ROUNDS))
def test_what_was_answered_survives_kill_9_and_nothing_is_charged_twice(tmp_path):
    chance = random.Random(7)
    for number in range(ROUNDS):
        if number % 4 == 0:
            folder, memory = tmp_path / str(number), Memory()
        kill_in_the_middle(folder, memory, chance)
        check(folder, memory)


def test_a_second_service_is_refused_while_the_first_lives_and_not_after_its_death(tmp_path):
    served = Served(tmp_path)
    with pytest.raises(rh.errors.ConfigError, match="in use by another local service"):
        rh.LocalService(data_dir=tmp_path)
    words = [sys.executable, "-m", "rowhaul", "serve", "--data-dir", str(tmp_path)]
    second = subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)
    assert (second.returncode, len(second.stderr.splitlines())) == (1, 1)
    assert "in use" in second.stderr
    served.kill()
    with rh.LocalService(data_dir=tmp_path) as service:
        assert service.client().balance() == 100


def test_a_job_taken_up_after_a_restart_brings_the_rows_it_was_started_for(tmp_path):
    request = rh.agents.Events(search_queries=["jazz berlin"], max_results=20)
    with rh.LocalService(data_dir=tmp_path, clock="manual") as service:
        job = service.client().start(request)
    with rh.LocalService(data_dir=tmp_path, clock="manual") as service:
        service.advance(60)
        rows = service.client().job(job.id).rows()
        assert len(rows) == 20
        assert service.balance_usd == Decimal("99.8")
    with rh.LocalService(data_dir=tmp_path, clock="instant") as service:
        assert service.client().run(request).to_dicts() == rows.to_dicts()


def test_the_key_is_not_in_the_directory(tmp_path):
    with rh.LocalService(data_dir=tmp_path, clock="instant") as service:
        service.client().run("events/events", {"searchQueries": ["a"], "maxResults": 3})
        key = service.api_key.encode()
        assert all(key not in file.read_bytes() for file in tmp_path.iterdir())
    assert sorted(file.name for file in tmp_path.iterdir()) == ["service.db", "service.lock"]


@pytest.mark.parametrize("query", ["", "?format=csv"])
@pytest.mark.parametrize("damage", ["UPDATE kept SET text = '{' WHERE piece = 2", "DELETE FROM kept WHERE piece = 2"])
def test_an_answer_is_cut_off_where_the_kept_rows_are_damaged(tmp_path, query, damage):
    with rh.LocalService(data_dir=tmp_path) as service:
        service.agent("shop/many")(lambda: ({"number": number} for number in range(3500)))
        job = service.client().start("shop/many", {}).wait()
    with contextlib.closing(sqlite3.connect(tmp_path / "service.db")) as database, database:
        assert database.execute(damage).rowcount == 1
    with rh.LocalService(data_dir=tmp_path, api_key=KEY) as service:
        served = Served.__new__(Served)
        served.port = int(service.url.rsplit(":", 1)[1])
        with pytest.raises((http.client.IncompleteRead, http.client.RemoteDisconnected)):
            served.ask("GET", f"/v1/jobs/{job.id}/results{query}")
        with pytest.raises(rh.errors.ReadError):
            service.client().job(job.id).rows()


FULL = """
import http.client, json, os, resource, signal, sys
import rowhaul as rh

service = rh.LocalService(data_dir=sys.argv[1], clock="instant", balance_usd=5)

def start():
    connection = http.client.HTTPConnection(service.url.removeprefix("http://"))
    headers = {"Authorization": f"Bearer {service.api_key}", "Content-Type": "application/json"}
    body = json.dumps({"params": {"searchQueries": ["a"], "maxResults": 1}})
    connection.request("POST", "/api/v1/agents/events/events/run", body, headers)
    answer = connection.getresponse()
    status, told = answer.status, json.loads(answer.read())
    connection.close()
    return status, told

def ids(answers):
    return [told["job_id"] for status, told in answers if status == 202]

first = [start()]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
while first[-1][0] == 202:
    first.append(start())
assert first[-1][0] == 503 and first[-1][1]["error"] == "storage_failed", first[-1]
assert [start.job_id for start in service.starts] == ids(first)
assert len(service.charges) == len(ids(first))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
later = [start() for _ in range(3)]
assert [status for status, _ in later] == [202] * 3
print(json.dumps(ids(first + later)))
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("limit", [60_000, 61_111, 65_000, 90_001, 131_072])
def test_where_the_disk_is_full_nothing_is_acknowledged_and_everything_before_and_after_is_kept(tmp_path, limit):
    words = [sys.executable, "-c", FULL, str(tmp_path), str(limit)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=50)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with rh.LocalService(data_dir=tmp_path) as service:
        assert [start.job_id for start in service.starts] == json.loads(done.stdout)
        assert [charge.job_id for charge in service.charges] == json.loads(done.stdout)
        assert service.balance_usd == 5 - PRICE * len(service.charges)

"""Runs of own agents: exceptions, cancellations, blocking, clocks, and the end of the process."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
import traceback
from decimal import Decimal

import pytest

import rowhaul as rh
from own_agents import ROWS, body, given


def test_an_exception_makes_the_job_failed_with_its_text_and_costs_nothing(service):
    @service.agent("shop/bad")
    def bad():
        yield {"a": 1}
        raise LookupError("the shop is closed")

    job = service.client().start("shop/bad", {})
    with pytest.raises(rh.errors.JobFailed, match="LookupError: the shop is closed"):
        job.wait()
    assert job.refresh().status == "failed"
    assert job.error == "LookupError: the shop is closed"
    answer = body(service, job.id)
    assert (answer.status_code, answer.json()["error"]) == (404, "job_failed")
    assert (service.charges, service.balance_usd) == ([], 100)


@pytest.mark.parametrize("kind", ["generator", "async"])
def test_the_traceback_of_an_exception_is_logged_from_the_agents_own_code_on(service, caplog, kind):
    def find(shelf):
        raise LookupError(f"no shelf {shelf}")

    def generator(shelf):
        yield {"a": find(shelf)}

    async def coroutine(shelf):
        return [{"a": find(shelf)}]

    service.agent("shop/bad")(generator if kind == "generator" else coroutine)
    with pytest.raises(rh.errors.JobFailed):
        given(service, "shop/bad", {"shelf": 7})
    [record] = caplog.records
    assert (record.name, record.levelname) == ("rowhaul.service", "ERROR")
    assert record.getMessage() == 'agent `shop/bad` raised, asked for {"shelf":7}'
    frames = [frame.name for frame in traceback.extract_tb(record.exc_info[2])]
    assert frames == ["generator" if kind == "generator" else "coroutine", "find"]


def test_what_an_agent_gives_and_json_has_no_word_for_is_told_without_a_traceback(service, caplog):
    service.agent("shop/bad")(lambda: [{"a": float("nan")}])
    with pytest.raises(rh.errors.JobFailed, match="row 0, key `a`"):
        given(service, "shop/bad")
    assert caplog.records == []


def test_an_agent_that_cancels_itself_has_failed(service):
    @service.agent("shop/quits")
    async def quits():
        raise asyncio.CancelledError

    with pytest.raises(rh.errors.JobFailed, match="CancelledError"):
        given(service, "shop/quits")


def test_a_run_that_the_balance_cannot_pay_for_fails_and_costs_nothing():
    def endless():
        while True:
            yield {"a": 1}

    with rh.LocalService(clock="instant", balance_usd=5) as service:
        service.agent("shop/endless", price_per_1k_usd=1)(endless)
        with pytest.raises(rh.errors.JobFailed, match="cannot pay for more than 5000 rows"):
            given(service, "shop/endless")
        assert (service.charges, service.balance_usd) == ([], 5)


@pytest.mark.parametrize("kind", ["generator", "async"])
def test_a_cancelled_run_ends_its_function_and_costs_nothing(service, kind):
    begun, ended = threading.Event(), threading.Event()

    def endless():
        try:
            while True:
                begun.set()
                yield {"a": 1}
        finally:
            ended.set()

    async def never():
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    service.agent("shop/endless", price_per_1k_usd=0)(endless if kind == "generator" else never)
    job = service.client().start("shop/endless", {})
    assert begun.wait(20)
    job.cancel()
    assert job.refresh().status == "cancelled"
    assert ended.wait(20)
    assert body(service, job.id).json()["error"] == "job_cancelled"
    assert service.charges == []


def test_a_function_that_blocks_does_not_block_the_service(service):
    release = threading.Event()
    service.agent("shop/slow")(lambda: release.wait(30) and ROWS)
    client = service.client()
    jobs = [client.start("shop/slow", {}) for _ in range(40)]
    assert client.balance() == 100
    assert len(client.run("events/events", {"searchQueries": ["a"], "maxResults": 3})) == 3
    assert {job.refresh().status for job in jobs} == {"running"}
    release.set()
    assert [len(job.wait().rows()) for job in jobs] == [2] * 40
    assert len(service.charges) == 41


def test_jobs_complete_by_the_clock_as_others_do(held):
    done = threading.Event()

    @held.agent("shop/prices")
    def prices():
        yield from ROWS
        done.set()

    job = held.client().start("shop/prices", {})
    assert done.wait(20)
    assert job.refresh().status == "queued"
    assert held.charges == []
    held.advance(60)
    assert job.wait(20).rows().to_dicts() == ROWS


def test_kept_rows_are_there_again_without_the_function(tmp_path):
    with rh.LocalService(data_dir=tmp_path) as service:
        service.agent("shop/many", price_per_1k_usd=1)(lambda: ({"number": n} for n in range(2500)))
        job = service.client().start("shop/many", {})
        job.wait()
        before = body(service, job.id).content
    with rh.LocalService(data_dir=tmp_path) as service:
        assert body(service, job.id).content == before
        assert json.loads(before)["data"] == [{"number": n} for n in range(2500)]
        assert [charge.amount_usd for charge in service.charges] == [Decimal("2.5")]
        with pytest.raises(rh.errors.NotFound):
            service.client().run("shop/many", {})


CRASH = """
import os, signal, sys
import rowhaul as rh

service = rh.LocalService(data_dir=sys.argv[1])

@service.agent("shop/half")
def half():
    for number in range(1500):
        yield {"number": number}
    os.kill(os.getpid(), signal.SIGKILL)
    yield {}

service.client().run("shop/half", {})
"""


def test_a_run_whose_agent_was_at_work_when_the_service_was_killed_has_failed_and_costs_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CRASH, str(tmp_path)], capture_output=True, text=True, check=False, timeout=50
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    for _ in range(2):
        with rh.LocalService(data_dir=tmp_path) as service:
            [start] = service.starts
            job = service.client().job(start.job_id)
            with pytest.raises(rh.errors.JobFailed, match="the service ended while the agent was at work"):
                job.wait()
            assert (service.charges, service.balance_usd) == ([], 100)


EXIT = """
import threading
import traceback
import rowhaul as rh

service = rh.LocalService()
begun = threading.Event()

@service.agent("shop/slow")
def slow():
    begun.set()
    threading.Event().wait()
    yield {}

@service.agent("shop/endless", price_per_1k_usd=0)
def endless():
    while True:
        yield {"a": 1}

service.client().start("shop/slow", {})
service.client().start("shop/endless", {})
begun.wait()
"""


def test_a_program_ends_with_agents_at_work():
    done = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")


def test_on_an_instant_clock_nobody_has_to_ask_again_about_an_agent_that_is_done_at_once(service):
    service.agent("shop/quick")(lambda: [{"a": 1}])
    assert len(service.client().run("shop/quick", {})) == 1
    assert [request.path.rpartition("/")[2] for request in service.requests if "jobs" in request.path] == ["results"]


def test_a_start_does_not_wait_for_an_agent_that_takes_its_time(service):
    goes_on = threading.Event()

    @service.agent("shop/slow")
    def slow():
        goes_on.wait(20)
        return [{"a": 1}]

    job = service.client().start("shop/slow", {})
    assert job.status == "running"
    goes_on.set()
    assert len(job.wait().rows()) == 1

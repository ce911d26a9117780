"""Agents of one's own: functions and files that a local service offers beside the specification's agents."""

from __future__ import annotations

import asyncio
import csv
import datetime as dt
import enum
import io
import json
import pathlib
import re
import signal
import subprocess
import sys
import threading
import uuid
from decimal import Decimal
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import requests

import rowhaul as rh

ROWS = [{"sku": "a", "price": 9.5}, {"sku": "b", "price": None}]


def given(service, name, params=None):
    return service.client().run(name, params or {}).to_dicts()


def body(service, job, query=""):
    key = {"Authorization": f"Bearer {service.api_key}"}
    return requests.get(f"{service.url}/v1/jobs/{job}/results{query}", headers=key, timeout=10)


def returned():
    return ROWS


def generated():
    yield from ROWS


async def awaited():
    await asyncio.sleep(0)
    return ROWS


async def awaited_one_by_one():
    for row in ROWS:
        await asyncio.sleep(0)
        yield row


@pytest.mark.parametrize("function", [returned, generated, awaited, awaited_one_by_one])
@pytest.mark.parametrize("clock", ["real", "instant"])
def test_a_function_in_any_of_its_forms_is_an_agent(function, clock):
    with rh.LocalService(clock=clock) as service:
        assert service.agent("shop/prices", price_per_1k_usd=2)(function) is function
        assert given(service, "shop/prices") == ROWS
        [charge] = service.charges
        assert (charge.agent, charge.rows, charge.amount_usd) == ("shop/prices", 2, Decimal("0.004"))
        assert service.balance_usd == Decimal("99.996")


def test_parameters_are_read_off_the_signature_and_come_by_name(service):
    @service.agent("shop/echo")
    def echo(skus: list[str], limit: int = 10, *, ratio: float | None = None, anything=None):
        """Give back what was asked."""
        yield {"skus": skus, "limit": limit, "ratio": ratio, "anything": anything}

    asked = {"skus": ["a"], "ratio": 0.5}
    assert given(service, "shop/echo", asked) == [{"skus": ["a"], "limit": 10, "ratio": 0.5, "anything": None}]
    agent = service.client().agent("shop/echo")
    assert agent.description == "Give back what was asked."
    told = {name: (p.type, p.required, p.default) for name, p in agent.parameters.items()}
    assert told == {
        "skus": ("array", True, None),
        "limit": ("integer", False, 10),
        "ratio": ("number", False, None),
        "anything": ("any", False, None),
    }
    assert service.starts[0].params == asked


@pytest.mark.parametrize(
    ("params", "field", "reason"),
    [
        ({}, "sku", "required"),
        ({"sku": 1}, "sku", "must be a string, not an integer"),
        ({"sku": None}, "sku", "must be a string, not null"),
        ({"sku": "a", "limit": 1.5}, "limit", "must be an integer, not a number with a fraction or exponent"),
        ({"sku": "a", "limit": 0}, "limit", "must be at least 1"),
        ({"sku": "a", "limit": 6}, "limit", "must be at most 5"),
        ({"sku": "a", "sort": "up"}, "sort", 'must be one of "asc", "desc"'),
        ({"sku": "a", "skus": "a"}, "skus", "not a parameter of this agent; known: sku, limit, sort"),
    ],
)
def test_runs_are_held_to_the_declared_parameters(service, params, field, reason):
    parameters = {
        "sku": str,
        "limit": {"type": int, "default": 3, "minimum": 1, "maximum": 5},
        "sort": {"type": "string", "options": ["asc", "desc"]},
    }
    service.agent("shop/prices", parameters=parameters)(lambda **params: [params])
    with pytest.raises(rh.errors.ApiError) as caught:
        given(service, "shop/prices", params)
    assert caught.value.status_code == 422
    assert f"`{field}`: {reason}" in str(caught.value)
    assert service.starts == []
    assert given(service, "shop/prices", {"sku": "a"}) == [{"sku": "a", "limit": 3}]


def test_it_stands_in_every_list_and_its_price_bounds_no_guess(service):
    service.agent("shop/prices", price_per_1k_usd="2.5", title="Prices", unit="prices")(
        lambda limit: [{"limit": limit}]
    )
    client = service.client()
    assert "shop" in client.groups()
    [summary] = client.agents("shop")
    assert (summary.name, summary.price_per_1k_usd) == ("Prices", Decimal("2.5"))
    assert "shop/prices" in [agent.id for agent in client.agents()]
    assert client.agent("shop/prices").unit == "prices"
    estimate = client.estimate("shop/prices", {"limit": 1})
    assert (estimate.price_per_1k_usd, estimate.max_rows) == (Decimal("2.5"), None)


def test_an_agent_named_like_one_of_the_specification_takes_its_place(service):
    service.agent("events/events", parameters={"searchQueries": list, "maxResults": int})(
        lambda **params: [{"eventName": params["searchQueries"][0]}]
    )
    rows = given(service, "events/events", {"searchQueries": ["jazz"], "maxResults": 1})
    assert rows[0]["eventName"] == "jazz"
    assert len(service.client().agents("events")) == 1


class Colour(enum.Enum):
    RED = "red"


def test_values_become_json_exactly():
    yielded = {
        "none": None,
        "yes": True,
        "big": 2**70,
        "text": 'é"\n\u2028',
        "decimal": Decimal("12345678901234567890.10"),
        "date": dt.date(2026, 1, 2),
        "moment": dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC),
        "integer": np.int64(7),
        "float": np.float64(0.1),
        "flag": np.bool_(True),
        "array": np.array([[1, 2]]),
        "day": np.datetime64("2026-01-02"),
        "enum": Colour.RED,
        "uuid": uuid.UUID(int=1),
        "nested": [{"a": (1, {"b": [None]})}],
    }
    with rh.LocalService(clock="instant") as service:
        service.agent("shop/values")(lambda: [yielded])
        job = service.client().start("shop/values", {})
        job.wait()
        text = body(service, job.id).text
    row = json.loads(text, parse_float=str)["data"][0]
    assert row == {
        "none": None,
        "yes": True,
        "big": 2**70,
        "text": 'é"\n\u2028',
        "decimal": "12345678901234567890.10",
        "date": "2026-01-02",
        "moment": "2026-01-02T03:04:05+00:00",
        "integer": 7,
        "float": "0.1",
        "flag": True,
        "array": [[1, 2]],
        "day": "2026-01-02",
        "enum": "red",
        "uuid": "00000000-0000-0000-0000-000000000001",
        "nested": [{"a": [1, {"b": [None]}]}],
    }


CYCLE: dict = {}
CYCLE["a"] = CYCLE


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"a": {"b": [1, float("nan")]}}, "row 1, key `a.b.1`, is nan, and JSON has no such number"),
        ({"a": float("-inf")}, "row 1, key `a`, is -inf, and JSON has no such number"),
        ({"a": Decimal("sNaN")}, "row 1, key `a`, is sNaN, and JSON has no such number"),
        ({"a": np.float64("nan")}, "row 1, key `a`, is nan, and JSON has no such number"),
        ({"a": object()}, "row 1, key `a`, cannot be read: TypeError: object is nothing that JSON has a word for"),
        ({"a": b"x"}, "row 1, key `a`, cannot be read: TypeError: bytes is nothing that JSON has a word for"),
        ({"a": "\ud800"}, "row 1, key `a`, is a str with half a surrogate pair, which is not text"),
        ({1: "a"}, "row 1 has the key 1, which is not a str"),
        ([1], "row 1 must be a dict, not list"),
        (CYCLE, "is nested deeper than 64 levels"),
    ],
)
def test_what_json_has_no_word_for_fails_the_job_by_row_and_key(service, row, why):
    service.agent("shop/bad")(lambda: [{"a": 1}, row])
    with pytest.raises(rh.errors.JobFailed) as caught:
        given(service, "shop/bad")
    assert why in str(caught.value)
    assert service.charges == []
    assert service.balance_usd == 100


@pytest.mark.parametrize("function", [lambda: "text", lambda: 7, lambda: [7], lambda: {"a"}])
def test_an_agent_that_gives_no_dicts_has_failed(service, function):
    service.agent("shop/bad")(function)
    with pytest.raises(rh.errors.JobFailed, match="dict"):
        given(service, "shop/bad")


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


def test_declared_columns_stand_in_each_row_in_their_order_and_no_others(service):
    service.agent("shop/prices", columns=["sku", "price", "note"])(lambda: [{"price": 1, "sku": "a"}])
    job = service.client().start("shop/prices", {})
    job.wait()
    assert body(service, job.id).text.endswith('"data":[{"sku":"a","price":1,"note":null}]}')
    service.agent("shop/more", columns=["sku"])(lambda: [{"sku": "a", "size": 1}])
    with pytest.raises(rh.errors.JobFailed, match="row 0 has the key `size`, which is not among the columns"):
        given(service, "shop/more")


def test_rows_are_served_as_csv_with_every_column_any_of_them_has(service):
    service.agent("shop/prices")(lambda: [{"a": 1, "b": 'x,"y"'}, {"c": [1], "a": None}])
    job = service.client().start("shop/prices", {})
    job.wait()
    read = list(csv.reader(io.StringIO(body(service, job.id, "?format=csv").text)))
    assert read == [["a", "b", "c"], ["1", 'x,"y"', ""], ["", "", "[1]"]]


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


@pytest.mark.parametrize(
    ("name", "write", "first"),
    [
        ("rows.ndjson", lambda p: p.write_text('{"id": "007", "n": 1}\n\n{"id": "008", "n": 2}\n'), 1),
        ("rows.csv", lambda p: p.write_text('id,n\r\n007,1\r\n008,""\r\n'), "1"),
        ("rows.parquet", lambda p: pq.write_table(pa.table({"id": ["007", "008"], "n": [1, 2]}), p), 1),
    ],
)
def test_the_rows_of_a_file_are_an_agent(service, tmp_path, name, write, first):
    path = tmp_path / name
    write(path)
    service.agent_from_file("shop/file", path, price_per_1k_usd=10)
    rows = given(service, "shop/file")
    assert [row["id"] for row in rows] == ["007", "008"]
    assert rows[0]["n"] == first
    assert len(given(service, "shop/file", {"maxResults": 1})) == 1
    assert service.balance_usd == Decimal("99.97")
    with pytest.raises(rh.errors.ApiError, match="maxResults"):
        given(service, "shop/file", {"maxResults": -1})


def test_a_file_that_is_none_is_told_at_once_and_a_torn_one_fails_the_run(service, tmp_path):
    for name in ("none.ndjson", "none.csv", "none.parquet"):
        with pytest.raises(FileNotFoundError):
            service.agent_from_file("shop/file", tmp_path / name)
    (tmp_path / "rows.txt").write_text("")
    with pytest.raises(OSError, match=r"\.ndjson"):
        service.agent_from_file("shop/file", tmp_path / "rows.txt")
    (tmp_path / "torn.ndjson").write_text('{"a": 1}\n{"a": ')
    service.agent_from_file("shop/file", tmp_path / "torn.ndjson")
    with pytest.raises(rh.errors.JobFailed, match="row 1 is not JSON"):
        given(service, "shop/file")


@pytest.mark.parametrize(
    ("declare", "why"),
    [
        (lambda s: s.agent("shop")(returned), "group/slug"),
        (lambda s: s.agent("all/x")(returned), "no group is named `all`"),
        (lambda s: s.agent("a/b", price_per_1k_usd=-1)(returned), "price_per_1k_usd"),
        (lambda s: s.agent("a/b", price_per_1k_usd="1e9")(returned), "a price must be"),
        (lambda s: s.agent("a/b", columns=["x", "x"])(returned), "declared twice"),
        (lambda s: s.agent("a/b", parameters={"n": {"type": int, "default": "x"}})(returned), "the default of"),
        (lambda s: s.agent("a/b", parameters={"n": {"typ": "integer"}})(returned), "unknown field `typ`"),
        (lambda s: s.agent("a/b", parameters={"n": {"default": object()}})(returned), "must be a JSON value"),
        (lambda s: s.agent("a/b")(lambda *rest: rest), "cannot be given by name"),
        (lambda s: s.agent("a/b")(lambda **rest: [rest]), "cannot be given by name"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused(service, declare, why):
    with pytest.raises(rh.errors.ConfigError, match=re.escape(why)):
        declare(service)


def test_the_command_line_serves_files_as_agents(tmp_path):
    (tmp_path / "rows.ndjson").write_text('{"a": 1}\n{"a": 2}\n')
    words = [sys.executable, "-m", "rowhaul", "serve", "--key", "k", "--agent", "shop/file=rows.ndjson"]
    program = subprocess.Popen([*words, "--agent-price", "5"], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        url = re.search(r"http://\S+", program.stdout.readline())[0]
        with rh.Client(url, "k") as client:
            assert client.run("shop/file", {}).to_dicts() == [{"a": 1}, {"a": 2}]
            assert client.agent("shop/file").price_per_1k_usd == 5
    finally:
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=20)
    done = subprocess.run([*words[:-1], "shop=x"], capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, "group/slug" in done.stderr) == (2, True)


EXIT = """
import threading
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


def test_times_of_numpy_in_any_unit_are_texts_and_a_missing_one_is_null(service):
    moment = np.datetime64("2024-01-02T03:04:05.123456789")
    row = {
        "nat": pd.NaT,
        "numpy_nat": np.datetime64("NaT"),
        "nanoseconds": moment,
        "month": np.datetime64("2024-01"),
        "several": np.array([moment, np.datetime64("NaT")]),
        "path": pathlib.PurePosixPath("a/b"),
    }
    service.agent("shop/times")(lambda: [row])
    assert given(service, "shop/times") == [
        {
            "nat": None,
            "numpy_nat": None,
            "nanoseconds": "2024-01-02T03:04:05.123456789",
            "month": "2024-01",
            "several": ["2024-01-02T03:04:05.123456789", None],
            "path": "a/b",
        }
    ]


@pytest.mark.parametrize("value", [np.timedelta64(5, "ns"), np.array([np.timedelta64(5, "D")]), MagicMock()])
def test_a_duration_of_numpy_and_a_mock_are_nothing_that_json_has_a_word_for(service, value):
    service.agent("shop/odd")(lambda: [{"a": value}])
    with pytest.raises(rh.errors.JobFailed, match="row 0, key `a`"):
        given(service, "shop/odd")


def test_an_agent_that_cancels_itself_has_failed(service):
    @service.agent("shop/quits")
    async def quits():
        raise asyncio.CancelledError

    with pytest.raises(rh.errors.JobFailed, match="CancelledError"):
        given(service, "shop/quits")

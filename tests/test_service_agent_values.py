"""The rows of own agents: what becomes of the values of Python, pandas and numpy, and what is refused."""

from __future__ import annotations

import datetime as dt
import enum
import json
import pathlib
import uuid
from decimal import Decimal
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest

import rowhaul as rh
from own_agents import body, given


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

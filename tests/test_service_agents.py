"""Functions that a local service offers as agents: their forms, parameters, columns, and where they are listed."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from decimal import Decimal
from typing import Annotated, Literal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rowhaul as rh
from own_agents import ROWS, body, given


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


def test_a_literal_in_the_signature_is_what_may_be_given(service):
    @service.agent("shop/sorted")
    def in_order(
        order: Annotated[Literal["asc", "desc"], "sorted so"],
        unit: Literal["km", "mi"] | None = None,
        size: Literal[1, 2] = 1,
    ):
        yield {"order": order, "unit": unit, "size": size}

    told = {name: (p.type, p.options) for name, p in service.client().agent("shop/sorted").parameters.items()}
    assert told == {"order": ("string", ("asc", "desc")), "unit": ("string", ("km", "mi")), "size": ("integer", ())}
    with pytest.raises(rh.errors.ApiError, match='`order`: must be one of "asc", "desc"'):
        given(service, "shop/sorted", {"order": "up"})
    assert given(service, "shop/sorted", {"order": "asc"}) == [{"order": "asc", "unit": None, "size": 1}]


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


def test_a_decorator_without_a_name_offers_nothing_and_says_so(service):
    with pytest.raises(TypeError, match=r'`@service.agent\("group/slug"\)`'):

        @service.agent
        def prices(sku: str):
            return [{"sku": sku}]


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_a_table_is_no_rows_and_is_told_how_to_become_some(service, table):
    service.agent("shop/prices")(lambda: table({"sku": ["a"]}))
    with pytest.raises(rh.errors.JobFailed, match=r"an agent gives dicts, not \w+: `json.loads"):
        given(service, "shop/prices")


def test_rows_of_another_run_are_rows(service):
    service.agent("shop/prices")(lambda: rh.read_json(b'[{"sku": "a"}]'))
    assert given(service, "shop/prices") == [{"sku": "a"}]


def test_a_series_of_dicts_is_rows(service):
    service.agent("shop/prices")(lambda: pl.Series([{"sku": "a"}, {"sku": "b"}]))
    assert given(service, "shop/prices") == [{"sku": "a"}, {"sku": "b"}]

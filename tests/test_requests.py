"""Requests as values: equal, hashable, picklable, checked when built."""

import copy
import dataclasses
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rowhaul as rh
from nine_requests import REQUESTS
from rowhaul.agents import Events, PincodeScraper, ReviewsScraper, VideoScraper

ROOT = Path(__file__).parent.parent
EVERY = [request for request, _ in REQUESTS]


@pytest.mark.parametrize("request_", EVERY, ids=lambda request: request.agent)
def test_a_dataclass_is_a_request_and_equals_the_one_of_the_same_params(request_):
    plain = rh.Request(request_.agent, request_.params)
    assert isinstance(request_, rh.Request)
    assert request_ == plain
    assert hash(request_) == hash(plain)


@pytest.mark.parametrize("request_", EVERY, ids=lambda request: request.agent)
def test_a_request_pickles_and_copies(request_):
    for request in (request_, rh.Request(request_.agent, request_.params)):
        for twin in (pickle.loads(pickle.dumps(request)), copy.copy(request), copy.deepcopy(request)):
            assert twin == request
            assert type(twin) is type(request)
            assert repr(twin) == repr(request)


@pytest.mark.parametrize("make", [list, tuple, iter, "series", "array", "arrow"])
def test_a_list_may_come_from_any_library(make):
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    make = {"series": pd.Series, "array": np.array, "arrow": pa.array}.get(make, make)
    request = Events(search_queries=make(["a", "b"]), max_results=np.int64(3))
    assert request.params == {"searchQueries": ["a", "b"], "maxResults": 3}


def test_what_has_no_order_of_its_own_is_no_list():
    import pandas as pd
    import polars as pl

    for queries in ({"a", "b"}, frozenset("ab"), pd.DataFrame({"town": ["a"]}), pl.DataFrame({"town": ["a"]})):
        with pytest.raises(rh.errors.InvalidParams, match=r"make a list of it|take one of its columns"):
            Events(search_queries=queries)
    assert Events(search_queries={"a": 1, "b": 2}.keys()).params["searchQueries"] == ["a", "b"]


def test_an_empty_list_says_no_more_than_none():
    asked = rh.agents.Events(search_queries=["jazz"], max_results=3)
    for nothing in ([], None):
        params = {"searchQueries": ["jazz"], "maxResults": 3, "startUrls": nothing}
        assert rh.Request("events/events", params) == asked
        assert rh.agents.Events(search_queries=["jazz"], start_urls=nothing, max_results=3) == asked
    with pytest.raises(rh.errors.InvalidParams, match="at least one of searchQueries, startUrls must hold something"):
        rh.agents.Events(search_queries=[], start_urls=[])


@pytest.mark.parametrize(
    ("agent", "params", "name"),
    [
        ("events/events", {"searchQueries": ["jazz"]}, "maxResults"),
        ("video/comment-scraper", {"startUrls": ["https://a.example/1"]}, "maxComments"),
        ("video/comment-scraper", {"startUrls": ["https://a.example/1"], "maxComments": 9}, "commentsSortBy"),
    ],
)
def test_an_empty_list_is_no_bound_that_was_not_given(agent, params, name):
    # Without a bound all rows would be billed.
    with pytest.raises(rh.errors.InvalidParams, match="not an array"):
        rh.Request(agent, {**params, name: []})


def test_a_request_that_was_refused_can_still_be_shown():
    assert repr(rh.Request.__new__(rh.Request)) == "Request()"


def test_the_dataclasses_are_as_the_catalogue_says():
    check = [sys.executable, str(ROOT / "python/generate_agents.py"), "--check"]
    done = subprocess.run(check, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_there_is_a_dataclass_for_each_agent_of_the_catalogue():
    agents = json.loads((ROOT / "src/catalogue/agents.json").read_text())["agents"]
    names = {getattr(rh.agents, name)._agent_name for name in rh.agents.__all__}
    assert names == {f"{agent['group']}/{agent['slug']}" for agent in agents}
    assert {request.agent for request in EVERY} == names


def test_defaults_are_the_specifications():
    request = VideoScraper(search_queries="jazz")
    assert request.params == {
        "searchQueries": ["jazz"],
        "maxResults": 50,
        "maxResultsShorts": 0,
        "maxResultStreams": 0,
    }


def test_fields_stand_normalised():
    reviews = ReviewsScraper(product_urls=[{"url": "https://Shop.example/Some-Name/dp/B0ABCDEFGH/ref=x?y=z"}])
    assert reviews.product_urls == ("https://shop.example/dp/B0ABCDEFGH",)
    assert reviews.max_reviews == 100
    assert Events(search_queries=["x"]).start_urls == ()


def test_a_request_does_not_change():
    request = Events(search_queries=["x"])
    with pytest.raises(AttributeError):
        request.max_results = 3
    plain = rh.Request("group/slug", {"a": [1], "b": {"c": 2}})
    with pytest.raises(AttributeError):
        plain.agent = "other/one"
    for change in (lambda p: p.update(a=2), lambda p: p["a"].append(2), lambda p: p["b"].pop("c")):
        with pytest.raises(TypeError, match="do not change"):
            change(plain.params)
    assert dataclasses.replace(request, max_results=3).params["maxResults"] == 3


@pytest.mark.parametrize(
    ("agent", "params", "field"),
    [
        ("events/events", {}, "searchQueries"),
        ("events/events", {"searchQueries": ["x"], "maxResults": -1}, "maxResults"),
        ("events/events", {"searchQueries": ["x"], "maxResults": 1.5}, "maxResults"),
        ("events/events", {"searchQueries": ["x"], "maxResults": True}, "maxResults"),
        ("events/events", {"searchQueries": ["x"], "maxResults": 10**30}, "maxResults"),
        ("events/events", {"searchQueries": ["x"], "maxResults": float("nan")}, "maxResults"),
        ("events/events", {"searchQueries": [b"x"]}, "searchQueries"),
        ("video/comment-scraper", {"startUrls": ["https://v.example/1"]}, "maxComments"),
        ("retail/bestsellers-scraper", {"categoryUrls": ["https://s.example/x"]}, "categoryUrls"),
        ("retail/pincode-scraper", {"products": ["B0ABCDEFGH"], "pincodes": ["12345"]}, "pincodes"),
        ("video/shorts-scraper", {"channels": ["@a"], "sortChannelShortsBy": "NEW"}, "sortChannelShortsBy"),
    ],
)
def test_a_broken_rule_names_its_field(agent, params, field):
    with pytest.raises(rh.errors.InvalidParams) as caught:
        rh.Request(agent, params)
    assert caught.value.field == field
    assert caught.value.reason
    assert field in str(caught.value)
    assert caught.value.outcome == "not_sent"


@pytest.mark.parametrize("value", ["\ud800", ["jazz \udfff"], {"deep": ["\ud83c"]}])
def test_half_of_a_surrogate_pair_is_no_text(value):
    with pytest.raises(rh.errors.InvalidParams, match="surrogate") as caught:
        rh.Request("my/agent", {"query": value})
    assert caught.value.field in {"query", "deep"}


def test_a_misspelt_parameter_is_answered_with_the_near_one():
    with pytest.raises(rh.errors.InvalidParams) as caught:
        rh.Request("events/events", {"searchQuery": ["x"]})
    assert caught.value.hint == "did you mean `searchQueries`?"


def test_a_parameter_that_is_spelt_well_and_has_a_bad_value_is_not_answered_with_another():
    with pytest.raises(rh.errors.InvalidParams) as caught:
        rh.Request("video/video-scraper", {"maxResults": "x"})
    assert (caught.value.field, caught.value.hint) == ("maxResults", None)


def test_an_agent_that_is_not_known_takes_any_params():
    params = {"a": [1, 2.5, None, True], "b": {"c": "d"}, "big": 2**63}
    assert rh.Request("group/slug", params).params == params


@pytest.mark.parametrize("name", ["events", "a/b/c", "/x", "x/", "../x", "a/\n"])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(rh.errors.RowhaulError, match="group"):
        rh.Request(name, {})


def test_a_pincode_is_six_ascii_digits():
    with pytest.raises(ValueError, match="six ASCII digits"):
        PincodeScraper(products=["B0ABCDEFGH"], pincodes=["١١٠٠٠١"])


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_the_params_of_any_agent_arrive_as_they_are(params):
    request = rh.Request("group/slug", params)
    assert request.params == params
    assert hash(request) == hash(pickle.loads(pickle.dumps(request)))
    hash(request.params)

"""Recorded runs: what a real service answered is answered again without it."""

from __future__ import annotations

import contextlib
import json
from decimal import Decimal

import pytest

import rowhaul as rh

KEY = "rh_live_the-key-of-the-real-one"
JAZZ = rh.agents.Events(search_queries=["jazz"], max_results=5)


@pytest.fixture
def real():
    """Give a service that stands for the real one."""
    with rh.LocalService(clock="instant", seed=5, api_key=KEY) as real:
        yield real


@pytest.fixture
def recorded(real, tmp_path):
    """Give a function that runs requests at the real service and gives the cassette."""

    def record(*requests):
        path = tmp_path / "runs.ndjson"
        with rh.LocalService() as service, real.client() as client:
            service.record(client, path)
            for request in requests:
                with contextlib.suppress(rh.errors.JobFailed):
                    service.client().run(request)
        return path

    return record


def test_a_recorded_run_is_answered_without_the_real_service_at_its_price(real, recorded, service):
    path = recorded(JAZZ)
    assert [start.agent for start in real.starts] == ["events/events"]
    rows = real.client().run(JAZZ).to_dicts()
    real.stop()
    service.replay(path)
    assert service.client().run(JAZZ).to_dicts() == rows
    assert service.balance_usd == Decimal("99.95")


def test_what_was_not_recorded_is_refused_and_other_agents_are_as_they_are(recorded, service):
    service.replay(recorded(JAZZ))
    client = service.client()
    with pytest.raises(
        rh.errors.NotFound, match="no run of events/events with these parameters was recorded"
    ) as caught:
        client.run(rh.agents.Events(search_queries=["opera"], max_results=5))
    assert caught.value.code == "not_recorded"
    assert service.starts == []
    request = rh.agents.PincodeScraper(products=["B0ABCDEFGH"], pincodes=["110001"])
    assert len(client.run(request)) == 1


def test_each_value_is_written_as_it_came(real, recorded, service):
    body = {"big": 2**70, "price": Decimal("1.10"), "text": "\u2028 é", "none": None, "nested": [{"a": []}]}
    real.agent("shop/values", price_per_1k_usd=3)(lambda: [body, {"late": True}])
    service.replay(recorded(rh.Request("shop/values", {})))
    job = service.client().start("shop/values", {})
    job.wait()
    job.download(path := recorded().with_name("raw.json"))
    assert '"price":1.10' in path.read_text()
    data = json.loads(path.read_text(), parse_float=Decimal)["data"]
    assert data == [body, {"late": True}]
    assert service.client().agent("shop/values").price_per_1k_usd == 3


def test_a_failure_is_recorded_and_fails_again(real, recorded, service):
    real.agent("shop/bad")(lambda: 1 / 0)
    service.replay(recorded(rh.Request("shop/bad", {})))
    with pytest.raises(rh.errors.JobFailed, match="division by zero"):
        service.client().run("shop/bad", {})
    assert service.charges == []


def test_of_equal_runs_the_last_is_answered_and_a_cassette_is_added_to(real, recorded, service):
    answers = iter(["first", "second"])
    real.agent("shop/turns")(lambda: [{"turn": next(answers)}])
    recorded(rh.Request("shop/turns", {}), JAZZ)
    path = recorded(rh.Request("shop/turns", {}))
    service.replay(path)
    for _ in range(2):
        assert service.client().run("shop/turns", {}).to_dicts() == [{"turn": "second"}]
    assert len(service.client().run(JAZZ)) == 5


def test_no_key_and_no_header_is_in_a_cassette(real, recorded):
    real.agent("shop/echo")(lambda: [{"header": f"Bearer {KEY}", KEY: [KEY]}])
    text = recorded(rh.Request("shop/echo", {}), JAZZ).read_text()
    assert KEY not in text
    assert "[redacted]" in text
    assert real.url.rpartition("/")[2] not in text
    heads = [line for line in map(json.loads, text.splitlines()) if "params" in line]
    assert {frozenset(head) for head in heads} == {
        frozenset({"agent", "params", "price_per_1k_usd", "status", "error", "rows"})
    }


@pytest.mark.parametrize("text", ["", "{}\n", "not json\n", '{"a": 1}\n', '{"cassette": 2}\n'])
def test_a_file_that_is_no_cassette_is_refused_and_left_alone(service, tmp_path, real, text):
    path = tmp_path / "other.ndjson"
    path.write_text(text)
    with pytest.raises(rh.errors.ConfigError, match="not a cassette"):
        service.replay(path)
    if text:
        with real.client() as client, pytest.raises(rh.errors.ConfigError, match="not a cassette"):
            service.record(client, path)
        assert path.read_text() == text


def test_a_cassette_that_is_cut_off_is_refused(recorded, service):
    path = recorded(JAZZ)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(rh.errors.ConfigError, match="cut off"):
        service.replay(path)
    with pytest.raises(FileNotFoundError):
        service.replay(path.with_name("none.ndjson"))

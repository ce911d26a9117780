"""The clocks of a local service, as its clients go by them: pauses that it asks for, limits a minute."""

from __future__ import annotations

import asyncio
import gc
import threading
from datetime import UTC, datetime, timedelta

import pytest

import rowhaul as rh
from rowhaul import faults

EPOCH = datetime(2026, 11, 1, tzinfo=UTC)
JAZZ = rh.agents.Events(search_queries=["jazz"], max_results=2)


@pytest.mark.parametrize(
    ("on", "code", "asked"),
    [("run", 429, 30), ("run", 503, 40), ("results", 429, "Sun, 01 Nov 2026 00:01:00 GMT"), ("results", 500, None)],
)
def test_on_an_instant_clock_a_pause_takes_no_time_and_turns_the_clock(service, on, code, asked):
    service.inject(on, faults.Status(code, retry_after=asked), times=2)
    client = service.client()
    assert len(client.run(JAZZ)) == 2
    assert [request.fault for request in service.requests].count("status") == 2
    assert client.start(JAZZ).created_at > EPOCH
    assert len(service.starts) == len(service.charges) == 2


def test_on_an_instant_clock_the_next_minute_comes_when_it_is_waited_for():
    with rh.LocalService(clock="instant", requests_per_minute=3) as service:
        client = service.client()
        for _ in range(5):
            assert len(client.run(JAZZ)) == 2
        assert 429 in [request.status for request in service.requests]
        first, *_, last = service.starts
        assert last.created_at - first.created_at >= timedelta(minutes=2)
        assert asyncio.run(service.async_client().balance()) == service.balance_usd


def test_a_pause_longer_than_the_call_may_take_is_told_on_any_clock(service):
    service.inject("run", faults.Status(429, retry_after=30))
    client = service.client()
    with pytest.raises(rh.errors.RateLimited) as caught:
        client.run(JAZZ, timeout=10)
    assert caught.value.retry_after == 30
    assert len(client.run(JAZZ)) == 2


def test_turning_a_manual_clock_ends_the_pauses_that_the_service_asked_for(held):
    held.inject("balance", faults.Status(429, retry_after=110))
    client, told = held.client(), []
    waiting = threading.Thread(target=lambda: told.append(client.balance()))
    waiting.start()
    while waiting.is_alive():
        held.advance(110)
        waiting.join(0.05)
    assert told == [100]
    assert [request.status for request in held.requests] == [429, 200]


def test_a_notebook_shows_where_a_service_is_and_what_has_happened(service):
    service.client().run(JAZZ)
    html = service._repr_html_()
    for shown in (service.url, "instant", "99.98", "0.02"):
        assert f"<td>{shown}</td>" in html
    assert service.api_key not in html
    assert service.clock == "instant"


def test_no_pause_of_a_run_takes_real_time_on_an_instant_clock():
    with rh.LocalService(clock="instant") as service:
        service.agent("own/words", price_per_1k_usd=2)(lambda: [{"a": 1}])
        # Longer than the run may take, were it waited for.
        service.inject("agent", faults.Status(429, retry_after=100))
        service.inject("results", faults.Status(404), times=4)
        rows = service.client().run("own/words", {}, timeout=60)
        assert (len(rows), rows.job.cost_usd) == (1, None)


def test_a_client_keeps_its_service():
    client = rh.LocalService(clock="instant").client()
    gc.collect()
    assert len(client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 3})) == 3

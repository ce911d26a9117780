"""Running agents: all nine, in both path forms, blocking and awaited."""

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import pytest

import rowhaul as rh
from nine_requests import REQUESTS

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 5}
NAMES = [request.agent for request, _ in REQUESTS]


@pytest.mark.parametrize(("request_", "most"), REQUESTS, ids=NAMES)
def test_each_agent_brings_rows_within_its_bound(client, request_, most):
    rows = client.run(request_)
    assert 0 < len(rows) <= most
    assert rows.job.row_count == len(rows)
    assert rows.job.agent == request_.agent


@pytest.mark.parametrize(("request_", "most"), REQUESTS, ids=NAMES)
def test_each_agent_tells_what_its_run_cost_and_is_asked_for_its_price_once_at_most(drive, service, request_, most):
    client = drive(service)
    rows = client.run(request_)
    haul = client.run_many([request_] * 3)
    assert rows.job.cost_usd == service.charges[0].amount_usd > 0
    assert haul.cost_usd == 3 * rows.job.cost_usd
    assert [entry.cost_usd for entry in client.jobs()] == [rows.job.cost_usd] * 4
    asked = [request.path for request in service.requests if "/agents/" in request.path and request.method == "GET"]
    # Only the price of the events agent is in the specification.
    assert len(asked) == (request_.agent != "events/events")


@pytest.mark.parametrize(("request_", "most"), REQUESTS, ids=NAMES)
def test_each_agent_runs_in_the_data_form(drive, service, request_, most):
    if isinstance(request_, rh.agents.Events):
        assert service.client(paths="agents").run(request_).to_dicts() != []
    rows = drive(service, paths="data").run(request_)
    assert 0 < len(rows) <= most
    (results,) = [request.path for request in service.requests if request.path.endswith("/results")][-1:]
    assert results.startswith("/v1/jobs/")


def test_a_name_and_its_params_are_as_good_as_a_request(client):
    assert client.run("events/events", EVENTS).to_dicts() == client.run(rh.Request("events/events", EVENTS)).to_dicts()


def test_a_request_takes_no_params_beside_its_own(client):
    with pytest.raises(TypeError, match="`params` goes with an agent's name only"):
        client.run(rh.Request("events/events", EVENTS), EVENTS)


def test_the_events_agent_has_its_29_columns_first(client):
    rows = client.run("events/events", EVENTS)
    agents = json.loads((Path(__file__).parent.parent / "src/catalogue/agents.json").read_text())["agents"]
    declared = [column["name"] for agent in agents for column in agent.get("columns", [])]
    assert rows.columns[:29] == declared


def test_several_searches_are_one_table_that_names_them(client):
    rows = client.run("events/events", {"searchQueries": ["jazz", "opera"], "maxResults": 3})
    assert len(rows) == 6
    named = [name for name in rows.columns[29:] if {"jazz", "opera"} == set(rows[name])]
    assert len(named) == 1, rows.columns


def test_a_job_is_started_waited_for_and_read(client):
    job = client.start("events/events", EVENTS)
    assert job.wait(timeout=30).status == "completed"
    rows = job.rows()
    assert len(rows) == job.row_count == 5
    assert job.cost_usd == Decimal("0.05")
    assert isinstance(job.cost_usd, Decimal)


def test_a_jobs_times_are_aware(client):
    job = client.start("events/events", EVENTS)
    job.refresh()
    assert isinstance(job.created_at, dt.datetime)
    assert job.created_at.utcoffset() is not None
    assert job.expires_at is None or job.expires_at > job.created_at
    assert isinstance(job.extra, dict)


def test_a_job_is_taken_up_again_by_its_id_and_that_sends_nothing(client, service):
    started = client.start("events/events", EVENTS)
    before = len(service.requests)
    job = client.job(started.id, "events/events")
    assert len(service.requests) == before
    assert (job.id, job.row_count) == (started.id, None)
    job.wait()
    assert len(job.rows()) == 5


def test_a_job_that_waits_is_cancelled(drive, held):
    client = drive(held)
    job = client.start("events/events", EVENTS)
    assert job.cancel().status == "cancelled"
    assert held.charges == []


def test_the_body_is_downloaded_as_sent(client, tmp_path):
    job = client.start("events/events", EVENTS)
    job.wait()
    path = tmp_path / "raw.json"
    assert job.download(path) == path.stat().st_size
    assert rh.read_json(path).to_dicts() == job.rows().to_dicts()


def test_a_body_that_only_the_end_of_the_connection_ends_is_fetched_again_where_it_is_cut(client, service, tmp_path):
    job = client.start("events/events", EVENTS)
    job.wait()
    path = tmp_path / "raw.json"
    service.inject("results", rh.faults.Cut(0.5, "close"))
    assert job.download(path) == path.stat().st_size
    assert rh.read_json(path).to_dicts() == job.rows().to_dicts()


def test_the_account_is_billed_by_the_row_and_once(client, service):
    client.run("events/events", EVENTS)
    assert client.balance() == Decimal("99.95")
    assert [(charge.rows, charge.amount_usd) for charge in service.charges] == [(5, Decimal("0.05"))]
    assert len(service.starts) == 1


def test_an_estimate_bounds_rows_and_cost_and_starts_nothing(client, service):
    estimate = client.estimate("events/events", {"searchQueries": ["a", "b"], "maxResults": 100})
    assert estimate.max_rows == 200
    assert estimate.price_per_1k_usd == 10
    assert estimate.max_cost_usd == 2
    assert estimate.balance_usd == 100
    assert client.estimate("events/events", {"searchQueries": ["a"]}).max_rows is None
    assert service.starts == []


def test_groups_and_agents_are_listed_and_described(client):
    assert {"events", "video", "retail"} <= set(client.groups())
    assert {agent.id for agent in client.agents()} == set(NAMES)
    assert {agent.id for agent in client.agents("events")} == {"events/events"}
    agent = client.agent("events/events")
    assert agent.price_per_1k_usd == Decimal(10)
    assert list(agent.parameters) == ["searchQueries", "startUrls", "maxResults"]
    assert agent.parameters["searchQueries"].type == "array"


def test_dates_are_read_only_when_asked(client):
    assert client.run("events/events", EVENTS).schema["startDate"] == "string"
    rows = client.run("events/events", EVENTS, parse_dates=["startDate"])
    assert rows.schema["startDate"].startswith("timestamp")


def test_a_closed_client_says_so(service):
    with service.client() as client:
        client.balance()
    with pytest.raises(rh.errors.ConfigError, match="closed"):
        client.balance()


def test_a_wait_for_a_job_that_was_completed_at_once_tells_what_it_came_to(client, service):
    job = client.start("events/events", EVENTS)
    assert (job.status, job.row_count) == ("completed", None)
    job.wait()
    assert (job.row_count, job.cost_usd) == (5, Decimal("0.05"))
    assert job.completed_at is not None
    assert job.expires_at is not None
    asked = len(service.requests)
    assert job.wait().row_count == 5
    assert len(service.requests) == asked
    service.inject("status", rh.faults.Status(403))
    job = client.start("events/events", EVENTS).wait()
    assert job.status == "completed"
    assert "what came of it is not known: " in job.notes[0]


def test_what_came_of_a_job_is_not_waited_for(scripted, ledger):
    scripted.answers["start"] = lambda answer: answer(202, b'{"job_id": "j1", "status": "completed"}')
    scripted.answers["status"] = scripted.never
    client = scripted.client(ledger, request_timeout=0.2)
    job = client.start("events/events", EVENTS).wait()
    assert (job.status, job.row_count, scripted.asked["status"].is_set()) == ("completed", None, True)
    assert len(job.rows()) == 3
    scripted.asked["status"].clear()
    assert client.job("j1").wait().row_count == 3
    assert not scripted.asked["status"].is_set()

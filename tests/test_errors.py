"""Errors: which class, which attributes, and that they travel."""

import inspect
import json
import pickle
import re
from functools import partial
from pathlib import Path

import pytest

import rowhaul as rh
from rowhaul import errors

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 5}
CLASSES = [getattr(errors, name) for name in errors.__all__]

#: The tree, as it is documented: each class with its parent.
TREE = {
    "RowhaulError": "Exception",
    **dict.fromkeys(
        ["ConfigError", "InvalidParams", "BudgetExceeded", "LedgerError", "Unsupported", "InternalError"],
        "RowhaulError",
    ),
    **dict.fromkeys(["TransportError", "BadResponse", "ApiError", "StartUncertain", "JobError"], "RowhaulError"),
    **dict.fromkeys(["ConnectError", "ReadError", "RequestTimeout"], "TransportError"),
    "DecodeError": "BadResponse",
    **dict.fromkeys(
        [
            "AuthenticationError",
            "InsufficientBalance",
            "PermissionDenied",
            "NotFound",
            "Conflict",
            "RateLimited",
            "ServerError",
        ],
        "ApiError",
    ),
    **dict.fromkeys(["JobFailed", "JobTimeout", "ResultsNotReady"], "JobError"),
}


def test_the_tree_is_the_documented_one():
    found = {cls.__name__: cls.__bases__[0].__name__ for cls in CLASSES}
    assert found == TREE
    defined = [name for name, cls in vars(errors).items() if inspect.isclass(cls) and issubclass(cls, Exception)]
    assert sorted(defined) == errors.__all__


def test_what_took_too_long_is_a_timeout_of_pythons_too():
    builtin = {cls.__name__ for cls in CLASSES if issubclass(cls, TimeoutError)}
    assert builtin == {"RequestTimeout", "JobTimeout"}
    with rh.LocalService(clock="manual") as service, service.client() as client:
        job = client.start("events/events", EVENTS)
        with pytest.raises(TimeoutError) as caught:
            job.wait(timeout=0.01)
    assert (type(caught.value), caught.value.job_id) == (rh.errors.JobTimeout, job.id)
    assert caught.value.errno is None
    assert job.id in str(caught.value)


def test_rust_names_no_class_that_python_has_not():
    source = (Path(__file__).parent.parent / "src/bindings/raise.rs").read_text()
    named = set(re.findall(r'"([A-Z][A-Za-z]+(?:Error|Params|Exceeded|Balance|Denied|Found|Limited|Failed))"', source))
    assert named <= set(TREE), named - set(TREE)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_an_error_pickles_with_all_it_knows(cls):
    known = {name: f"the {name}" for parent in cls.__mro__ for name in parent.__dict__.get("_fields", {})}
    error = cls("it broke", **known)
    error.add_note("a note")
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is cls
    assert vars(twin) == vars(error)
    assert str(twin) == str(error) == "it broke\nhint: the hint"


def test_an_attribute_that_a_class_has_not_is_refused():
    with pytest.raises(TypeError, match="ConfigError has no row"):
        errors.ConfigError("x", row=1)


def test_a_wrong_key_is_an_authentication_error_that_does_not_show_it(service):
    client = rh.Client(service.url, "canary-0123456789-canary")
    with pytest.raises(errors.AuthenticationError) as caught:
        client.balance()
    assert (caught.value.status_code, caught.value.outcome) == (401, "rejected")
    assert "canary" not in f"{caught.value} {vars(caught.value)}"


def test_what_is_left_is_told_as_it_is_after_other_runs(drive):
    with rh.LocalService(clock="instant", balance_usd="0.5", extras="none") as service:
        client = drive(service)
        for rows, left in [(60, "0.5"), (30, "0.2")]:
            with pytest.raises(rh.errors.InsufficientBalance, match=f"available: {left} USD"):
                client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 60})
            client.run("events/events", {"searchQueries": ["jazz"], "maxResults": rows // 2})


def test_an_empty_balance_refuses_the_start(drive):
    with rh.LocalService(clock="instant", balance_usd="0.01") as service:
        with pytest.raises(errors.InsufficientBalance) as caught:
            drive(service).run("events/events", EVENTS)
        assert (caught.value.status_code, caught.value.outcome) == (402, "rejected")
        assert service.charges == []


def test_an_unknown_agent_is_answered_with_a_near_name(client):
    with pytest.raises(errors.NotFound) as caught:
        client.run("events/event", {})
    assert "events/events" in str(caught.value)


def test_an_unknown_job_is_not_found(client):
    with pytest.raises(errors.NotFound) as caught:
        client.job("no-such-job").refresh()
    assert caught.value.job_id == "no-such-job"


def test_what_the_catalogue_cannot_check_the_service_refuses_naming_the_field(service):
    client = service.client(groups={"events": "events"})
    with pytest.raises(errors.InvalidParams) as caught:
        client.run("events/events", {"searchQueries": ["x"], "maxResults": "many"})
    assert caught.value.field == "maxResults"


def test_a_cap_is_checked_before_anything_is_started(client, service):
    with pytest.raises(errors.BudgetExceeded):
        client.run("events/events", {"searchQueries": ["x"], "maxResults": 1000}, max_cost_usd=1)
    with pytest.raises(errors.BudgetExceeded):
        client.run("events/events", {"searchQueries": ["x"]}, max_cost_usd=1)
    assert service.starts == []
    assert len(client.run("events/events", EVENTS, max_cost_usd="0.05")) == 5


def test_a_job_that_goes_on_beyond_the_deadline_is_a_timeout_with_its_id(drive, held):
    client = drive(held)
    with pytest.raises(errors.JobTimeout) as caught:
        client.run("events/events", EVENTS, timeout=0.3)
    job_id = caught.value.job_id
    assert job_id == held.starts[0].job_id
    assert caught.value.outcome == "accepted"
    held.advance(60)
    job = client.job(job_id, "events/events")
    assert len(job.wait(timeout=10).rows()) == 5
    assert len(held.starts) == 1


def test_rows_asked_for_too_early_are_not_ready(drive, held):
    job = drive(held).start("events/events", EVENTS)
    with pytest.raises(errors.ResultsNotReady) as caught:
        job.rows()
    assert caught.value.job_id == job.id


def test_nobody_there_is_a_connect_error_and_nothing_was_sent():
    with rh.LocalService() as service:
        client = service.client()
    with pytest.raises(errors.ConnectError) as caught:
        client.start("events/events", EVENTS)
    assert caught.value.outcome == "not_sent"
    assert caught.value.attempts >= 1


@pytest.mark.parametrize(
    ("base_url", "key"),
    [
        ("http://rowhaul.example", "key-123456"),
        ("ftp://rowhaul.example", "key-123456"),
        ("https://user:canary@rowhaul.example", "key-123456"),
        ("https://rowhaul.example", "canary 123456"),
        ("https://rowhaul.example", "Bearer canary-123456"),
        ("https://rowhaul.example", "canary\n123456"),
    ],
)
def test_an_address_or_key_that_cannot_be_is_refused_without_showing_it(base_url, key):
    with pytest.raises(errors.ConfigError) as caught:
        rh.Client(base_url, key)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("address", ["127.0.0.1:80", "localhost:80", "api.example.com", "ftp://api.example.com"])
def test_an_address_without_a_scheme_is_told_which_it_needs(address):
    with pytest.raises(rh.errors.ConfigError, match="must start with `https://` or `http://`"):
        rh.Client(address, "k")


def test_a_job_is_named_by_its_id_and_nothing_else(drive, service):
    client = drive(service)
    for take in (client.job, client.forget, partial(client.adopt, None)):
        with pytest.raises(TypeError, match="`job_id` must be a string, not int"):
            take(5)


def test_without_settings_the_error_names_both_ways_out(monkeypatch):
    monkeypatch.delenv("ROWHAUL_BASE_URL", raising=False)
    monkeypatch.delenv("ROWHAUL_API_KEY", raising=False)
    with pytest.raises(errors.ConfigError, match=r"(?s)ROWHAUL_BASE_URL.*LocalService"):
        rh.Client()


def test_the_environment_is_what_a_client_takes_its_settings_from(monkeypatch, service):
    monkeypatch.setenv("ROWHAUL_BASE_URL", service.url + "/api/v1")
    monkeypatch.setenv("ROWHAUL_API_KEY", service.api_key)
    assert rh.Client().balance() == 100


def test_rows_before_the_fault_are_handed_over_and_travel():
    with pytest.raises(errors.DecodeError) as caught:
        rh.read_json(b'[{"a": 1}, {"a": 2}, {"a"')
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.rows.to_dicts() == [{"a": 1}, {"a": 2}]
    assert error.row == 2
    assert error.byte_offset > 20


def test_a_stream_whose_rows_are_not_all_there_names_its_job(scripted, ledger):
    body = b'{"status": "completed", "row_count": 5, "data": [{"n": 1}, {"n": 2}]}'
    scripted.answers["results"] = lambda answer: answer(200, body)
    job = scripted.client(ledger).start("events/events", EVENTS).wait()
    with pytest.raises(errors.DecodeError) as caught:
        next(iter(job.stream()))
    assert caught.value.job_id == "j1"
    assert "j1" in str(caught.value)
    assert 'client.job("j1").download(path)' in str(caught.value)
    assert caught.value.rows["n"].to_list() == [1, 2]


@pytest.mark.parametrize(("body", "is_hinted"), [(b"404 page not found", False), (b"<!doctype html><p>Hello", True)])
def test_a_page_where_the_service_should_be_is_hinted_at_and_plain_text_is_none(scripted, tmp_path, body, is_hinted):
    scripted.answers["status"] = lambda answer: answer(404, body)
    with scripted.client(tmp_path / "ledger.sqlite") as client, pytest.raises(rh.errors.NotFound) as caught:
        client.agent("shop/prices")
    assert ("is `base_url` right" in str(caught.value)) is is_hinted


def test_an_address_with_a_wrong_path_is_hinted_at_whatever_is_asked(service):
    with rh.Client(service.url + "/foo", service.api_key, ledger=False) as client:
        for ask in (
            lambda: client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 1}),
            lambda: client.agent("events/events"),
            client.agents,
            lambda: client.agents("events"),
            client.groups,
            client.balance,
        ):
            with pytest.raises(rh.errors.NotFound, match=r"is `base_url` right \(`http://.*/foo`\)"):
                ask()
    assert service.starts == []


def test_an_agent_that_nobody_knows_is_hinted_to_the_list(client):
    with pytest.raises(rh.errors.NotFound, match=r"`client.agents\(\)` lists those there are"):
        client.agent("xyzzy/q")


def test_a_job_that_is_not_there_is_not_said_to_be_taken_up_again(client):
    with pytest.raises(rh.errors.NotFound) as caught:
        client.job("nope").refresh()
    assert "takes it up again" not in str(caught.value)


@pytest.mark.parametrize(("status", "error"), [(401, rh.errors.AuthenticationError), (403, rh.errors.PermissionDenied)])
def test_a_list_of_agents_that_is_refused_is_not_taken_for_a_wrong_address(service, client, status, error):
    service.inject("agents", rh.faults.Status(404))
    service.inject("agents", rh.faults.Status(status))
    with pytest.raises(error):
        client.agents()


@pytest.mark.parametrize(("used", "cost"), [({"credits_used": 0.5}, None), ({}, 0)])
def test_what_a_failed_job_cost_is_not_made_up_when_it_is_taken_up_again(scripted, tmp_path, used, cost):
    record = {"job_id": "j1", "status": "failed", **used}
    scripted.answers["status"] = lambda answer: answer(200, json.dumps(record).encode())
    with scripted.client(tmp_path / "ledger.sqlite") as client:
        with pytest.raises(rh.errors.JobFailed):
            client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 3})
        assert (client.job("j1").cost_usd, client.jobs()[0].cost_usd) == (cost, cost)


@pytest.mark.parametrize("body", [b"[1]", b"5", b'"usd"', b'[{"usd_remaining": 1}]'])
def test_an_answer_that_is_no_object_is_no_balance_however_much_it_looks_like_one(scripted, body):
    scripted.answers["list"] = scripted.answers["status"] = lambda answer: answer(200, body)
    client = scripted.client(False)
    for ask in (client.groups, client.agents, lambda: client.agent("a/b"), lambda: client.job("j1").refresh()):
        with pytest.raises(rh.errors.BadResponse, match="not what the contract says: no object"):
            ask()
    scripted.answers["status"] = lambda answer: answer(200, b'{"agents": [["g", "s", "n", "d", 1]]}')
    with pytest.raises(rh.errors.BadResponse, match="an agent in the list is no object"):
        client.agents()


def test_too_many_columns_are_hinted_to_the_option_and_not_to_a_file(client):
    request = ("events/events", {"searchQueries": ["jazz"], "maxResults": 3})
    with pytest.raises(rh.errors.DecodeError, match=r"`client.job\(\".*\"\).rows\(max_columns=…\)` reads them"):
        client.run(*request, max_columns=3)


@pytest.mark.parametrize("name", ["events", "Events/Events", "events/event"])
def test_a_name_that_comes_near_an_agents_is_hinted_to_that(client, name):
    with pytest.raises(rh.errors.RowhaulError, match="near names: `events/events`"):
        client.run(name, {"searchQueries": ["jazz"], "maxResults": 3})


def test_a_name_that_no_cap_can_be_kept_for_is_hinted_to_a_near_one(client):
    with pytest.raises(rh.errors.BudgetExceeded, match="near names: `events/events`"):
        client.run("events/evnts", {"searchQueries": ["a"]}, max_cost_usd=1)


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:9", "https://127.0.0.1:9"])
def test_a_file_of_authorities_is_looked_at_when_the_client_is_made(tmp_path, base_url):
    (tmp_path / "empty.pem").write_text("")
    for file in ("none.pem", "empty.pem"):
        with pytest.raises(rh.errors.ConfigError, match="`ca_file`"):
            rh.Client(base_url, "key-123456", ca_file=tmp_path / file, ledger=False)


def test_a_job_that_the_service_does_not_know_after_its_start_is_hinted_to_what_takes_it_up(scripted, ledger):
    scripted.answers["status"] = lambda answer: answer(404, b"{}")
    with scripted.client(ledger) as client, pytest.raises(rh.errors.NotFound, match="takes it up again") as caught:
        client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 3}, timeout=0.5)
    assert (caught.value.job_id, caught.value.outcome) == ("j1", "accepted")

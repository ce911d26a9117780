"""Faults on request: what the clients make of them, both of them, and what the service then shows."""

from __future__ import annotations

import gzip
import inspect
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest

import rowhaul as rh
from rowhaul import faults
from rowhaul.service import Extra, Operation

REQUEST = rh.agents.Events(search_queries=["jazz"], max_results=5)


def played(service):
    return [request.fault for request in service.requests if request.fault]


def test_a_start_that_was_refused_with_a_time_to_come_again_is_made_again_and_paid_once(service, client):
    trouble = service.inject("run", faults.Status(503, retry_after=0), times=2)
    assert len(client.run(REQUEST)) == 5
    assert trouble.hits == 2
    assert len(service.charges) == 1
    assert played(service) == ["status", "status"]


@pytest.mark.parametrize("fault", [faults.Reset(), faults.Close(), faults.Status(502, "html")], ids=repr)
def test_a_start_whose_answer_is_lost_is_uncertain_whether_it_was_applied_or_not(service, client, fault):
    service.inject("run", fault)
    with pytest.raises(rh.errors.StartUncertain) as raised:
        client.run(REQUEST)
    assert raised.value.outcome == "unknown"
    assert (len(service.starts), len(service.charges)) == (0, 0)
    service.inject("run", type(fault)(**{**vars(fault), "applied": True}))
    with pytest.raises(rh.errors.StartUncertain):
        client.run(REQUEST)
    assert (len(service.starts), len(service.charges)) == (1, 1)


@pytest.mark.parametrize(
    "fault",
    [
        faults.Reset(),
        faults.Close(),
        faults.Cut(0.5),
        faults.Cut(100, "chunked"),
        faults.Status(500),
        faults.Status(504, "html"),
        faults.Status(429, retry_after=0),
        faults.Status(429, retry_after=0, retry_after_in="body"),
        faults.Malformed("chunk_size"),
        faults.Encoding("zstd", corrupt=True),
        faults.Bomb("gzip"),
    ],
    ids=repr,
)
def test_results_that_go_wrong_once_are_fetched_again(service, client, fault):
    trouble = service.inject("results", fault)
    assert len(client.run(REQUEST)) == 5
    assert trouble.hits == 1
    assert len(service.charges) == 1


@pytest.mark.parametrize(
    "fault",
    [
        faults.Encoding("gzip"),
        faults.Encoding("zstd"),
        faults.Drip(500, 0.001),
        faults.ContentType("text/plain"),
        faults.ContentType(),
        faults.Hang(0.01),
        faults.Stall(0.5, 0.01),
    ],
    ids=repr,
)
def test_results_that_come_in_an_odd_way_are_read(service, client, fault):
    service.inject("results", fault)
    assert len(client.run(REQUEST)) == 5
    assert [request.path.endswith("results") for request in service.requests].count(True) == 1


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (faults.Fields(row_count=7), rh.errors.BadResponse),
        (faults.Missing("data"), rh.errors.BadResponse),
        (faults.Status(200, "html"), rh.errors.BadResponse),
        (faults.Status(200, text=""), rh.errors.BadResponse),
        (faults.Encoding("gzip", corrupt=True), rh.errors.BadResponse),
        (faults.Bomb("gzip"), rh.errors.BadResponse),
        (faults.Malformed("double_length"), rh.errors.BadResponse),
        (faults.Status(410), rh.errors.NotFound),
        (faults.Status(307, headers={"Location": "http://elsewhere.example/"}), rh.errors.BadResponse),
    ],
    ids=repr,
)
def test_results_that_stay_wrong_are_an_error_that_names_the_job(service, drive, fault, error):
    client = drive(service, max_response_bytes=100_000_000)
    service.inject("results", fault, times=None)
    with pytest.raises(error) as raised:
        client.run(REQUEST)
    assert raised.value.job_id == service.starts[0].job_id
    assert len(service.charges) == 1


@pytest.mark.parametrize("fetch", ["rows", "stream", "download"])
def test_rows_so_much_alike_that_they_look_like_a_bomb_are_fetched_without_an_encoding(scripted, tmp_path, fetch):
    rows = b",".join([b'{"id":1,"name":null}'] * 900_000)
    body = b'{"status":"completed","row_count":900000,"data":[' + rows + b"]}"
    asked = []

    def results(answer):
        asked.append(answer.__self__.headers["accept-encoding"])
        encoded = {"headers": {"content-encoding": "gzip"}} if "gzip" in asked[-1] else {}
        answer(200, gzip.compress(body, 9) if encoded else body, **encoded)

    scripted.answers["results"] = results
    with scripted.client(tmp_path / "ledger") as client:
        job = client.start(REQUEST)
        job.wait()
        if fetch == "rows":
            assert len(job.rows()) == 900_000
        elif fetch == "stream":
            assert sum(len(batch) for batch in job.stream()) == 900_000
        else:
            job.download(tmp_path / "rows.json")
            assert (tmp_path / "rows.json").read_bytes() == body
    assert asked == ["gzip, zstd", "identity"]


@pytest.mark.parametrize(
    "fault", [faults.Fields(status=None), faults.Fields(status=7), faults.Missing("status")], ids=repr
)
def test_a_status_that_is_no_text_is_a_bad_response(service, client, fault):
    job = client.start(REQUEST)
    service.inject("status", fault, times=None, job=job.id)
    with pytest.raises(rh.errors.BadResponse):
        job.refresh()


@pytest.mark.parametrize("word", ["COMPLETED", "", "done"])
def test_a_status_that_nobody_knows_is_still_going(held, drive, word):
    trouble = held.inject("status", faults.Fields(status=word), times=2)
    job = drive(held).start(REQUEST)
    held.advance(5)
    assert job.refresh().status == word
    assert len(job.wait().rows()) == 5
    assert trouble.hits == 2


@pytest.mark.parametrize(
    "fault", [faults.Missing("job_id", "id"), faults.Fields(job_id=7), faults.Fields(job_id="..")], ids=repr
)
def test_a_start_without_an_id_is_uncertain(service, client, fault):
    service.inject("run", fault)
    with pytest.raises(rh.errors.StartUncertain):
        client.start(REQUEST)
    assert len(service.starts) == 1


def test_another_jobs_id_is_a_bad_response(service, client):
    job = client.start(REQUEST)
    service.inject("status", faults.Fields(job_id="other", id="other"))
    with pytest.raises(rh.errors.BadResponse):
        job.refresh()


def test_a_job_that_fails_says_why_and_costs_nothing(service, client):
    service.inject("run", faults.Fail("blocked"))
    with pytest.raises(rh.errors.JobFailed, match="blocked"):
        client.run(REQUEST)
    assert service.charges == []
    assert len(service.starts) == 1


def test_a_slow_job_is_waited_for_no_longer_than_the_caller_says(service, client):
    service.inject("run", faults.Slow(7200))
    with pytest.raises(rh.errors.JobTimeout) as raised:
        client.run(REQUEST, timeout=0.1)
    service.advance(timedelta(hours=2))
    assert len(client.job(raised.value.job_id).rows()) == 5


def test_an_answer_that_never_comes_ends_at_the_callers_limit(drive, service):
    service.inject("run", faults.Hang(applied=True))
    client = drive(service, request_timeout=0.1)
    with pytest.raises(rh.errors.StartUncertain):
        client.run(REQUEST)
    assert len(service.charges) == 1


def test_when_to_come_again_is_told_in_any_form(service, client):
    later = datetime.now(UTC) + timedelta(hours=1)
    for wait in (600, 600.0, "600", timedelta(minutes=10), later, [later, "soon"]):
        service.inject("balance", faults.Status(429, retry_after=wait))
        with pytest.raises(rh.errors.RateLimited) as raised:
            client.balance()
        assert raised.value.retry_after > 500


def test_results_that_are_not_there_when_the_job_is_completed_are_waited_for(drive):
    # On the machine's own clock, as the job's `expires_at` is compared with it.
    with rh.LocalService(job_seconds=0) as service:
        trouble = service.inject("results", faults.TooEarly(), times=2)
        assert len(drive(service).run(REQUEST)) == 5
        assert trouble.hits == 2


def test_hints_without_end_end_at_the_callers_limit(drive, service):
    service.inject("balance", faults.Malformed("endless_hints"), times=None)
    with pytest.raises((rh.errors.BadResponse, rh.errors.RequestTimeout)):
        drive(service, request_timeout=0.2).balance()


def test_a_removed_fault_is_over_and_its_hits_are_kept(service, client):
    trouble = service.inject("balance", faults.Status(400), times=None)
    with pytest.raises(rh.errors.ApiError):
        client.balance()
    trouble.remove()
    trouble.remove()
    assert client.balance() == 100
    assert trouble.hits == 1
    assert repr(trouble).startswith("<Status(code=400")


def test_what_cannot_be_injected_is_refused_at_once_with_what_there_is(service):
    with pytest.raises(TypeError, match="Cut, Drip, Encoding"):
        service.inject("run", "reset")
    with pytest.raises(rh.errors.ConfigError, match="balance or any"):
        service.inject("start", faults.Reset())
    with pytest.raises(rh.errors.ConfigError, match="`error`"):
        service.inject("run", faults.Status(500, "page"))
    with pytest.raises(rh.errors.ConfigError, match="`noise`"):
        service.inject("run", faults.Malformed("odd"))
    with pytest.raises(rh.errors.ConfigError, match="from 200 to 999"):
        service.inject("run", faults.Status(99))
    with pytest.raises(rh.errors.ConfigError, match="header"):
        service.inject("run", faults.Status(429, retry_after="a\nb"))
    with pytest.raises(TypeError, match="Missing"):
        faults.Missing()
    with pytest.raises(TypeError, match="one by one"):
        faults.Missing(["job_id"])


def test_every_fault_of_the_core_is_a_class_and_every_class_a_fault_of_the_core(service):
    class Unknown(faults.Fault):
        name = "unknown"

        def _told(self):
            return '{"fault": "unknown"}'

    with pytest.raises(rh.errors.ConfigError) as raised:
        service.inject("run", Unknown())
    known = set(re.findall(r"`(\w+)`", str(raised.value))) - {"unknown"}
    assert known == {getattr(faults, name).name for name in faults.__all__ if name != "Fault"}


def test_the_defaults_of_a_fault_are_those_of_the_core(service):
    """What the text form leaves out means what the class leaves out."""
    classes = [getattr(faults, name) for name in faults.__all__ if name not in {"Fault", "Fields", "Missing"}]
    for cls in classes:
        required = {
            name: 500
            for name, parameter in inspect.signature(cls).parameters.items()
            if parameter.default is inspect.Parameter.empty
        }
        only = {"Slow": "run", "Fail": "run", "TooEarly": "results"}
        service.inject(only.get(cls.__name__, "jobs"), cls(**required))


@pytest.mark.parametrize("fault", [faults.Slow(5), faults.Fail(), faults.TooEarly()], ids=repr)
def test_a_fault_that_cannot_happen_to_a_request_is_refused(service, fault):
    for operation in ("balance", "any"):
        with pytest.raises(rh.errors.ConfigError, match=rf"is played on `\w+` alone, not on `{operation}`"):
            service.inject(operation, fault)


def test_operations_and_extras_are_those_of_the_core(service):
    with pytest.raises(rh.errors.ConfigError) as raised:
        service.inject("", faults.Reset())
    named = re.search(r"one of (.*) or any", str(raised.value))[1].split(", ")
    assert [*named, "any"] == list(get_args(Operation))
    with pytest.raises(rh.errors.ConfigError) as raised:
        rh.LocalService(extras=["fly"])
    named = re.search(r"some of (.*), not", str(raised.value))[1].split(", ")
    assert named == list(get_args(Extra))


def test_the_page_about_the_local_service_names_every_fault_and_every_extra():
    page = (Path(__file__).parent.parent / "docs" / "local-service.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", page, re.MULTILINE))
    assert told == {(name, getattr(faults, name).name) for name in faults.__all__ if name != "Fault"}
    assert tuple(re.findall(r"^\| `(\w+)` \| (?!`\w+` \|)", page.split("## Extras")[1], re.MULTILINE)) == get_args(
        Extra
    )


def test_faults_that_cannot_be_played_are_refused(service):
    for at in (1.0, 2.5, -1, -0.5):
        with pytest.raises(
            rh.errors.ConfigError, match="`at` must be a number of bytes, or a share of the body below 1"
        ):
            service.inject("results", faults.Cut(at))
    for number in ({"times": 0}, {"times": -1}, {"after": -1}):
        with pytest.raises(rh.errors.ConfigError, match="or more, not"):
            service.inject("results", faults.Cut(), **number)

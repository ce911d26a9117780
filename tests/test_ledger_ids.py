"""Ids that a service gives again, and times of creation told in more ways than one: which job is whose in the ledger."""

import datetime as dt
import itertools
import json

import pytest

import rowhaul as rh
from scripted import RESULTS

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}
PARIS = {"searchQueries": ["rock paris"], "maxResults": 2}


@pytest.fixture
def forgetful(ledger):
    """Services one after the other on one address, with one key and the same job ids; and clients of them, with one ledger."""
    key, started = "the-key-of-both", []

    def start(**options):
        port = started[-1].stop() or int(started[-1].url.rpartition(":")[2]) if started else 0
        started.append(rh.LocalService(clock="manual", api_key=key, port=port, **options))
        return started[-1]

    def client(of=ledger, **options):
        return rh.Client(started[-1].url, key, ledger=of, **options)

    yield start, client
    started[-1].stop()


@pytest.mark.parametrize("extras", ["all", "none"])
@pytest.mark.parametrize("is_fetched", [False, True])
def test_a_start_whose_id_an_earlier_one_had_gets_an_entry_of_its_own(forgetful, extras, is_fetched):
    start_service, client = forgetful
    service = start_service(extras=extras)
    service.advance(86400)
    first = client().start("events/events", EVENTS)
    if is_fetched:
        service.advance(3600)
        first.rows()
    service = start_service(extras=extras)
    with client() as later:
        second = later.start("events/events", PARIS)
        assert second.id == first.id
        service.advance(3600)
        (outcome,) = later.resume()
        assert outcome.request.params["searchQueries"] == ["rock paris"]
        assert len(outcome.rows) == 2
        (entry,) = later.jobs()
        assert entry.params["searchQueries"] == ["rock paris"]


def test_rows_of_a_job_whose_id_an_earlier_one_had_are_not_paired_with_the_earlier_request(forgetful, tmp_path):
    start_service, client = forgetful
    start_service()
    first = client().start("events/events", EVENTS)
    service = start_service()
    service.advance(2 * 86400)
    with client(tmp_path / "elsewhere.sqlite") as elsewhere:
        elsewhere.start("events/events", PARIS)
    service.advance(3600)
    with client() as earlier:
        (outcome,) = earlier.resume()
        assert (outcome.job_id, outcome.request, len(outcome.rows)) == (first.id, None, 2)
        (note,) = outcome.job.notes
        assert note.startswith("created long after the job that had this id before")


def test_rows_that_were_kept_are_those_of_their_request_whatever_job_has_the_id_by_now(forgetful):
    start_service, client = forgetful
    service = start_service()
    keeper = client(keep_rows=True)
    job = keeper.start("events/events", EVENTS)
    service.advance(3600)
    job.rows()
    start_service()
    with client(keep_rows=True) as later:
        assert later.start("events/events", PARIS).id == job.id
        reused = later.run("events/events", EVENTS, reuse=dt.timedelta(days=1)).job
        assert (reused.reused, reused.params, reused.row_count) == (True, EVENTS, 3)
    keeper.close()


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:02Z"),
        ("2026-01-01T10:00:37Z", "2026-01-01T10:00:00Z"),
        ("2026-01-01T12:00:00", "2026-01-01T10:00:00Z"),
        ("0001-01-01T00:00:00Z", "2026-01-01T10:00:00Z"),
        ("1970-01-01T00:00:00Z", "2026-01-01T10:00:00Z"),
        ("2026-01-09T10:00:00Z", "2026-01-01T10:00:00Z"),
    ],
)
def test_a_job_stays_what_was_started_however_its_creation_is_told(scripted, ledger, told, later):
    started = json.dumps({"job_id": "j1", "status": "queued", "created_at": told}).encode()
    status = json.dumps({"job_id": "j1", "status": "completed", "row_count": 3, "created_at": later}).encode()
    scripted.answers["start"] = lambda answer: answer(202, started)
    scripted.answers["status"] = lambda answer: answer(200, status)
    with scripted.client(ledger) as client:
        rows = client.run("events/events", EVENTS)
        (entry,) = client.jobs()
        assert (rows.job.agent, rows.job.notes) == ("events/events", ())
        assert (entry.id, entry.params, entry.status, entry.row_count) == ("j1", EVENTS, "completed", 3)
        assert entry.fetched_at is not None


@pytest.mark.parametrize("unset", ["0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
def test_a_job_whose_expiry_was_not_set_expires_at_no_time_that_is_known(scripted, ledger, unset):
    status = json.dumps({"job_id": "j1", "status": "completed", "expires_at": unset}).encode()
    scripted.answers["status"] = lambda answer: answer(200, status)
    answers = iter([(404, b'{"error": "not_found"}'), (404, b'{"error": "not_found"}'), (200, RESULTS)])
    scripted.answers["results"] = lambda answer: answer(*next(answers))
    with scripted.client(ledger) as client:
        rows = client.run("events/events", EVENTS)
        assert (len(rows), rows.job.expires_at, client.jobs()[0].expires_at) == (3, None, None)


def test_what_is_heard_of_a_job_whose_id_a_later_start_has_is_not_written_to_that(scripted, ledger):
    first, second = scripted.client(ledger, keep_rows=True), scripted.client(ledger)
    job = first.start("events/events", EVENTS)
    second.start("events/events", {**EVENTS, "searchQueries": ["rock paris"]})
    assert "the id of their job is a later start's by now" in job.rows().notes[-1].message
    (entry,) = second.jobs()
    assert (entry.params["searchQueries"], entry.fetched_at) == (["rock paris"], None)
    (outcome,) = second.resume()
    assert outcome.request.params["searchQueries"] == ["rock paris"]
    for client in (first, second):
        client.close()


def test_a_job_that_was_taken_up_by_its_id_is_not_taken_for_a_later_start_of_that_id(scripted, ledger, tmp_path):
    with scripted.client(ledger) as client:
        old = client.job("j1").wait()
        client.start("events/events", EVENTS)
        old.rows()
        (entry,) = client.jobs()
        assert (entry.params, entry.fetched_at) == (EVENTS, None)
        (outcome,) = client.resume()
        assert outcome.request.params == EVENTS


def answered(created_at, status="completed", **more):
    record = {"job_id": "j1", "status": status, "row_count": 3, "created_at": created_at, **more}
    return lambda answer: answer(200, json.dumps(record).encode())


def test_a_start_is_not_paired_with_a_job_created_long_after_the_one_that_others_saw(scripted, ledger):
    with scripted.client(ledger, keep_rows=True) as client, scripted.client(ledger) as other:
        mine = client.start("events/events", EVENTS)
        scripted.answers["status"] = answered("2026-01-01T10:00:00Z")
        other.job("j1").refresh()
        scripted.answers["status"] = answered("2026-01-05T10:00:00Z", agent="video/comment-scraper")
        rows = mine.wait().rows()
        assert "created long after the job that had this id before" in rows.job.notes[0]
        (entry,) = client.jobs()
        assert (rows.job.params, entry.params, entry.cost_usd) == (None, None, None)
        assert rows.job.agent == entry.agent == "video/comment-scraper"
        assert client.run("events/events", EVENTS, reuse=dt.timedelta(days=1)).job.reused is False


def test_a_start_whose_entry_made_way_for_a_later_job_is_not_paired_with_that(scripted, ledger):
    with scripted.client(ledger, keep_rows=True) as client, scripted.client(ledger) as other:
        mine, theirs = client.start("events/events", EVENTS), other.job("j1")
        scripted.answers["status"] = answered("2026-01-01T10:00:00Z")
        theirs = theirs.refresh()
        scripted.answers["status"] = answered("2026-01-05T10:00:00Z", agent="video/comment-scraper")
        theirs.refresh()
        assert "a later start's by now" in mine.wait().rows().notes[-1].message
        (entry,) = client.jobs()
        assert (entry.agent, entry.params, entry.fetched_at) == ("video/comment-scraper", None, None)
        assert client.run("events/events", EVENTS, reuse=dt.timedelta(days=1)).job.reused is False


def test_a_doubt_about_a_job_is_not_forgotten_when_it_is_taken_up_again(scripted, ledger):
    scripted.answers["start"] = answered("2026-01-01T10:00:00Z", "queued")
    scripted.answers["status"] = answered("2026-01-01T10:07:00Z")
    with scripted.client(ledger, keep_rows=True) as client:
        client.start("events/events", EVENTS)
    for _ in range(2):
        with scripted.client(ledger, keep_rows=True) as client:
            assert "two times of the job's creation were told" in client.job("j1").wait().rows().notes[-1].message


def test_a_doubt_is_of_all_that_was_told_whoever_heard_it(scripted, ledger):
    with scripted.client(ledger, keep_rows=True) as client, scripted.client(ledger) as other:
        mine = client.start("events/events", EVENTS)
        scripted.answers["status"] = answered("2026-01-01T10:00:07Z")
        other.job("j1").refresh()
        scripted.answers["status"] = answered("2026-01-01T10:07:11Z")
        assert "two times of the job's creation were told" in mine.wait().rows().notes[-1].message
        assert client.run("events/events", EVENTS, reuse=dt.timedelta(days=1)).job.reused is False


def test_a_start_has_its_parameters_in_the_entry_that_is_made_after_the_ledger_was_taken_away(scripted, ledger):
    with scripted.client(ledger, keep_rows=True) as client:
        mine = client.start("events/events", EVENTS)
        for file in ledger.parent.glob("ledger.sqlite*"):
            file.unlink()
        assert mine.wait().rows().notes == ()
        (entry,) = client.jobs()
        assert (entry.agent, entry.params) == ("events/events", EVENTS)
        assert entry.fetched_at is not None


@pytest.mark.parametrize(
    "later", ["2026-01-01T10:00:37Z", "2026-01-01T12:00:37", "2026-01-01T10:00:00Z", "2026-01-01T12:00"]
)
def test_rows_are_reused_where_one_time_of_creation_is_told_in_other_units_or_without_an_offset(
    scripted, ledger, later
):
    scripted.answers["start"] = answered("2026-01-01T10:00:37.5Z", "queued")
    scripted.answers["status"] = answered(later)
    with scripted.client(ledger, keep_rows=True) as client:
        assert client.run("events/events", EVENTS).notes == ()
        assert client.run("events/events", EVENTS, reuse=dt.timedelta(days=1)).job.reused is True


def test_rows_of_a_job_whose_creation_is_told_in_two_ways_are_not_kept(scripted, ledger):
    created = itertools.cycle(["2026-01-01T10:00:00Z", "2026-01-01T10:01:00Z"])
    scripted.answers["start"] = lambda answer: answer(
        202, json.dumps({"job_id": "j1", "status": "queued", "created_at": next(created)}).encode()
    )
    scripted.answers["status"] = lambda answer: answer(
        200, json.dumps({"job_id": "j1", "status": "completed", "created_at": next(created)}).encode()
    )
    with scripted.client(ledger, keep_rows=True) as client:
        rows = client.run("events/events", EVENTS)
        assert "two times of the job's creation were told" in rows.notes[-1].message
        assert client.run("events/events", EVENTS, reuse=dt.timedelta(days=1)).job.reused is False

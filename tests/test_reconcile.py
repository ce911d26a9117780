"""Starts that nobody answered: what the service's list of jobs settles, and what it does not."""

import json
import sqlite3
import time

import pytest

import rowhaul as rh
from scripted import KEY
from uncertain import EVENTS, uncertain

MOMENTS = ("written_at", "sent_at", "started_at", "due_at", "answer_by")


def listed(*jobs):
    body = json.dumps({"jobs": [{"job_id": name, "agent": "events/events", **more} for name, more in jobs]}).encode()
    return lambda answer: answer(200, body)


def stamp(seconds=0.0):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def test_the_one_job_that_may_be_it_is_adopted(scripted, ledger):
    client = uncertain(scripted, ledger)
    old = ("old", {"status": "completed", "created_at": stamp(-7200)})
    scripted.answers["list"] = listed(
        ("j1", {"status": "completed", "created_at": stamp()}),
        ("x", {"status": "completed", "created_at": stamp(), "agent": "video/comment-scraper"}),
        old,
    )
    (settled,) = client.reconcile()
    assert (settled.status, settled.job.id, settled.agent) == ("adopted", "j1", "events/events")
    assert [entry.id for entry in client.jobs("unfetched")] == ["j1"]
    (outcome,) = client.resume()
    assert (len(outcome.rows), outcome.request) == (3, rh.Request("events/events", EVENTS))
    assert client.reconcile() == []
    assert scripted.starts == 1


def test_jobs_that_the_ledger_has_are_no_candidates_and_tell_the_services_clock(scripted, ledger):
    known = scripted.client(ledger)
    known.start("events/events", EVENTS)
    client = uncertain(scripted, ledger)
    ahead = 86_400 * 30
    scripted.answers["list"] = listed(
        ("new", {"status": "running", "created_at": stamp(ahead)}),
        ("j1", {"status": "running", "created_at": stamp(ahead)}),
        ("older", {"status": "running", "created_at": stamp(ahead - 1)}),
    )
    (settled,) = client.reconcile()
    assert (settled.status, settled.job.id) == ("adopted", "new")


def test_a_job_that_was_taken_up_by_its_id_may_be_the_start_all_the_same(scripted, ledger):
    scripted.client(ledger).start("events/events", EVENTS)
    client = uncertain(scripted, ledger)
    scripted.answers["list"] = listed(
        ("theirs", {"status": "completed", "created_at": stamp()}),
        ("j1", {"status": "completed", "created_at": stamp()}),
        ("old", {"status": "completed", "created_at": stamp(-7200)}),
    )
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "theirs", "status": "completed"}')
    client.job("theirs").refresh()
    (settled,) = client.reconcile()
    assert (settled.status, settled.candidates) == ("uncertain", ("theirs",)), settled
    assert "whose ids the ledger has" in settled.how
    scripted.answers["list"] = listed(
        ("x", {"status": "completed", "created_at": stamp()}),
        ("theirs", {"status": "completed", "created_at": stamp()}),
        ("j1", {"status": "completed", "created_at": stamp()}),
        ("old", {"status": "completed", "created_at": stamp(-7200)}),
    )
    (settled,) = client.reconcile()
    assert (settled.status, settled.candidates) == ("uncertain", ("x", "theirs")), settled
    assert [entry.status for entry in client.jobs("uncertain")] == ["uncertain"]


@pytest.mark.parametrize(
    ("seconds", "status"),
    [(None, "adopted"), (-7200, "adopted"), (0, "uncertain")],
    ids=["of no time", "of before", "of now: its id was given again"],
)
def test_a_job_that_was_taken_up_before_the_start_is_not_its(scripted, ledger, seconds, status):
    told = {} if seconds is None else {"created_at": stamp(seconds)}
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "theirs", "status": "completed"}')
    scripted.client(ledger).job("theirs").refresh()
    client = uncertain(scripted, ledger)
    scripted.answers["list"] = listed(
        ("x", {"status": "completed", "created_at": stamp()}),
        ("theirs", {"status": "completed", **told}),
    )
    (settled,) = client.reconcile()
    assert settled.status == status, settled
    assert settled.candidates == (("x",) if status == "adopted" else ("x", "theirs"))


def test_a_job_taken_up_before_the_start_whose_id_was_given_again_may_be_its(scripted, ledger):
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "theirs", "status": "completed"}')
    scripted.client(ledger).job("theirs").refresh()
    client = after_a_known_job(scripted, ledger)
    scripted.answers["list"] = listed(("theirs", {"status": "completed", "created_at": stamp()}), KNOWN)
    (settled,) = client.reconcile()
    assert (settled.status, settled.candidates) == ("uncertain", ("theirs",)), settled


def test_a_job_that_was_taken_up_is_told_where_the_list_does_not_reach_back(scripted, ledger):
    client = uncertain(scripted, ledger)
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "theirs", "status": "completed"}')
    client.job("theirs").refresh()
    scripted.answers["list"] = listed(("theirs", {"status": "completed", "created_at": stamp()}))
    (settled,) = client.reconcile()
    assert (settled.status, settled.candidates) == ("uncertain", ("theirs",)), settled
    assert "reach back" in settled.how


def test_a_job_whose_id_was_given_again_may_be_the_start_and_proves_nothing(scripted, ledger):
    client = after_a_known_job(scripted, ledger)
    with sqlite3.connect(ledger) as database:
        database.execute("UPDATE entries SET created_at = ? WHERE job_id = 'j1'", (stamp(-36_000),))
    database.close()
    scripted.answers["list"] = listed(("j1", {"status": "completed", "created_at": stamp()}))
    (settled,) = client.reconcile()
    assert (settled.status, settled.candidates) == ("uncertain", ("j1",)), settled


def test_of_two_jobs_that_may_be_it_none_is_taken(scripted, ledger):
    client = uncertain(scripted, ledger)
    two = [(name, {"status": "running", "created_at": stamp()}) for name in ("a", "b")]
    scripted.answers["list"] = listed(*two)
    (settled,) = client.reconcile()
    assert (settled.status, settled.job, settled.candidates) == ("uncertain", None, ("a", "b"))
    assert len(client.jobs("uncertain")) == 1


@pytest.mark.parametrize(
    "towns", [["berlin"] * 5, ["berlin", "bonn", "ulm", "kiel", "jena"]], ids=["alike", "different"]
)
def test_as_many_jobs_as_starts_are_theirs_whichever_is_whose(ledger, towns):
    requests = [rh.agents.Events(search_queries=[town], max_results=3) for town in towns]
    with rh.LocalService(clock="instant") as service, service.client(ledger=ledger) as client:
        # Tells that the list goes back beyond the starts, and in which order.
        client.run("events/events", EVENTS)
        service.advance(5)
        service.inject("run", rh.faults.Reset(applied=True), times=5)
        with pytest.warns(rh.RowhaulWarning, match="none of 5 runs"):
            client.run_many(requests, concurrency=5)
        settled = client.reconcile()
        assert {(one.status, one.job.agent) for one in settled} == {("adopted", "events/events")}
        outcomes = list(client.resume())
        assert sorted(outcome.job.id for outcome in outcomes) == sorted(one.job.id for one in settled)
        assert {outcome.request for outcome in outcomes} == {None}
        assert (sum(len(outcome.rows) for outcome in outcomes), len(client.jobs("uncertain"))) == (15, 0)
        assert len(service.starts) == 6


def test_a_list_that_may_be_cut_off_settles_no_starts_together(ledger):
    with rh.LocalService(clock="instant") as service, service.client(ledger=ledger) as client:
        service.inject("run", rh.faults.Reset(applied=True), times=2)
        with pytest.warns(rh.RowhaulWarning, match="none of 2 runs"):
            client.run_many([rh.agents.Events(search_queries=["jazz"], max_results=3)] * 2, concurrency=2)
        assert [one.status for one in client.reconcile()] == ["uncertain"] * 2


def test_more_jobs_than_starts_may_be_somebody_elses(ledger):
    with rh.LocalService(clock="instant") as service, service.client(ledger=ledger) as client:
        service.inject("run", rh.faults.Reset(applied=True), times=2)
        with pytest.warns(rh.RowhaulWarning, match="none of 2 runs"):
            client.run_many([rh.agents.Events(search_queries=["jazz"], max_results=3)] * 2, concurrency=2)
        with service.client(ledger=False) as other:
            other.start("events/events", EVENTS)
        assert [(one.status, len(one.candidates)) for one in client.reconcile()] == [("uncertain", 3)] * 2


def after_a_known_job(scripted, ledger):
    """A client with a job that the ledger knows, and an uncertain start after it."""
    scripted.client(ledger).start("events/events", EVENTS)
    client = uncertain(scripted, ledger)
    # So long ago that it need not be waited for.
    with sqlite3.connect(ledger) as database:
        database.execute("UPDATE entries SET sent_at = sent_at - 20000000 WHERE stage = 'uncertain'")
    database.close()
    return client


# Older than what a test lists beside it, which may be stamped in the second in which this was.
KNOWN = ("j1", {"status": "completed", "created_at": stamp(-2)})


def test_a_start_that_the_service_does_not_list_was_never_started(scripted, ledger):
    client = after_a_known_job(scripted, ledger)
    other = ("x", {"status": "running", "created_at": stamp(), "agent": "video/comment-scraper"})
    scripted.answers["list"] = listed(other, KNOWN)
    (settled,) = client.reconcile()
    assert (settled.status, settled.job) == ("never_started", None)
    assert sorted(entry.status for entry in client.jobs()) == ["never_started", "queued"]


@pytest.mark.parametrize("stage", ["started", "uncertain"])
@pytest.mark.parametrize("ahead", [-3600, -300, 300, 3600])
def test_a_clock_that_was_set_makes_no_start_one_that_never_was(scripted, ledger, ahead, stage):
    scripted.tells_time = False
    client = after_a_known_job(scripted, ledger)
    with sqlite3.connect(ledger) as database:
        shifted = ", ".join(
            f"{column} = {column} + {ahead * 1_000_000}" for column in ("written_at", "sent_at", "started_at")
        )
        database.execute(f"UPDATE entries SET {shifted} WHERE stage = 'started'")
    database.close()
    older = ("older", {"status": "completed", "created_at": stamp(-7200)})
    scripted.answers["list"] = listed(("new", {"status": "running", "created_at": stamp()}), KNOWN, older)
    (settled,) = client.reconcile()
    assert settled.status != "never_started"
    assert "new" in (*settled.candidates, settled.job and settled.job.id)


@pytest.mark.parametrize(
    "jobs",
    [
        (),
        (("x", {"status": "completed", "created_at": stamp(-7200), "agent": "video/comment-scraper"}),),
        (("j1", {"status": "running", "created_at": stamp()}),),
        (("j1", {"status": "completed", "created_at": stamp(-60)}), ("x", {"status": "queued", "created_at": stamp()})),
    ],
)
def test_a_list_that_need_not_go_back_to_the_start_never_says_that_it_was_not_started(scripted, ledger, jobs):
    client = after_a_known_job(scripted, ledger)
    scripted.answers["list"] = listed(*((name, {"agent": "video/comment-scraper", **told}) for name, told in jobs))
    (settled,) = client.reconcile()
    assert (settled.status, settled.candidates) == ("uncertain", ())
    assert len(client.jobs("uncertain")) == 1


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"created_at": "soon"},
        {"created_at": stamp(), "agent": "other/events"},
        {"created_at": stamp(), "agent": None},
        {"created_at": stamp(), "row_count": 4},
    ],
)
def test_a_job_of_which_too_little_is_told_or_that_does_not_fit_is_told_and_not_taken(scripted, ledger, told):
    client = after_a_known_job(scripted, ledger)
    scripted.answers["list"] = listed(("new", {"status": "completed", **told}), KNOWN)
    (settled,) = client.reconcile()
    assert (settled.status, settled.job, settled.candidates) == ("uncertain", None, ("new",))


def test_a_job_nothing_can_be_told_of_may_be_the_start(scripted, ledger):
    client = after_a_known_job(scripted, ledger)
    scripted.answers["list"] = listed(("new", {"created_at": stamp()}), KNOWN)
    assert [settled.status for settled in client.reconcile()] == ["uncertain"]


def test_the_agent_is_compared_as_it_was_sent(scripted, ledger):
    uncertain(scripted, ledger)
    with sqlite3.connect(ledger) as database:
        database.execute("UPDATE entries SET wire = 'acme/events'")
    database.close()
    client = scripted.client(ledger)
    scripted.answers["list"] = listed(("new", {"status": "running", "created_at": stamp(), "agent": "acme/events"}))
    (settled,) = client.reconcile()
    assert (settled.status, settled.job.id) == ("adopted", "new")
    assert "`acme/events`" in settled.how


def test_a_start_is_looked_for_until_its_last_sending_was_due(scripted, ledger):
    client = uncertain(scripted, ledger)
    with sqlite3.connect(ledger) as database:
        database.execute("UPDATE entries SET written_at = written_at - 3600000000")
    database.close()
    scripted.answers["list"] = listed(("new", {"status": "running", "created_at": stamp()}))
    (settled,) = client.reconcile()
    assert (settled.status, settled.job.id) == ("adopted", "new")


def test_a_list_that_ends_before_the_start_settles_nothing(scripted, ledger):
    client = uncertain(scripted, ledger)
    with sqlite3.connect(ledger) as database:
        database.execute(
            "UPDATE entries SET written_at = written_at - 3600000000, due_at = due_at - 3600000000, sent_at = sent_at - 3600000000"
        )
    database.close()
    many = [(f"later-{n}", {"status": "running", "created_at": stamp()}) for n in range(100)]
    scripted.answers["list"] = listed(*many)
    (settled,) = client.reconcile()
    assert (settled.status, settled.candidates) == ("uncertain", ())
    assert "reach back" in settled.how


def test_without_a_list_the_balance_is_told(scripted, ledger):
    client = uncertain(scripted, ledger)
    (settled,) = client.reconcile()
    assert settled.status == "uncertain"
    assert settled.balance_before_usd == settled.balance_now_usd
    assert "the balance is 12.5 USD, as when it was last read before" in settled.how
    assert scripted.starts == 1


def test_the_local_service_settles_its_own(ledger):
    with rh.LocalService(clock="instant", api_key=KEY) as service:
        client = service.client(ledger=ledger)
        lost = client.start("events/events", EVENTS)
        with sqlite3.connect(ledger) as database:
            database.execute("UPDATE entries SET stage = 'uncertain', job_id = NULL, status = NULL, started_at = NULL")
        database.close()
        (settled,) = client.reconcile()
        assert (settled.status, settled.job.id) == ("adopted", lost.id)


def test_a_job_that_is_listed_twice_is_adopted_for_no_start(scripted, ledger):
    client = after_a_known_job(scripted, ledger)
    scripted.answers["start"] = lambda answer: answer(500, b"{}")
    with pytest.raises(rh.errors.StartUncertain):
        client.start("events/events", EVENTS)
    twice = ("j7", {"status": "completed", "created_at": stamp()})
    scripted.answers["list"] = listed(twice, twice, KNOWN)
    assert [settled.status for settled in client.reconcile()] == ["uncertain"] * 2
    assert len(client.jobs("uncertain")) == 2

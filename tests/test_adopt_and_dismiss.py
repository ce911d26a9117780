"""Starts that nobody answered, settled by the user: `adopt` and `dismiss`."""

import asyncio
import json

import pytest

import rowhaul as rh
from scripted import KEY
from uncertain import EVENTS, uncertain


def status_of(job_id, **more):
    body = json.dumps({"job_id": job_id, "status": "completed", "row_count": 3, **more}).encode()
    return lambda answer: answer(200, body)


@pytest.mark.parametrize("is_known", [False, True], ids=["unknown", "taken up by its id"])
def test_a_start_is_the_job_that_the_user_says(scripted, ledger, is_known):
    client = uncertain(scripted, ledger)
    scripted.answers["status"] = status_of("j7", agent="events/events")
    if is_known:
        client.job("j7").refresh()
    job = client.adopt(client.jobs("uncertain")[0], "j7")
    assert (job.id, job.status, job.agent) == ("j7", "completed", "events/events")
    (entry,) = client.jobs()
    assert (entry.id, entry.params["searchQueries"], entry.note) == (
        "j7",
        ["jazz berlin"],
        "the caller adopted this job for it",
    )
    (outcome,) = client.resume()
    assert (len(outcome.rows), outcome.request) == (3, rh.Request("events/events", EVENTS))
    assert (len(client.jobs("uncertain")), client.reconcile()) == (0, [])
    assert scripted.starts == 1


def test_rows_that_were_fetched_by_id_stay_fetched_once_their_start_is_known(scripted, ledger):
    client = uncertain(scripted, ledger)
    scripted.answers["status"] = status_of("j7")
    client.job("j7").rows()
    client.adopt(client.reconcile()[0], "j7")
    (entry,) = client.jobs()
    assert (entry.id, entry.fetched_at is not None, entry.is_unfetched) == ("j7", True, False)


def test_a_start_that_the_user_dismisses_was_never_started(scripted, ledger):
    client = uncertain(scripted, ledger)
    (start,) = client.jobs("uncertain")
    client.dismiss(start)
    (entry,) = client.jobs("never_started")
    assert (entry.note, client.reconcile()) == ("the caller dismissed it", [])
    with pytest.raises(rh.errors.ConfigError, match="never_started"):
        client.dismiss(entry)
    for settle in (client.dismiss, lambda start: client.adopt(start, "j1")):
        with pytest.raises(rh.errors.ConfigError, match="settled already"):
            settle(start)
    with pytest.raises(TypeError, match=r"client\.reconcile"):
        client.dismiss(None)


def test_no_start_is_taken_for_another_ones_job_or_for_one_of_another_agent(scripted, ledger):
    scripted.client(ledger).start("events/events", EVENTS)
    client = uncertain(scripted, ledger)
    (start,) = client.jobs("uncertain")
    scripted.answers["status"] = status_of("j1")
    with pytest.raises(rh.errors.ConfigError, match="another start's"):
        client.adopt(start, "j1")
    scripted.answers["status"] = status_of("j7", agent="video/comment-scraper")
    with pytest.raises(rh.errors.ConfigError, match="of `video/comment-scraper`, and the start was of `events/events`"):
        client.adopt(start, "j7")
    scripted.answers["status"] = lambda answer: answer(404, b"{}")
    with pytest.raises(rh.errors.NotFound):
        client.adopt(start, "j7")
    for job_id in ("", "..", "a\nb"):
        with pytest.raises(rh.errors.ConfigError):
            client.adopt(start, job_id)
    assert [entry.status for entry in client.jobs()] == ["uncertain", "queued"]


def test_what_was_settled_meanwhile_is_not_settled_again(scripted, ledger):
    client = uncertain(scripted, ledger)
    (start,) = client.jobs("uncertain")
    scripted.answers["status"] = status_of("j7")
    client.adopt(start, "j7")
    with pytest.raises(rh.errors.ConfigError, match="settled already"):
        client.dismiss(start)
    scripted.answers["status"] = status_of("j8")
    with pytest.raises(rh.errors.ConfigError, match="settled already"):
        client.adopt(start, "j8")
    assert [entry.id for entry in client.jobs()] == ["j7"]


def test_an_async_client_is_told_the_same(scripted, ledger):
    uncertain(scripted, ledger)
    scripted.answers["status"] = status_of("j7")

    async def settle():
        async with rh.AsyncClient(scripted.url, KEY, ledger=ledger) as client:
            (start,) = await client.jobs("uncertain")
            job = await client.adopt(start, "j7")
            with pytest.raises(rh.errors.ConfigError, match="settled already"):
                await client.dismiss(start)
            return job.id, len(await job.rows())

    assert asyncio.run(settle()) == ("j7", 3)


def test_what_is_known_of_a_job_by_its_id_is_kept_once_its_start_is_known(scripted, ledger):
    client = uncertain(scripted, ledger)
    scripted.answers["status"] = lambda answer: answer(200, b'{"job_id": "j7", "status": "completed"}')
    client.job("j7").rows()
    job = client.adopt(client.jobs("uncertain")[0], "j7")
    (entry,) = client.jobs()
    assert (job.row_count, entry.row_count, entry.status, entry.is_unfetched) == (3, 3, "completed", False)


def test_a_job_that_was_taken_up_before_the_start_tells_nothing_of_the_one_that_has_its_id_now(scripted, ledger):
    scripted.answers["status"] = status_of("j7")
    scripted.client(ledger).job("j7").rows()
    client = uncertain(scripted, ledger)
    client.adopt(client.jobs("uncertain")[0], "j7")
    (entry,) = client.jobs()
    assert (entry.id, entry.fetched_at, entry.is_unfetched) == ("j7", None, True)

"""Jobs and rows that the service has no more, and what the ledger then says of them."""

import json
import sqlite3

import pytest

import rowhaul as rh

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}


def test_resume_gives_no_job_up_for_a_404_before_its_rows_expire(ledger):

    with rh.LocalService(clock="instant", api_key="key-123456") as service:
        service.client(ledger=ledger).start("events/events", EVENTS)
        port = int(service.url.rpartition(":")[2])
    with rh.LocalService(clock="instant", api_key="key-123456", port=port) as service:
        client = service.client(ledger=ledger)
        (outcome,) = client.resume()
        assert isinstance(outcome.error, rh.errors.NotFound)
        assert client.jobs()[0].gone_at is None
        with sqlite3.connect(ledger) as database:
            database.execute(
                "UPDATE entries SET expires_at = '2020-01-01T00:00:00Z', started_at = started_at - 20000000"
            )
        database.close()
        assert [type(outcome.error) for outcome in client.resume()] == [rh.errors.NotFound]
        assert list(client.resume()) == []
        assert client.jobs()[0].gone_at is not None


def test_rows_that_have_expired_are_not_told_as_waiting_to_be_fetched(client, service):
    job = client.start(rh.agents.Events(search_queries=["jazz"], max_results=3)).wait()
    assert [entry.id for entry in client.jobs().unfetched] == [entry.id for entry in client.jobs("unfetched")] != []
    service.advance(8 * 86400)
    with pytest.raises(rh.errors.NotFound, match="have expired"):
        job.rows()
    jobs = client.jobs()
    assert (len(jobs.unfetched), jobs[0].fetched_at, len(list(client.resume()))) == (0, None, 0)
    assert "0.03 USD, never fetched and gone" in repr(jobs)
    job.refresh()
    assert not client.jobs().unfetched


@pytest.mark.parametrize("way", ["rows", "stream", "download", "resume"])
def test_rows_turn_out_to_have_expired_whoever_asks_for_them(scripted, ledger, tmp_path, way):
    told = {"job_id": "j1", "status": "completed", "expires_at": "2026-01-08T10:00:00Z"}
    client = scripted.client(ledger)
    job = client.start("events/events", EVENTS).wait()
    assert (job.expires_at, client.jobs()[0].is_unfetched) == (None, True)
    scripted.answers["status"] = lambda answer: answer(200, json.dumps(told).encode())
    scripted.answers["results"] = lambda answer: answer(404, b"{}")
    ways = {"rows": job.rows, "stream": job.stream, "download": lambda: job.download(tmp_path / "rows.json")}
    if way == "resume":
        assert [type(outcome.error) for outcome in client.resume()] == [rh.errors.NotFound]
    else:
        with pytest.raises(rh.errors.NotFound, match="have expired"):
            ways[way]()
    assert not client.jobs().unfetched


def test_one_word_of_a_job_that_is_gone_is_not_the_last(scripted, ledger):
    client = scripted.client(ledger)
    client.start("events/events", EVENTS).wait()
    status, results = scripted.answers["status"], scripted.answers["results"]

    def once(answer, then):
        scripted.answers.update(then)
        answer(410, b"{}")

    scripted.answers["results"] = lambda answer: once(answer, {"results": results, "status": gone})
    gone = lambda answer: once(answer, {"status": status})  # noqa: E731
    (outcome,) = client.resume()
    assert (outcome.error, len(outcome.rows)) == (None, 3)

"""Rows that are kept on disk, and requests that are answered from there."""

import asyncio
import datetime as dt
import json
import sqlite3
import stat
import threading
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest

import rowhaul as rh
from scripted import RESULTS, running

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}
WEEK = dt.timedelta(days=7)


@pytest.fixture
def keeper(drive, service, ledger):
    return drive(service, ledger=ledger, keep_rows=True)


def files(ledger):
    """Everything in the directory of kept rows, hidden files included."""
    return sorted((ledger.parent / "rows").iterdir())


def same(one, other):
    return pa.table(one).equals(pa.table(other), check_metadata=True) and one.notes == other.notes


def test_an_equal_request_is_answered_from_disk_and_costs_nothing(keeper, service):
    rows = keeper.run("events/events", EVENTS)
    balance, asked = keeper.balance(), len(service.requests)
    again = keeper.run("events/events", dict(reversed(EVENTS.items())), reuse=WEEK)
    assert len(service.requests) == asked
    assert (again.job.id, again.job.reused, rows.job.reused) == (rows.job.id, True, False)
    assert (again.job.status, again.job.row_count, again.job.params) == ("completed", 3, EVENTS)
    assert same(again, rows)
    assert (keeper.balance(), len(service.starts)) == (balance, 1)


def test_defaults_and_group_names_make_no_difference(scripted, ledger):
    keeper = scripted.client(ledger, keep_rows=True, groups={"video": "films"})
    keeper.run(rh.agents.VideoScraper(search_queries=["jazz"]))
    for name in ("video/video-scraper", "films/video-scraper"):
        for params in ({"searchQueries": ["jazz"]}, {"maxResults": 50, "searchQueries": ["jazz"]}):
            assert keeper.run(name, params, reuse=WEEK).job.reused, (name, params)
    assert scripted.starts == 1
    # This one does not know which agent that is, so it decodes the rows without its columns.
    ignorant = scripted.client(ledger, keep_rows=True)
    told = {**rh.agents.VideoScraper(search_queries=["jazz"]).params}
    scripted.asked["results"].clear()
    assert ignorant.run("films/video-scraper", told, reuse=WEEK).columns == ["n"]
    assert (scripted.asked["results"].is_set(), scripted.starts) == (True, 1)


def test_another_request_time_or_account_is_a_run(keeper, service, drive, ledger):
    keeper.run("events/events", EVENTS)
    fresh = [
        keeper.run("events/events", EVENTS),
        keeper.run("events/events", EVENTS, reuse=0),
        keeper.run("events/events", {**EVENTS, "maxResults": 2}, reuse=WEEK),
        keeper.run("events/events", {**EVENTS, "searchQueries": ["jazz"]}, reuse=WEEK),
    ]
    with rh.LocalService(clock="instant") as other:
        fresh.append(drive(other, ledger=ledger, keep_rows=True).run("events/events", EVENTS, reuse=WEEK))
    assert [rows.job.reused for rows in fresh] == [False] * 5
    assert len(service.starts) == 5


def test_rows_are_decoded_as_asked_for_and_fetched_again_for_that_but_not_run(keeper, service):
    first = keeper.run("events/events", EVENTS)
    balance = keeper.balance()
    schema = pa.schema([("eventName", pa.large_string()), ("extra", pa.int64())])
    for options in ({"parse_dates": True}, {"parse_dates": ["startDate"]}, {"schema": schema}, {"max_columns": 500}):
        rows = keeper.run("events/events", EVENTS, reuse=WEEK, max_cost_usd=0, **options)
        assert (rows.job.id, rows.job.reused) == (first.job.id, True), options
        assert not [note for note in rows.notes if "kept" in note.message], options
        asked = len(service.requests)
        again = keeper.run("events/events", EVENTS, reuse=WEEK, **options)
        assert (again.job.reused, len(service.requests)) == (True, asked), options
        assert same(again, rows)
    assert keeper.run("events/events", EVENTS, reuse=WEEK).job.reused
    assert (keeper.balance(), len(service.starts)) == (balance, 1)


def test_rows_that_the_service_has_no_more_are_run_anew_for_other_options_and_it_is_said(keeper, service):
    first = keeper.run("events/events", EVENTS)
    service.advance(8 * 24 * 3600)
    rows = keeper.run("events/events", EVENTS, reuse=WEEK, parse_dates=True)
    assert (rows.job.reused, len(service.starts)) == (False, 2)
    assert f"`{first.job.id}` were decoded with other options" in rows.notes[-1].message


def test_rows_that_cannot_be_fetched_again_just_now_are_not_run_anew(keeper, service):
    first = keeper.run("events/events", EVENTS)
    service.inject("results", rh.faults.Status(403), times=None)
    with pytest.raises(rh.errors.PermissionDenied) as caught:
        keeper.run("events/events", EVENTS, reuse=WEEK, parse_dates=True)
    assert (caught.value.job_id, len(service.starts)) == (first.job.id, 1)


def test_rows_that_may_come_yet_are_not_run_anew(keeper, service):
    first = keeper.run("events/events", EVENTS)
    service.inject("results", rh.faults.Status(404), times=None)
    with pytest.raises(
        rh.errors.ResultsNotReady, match="without `reuse` the request is run, and billed, anew"
    ) as caught:
        keeper.run("events/events", EVENTS, reuse=WEEK, parse_dates=True)
    assert (caught.value.job_id, len(service.starts)) == (first.job.id, 1)


@pytest.mark.parametrize(
    ("before", "after", "rows"),
    [
        ({"created_at": "2026-01-01T10:00:00Z"}, {"created_at": "2026-02-01T10:00:00Z"}, 3),
        ({"created_at": "2026-01-01T10:00:00Z"}, {"created_at": "2026-01-01T10:09:00Z"}, 3),
        ({}, {"agent": "video/comment-scraper"}, 3),
        ({"created_at": "today"}, {"created_at": "tomorrow", "agent": "video/comment-scraper"}, 3),
        ({"completed_at": "2026-01-01T10:00:00Z"}, {"completed_at": "2026-02-01T10:00:00Z"}, 3),
        ({}, {}, 2),
        ({"created_at": "2026-01-01T10:00:00Z"}, 404, 2),
        ({"created_at": "2026-01-01T10:00:00Z"}, 410, 2),
    ],
)
def test_rows_of_another_job_that_has_the_id_by_now_are_not_the_answer(scripted, ledger, before, after, rows):
    def tell(**told):
        status = json.dumps({"job_id": "j1", "status": "completed", **told}).encode()
        scripted.answers["status"] = lambda answer: answer(200, status)

    tell(**before)
    keeper = scripted.client(ledger, keep_rows=True)
    keeper.run("events/events", EVENTS)
    others = json.dumps({"status": "completed", "data": [{"other": n} for n in range(rows)]}).encode()
    if isinstance(after, int):
        scripted.answers["status"] = lambda answer: answer(after, b"{}")
    else:
        tell(**after)
    scripted.answers["results"] = lambda answer: answer(200, others)
    scripted.answers["start"] = lambda answer: answer(503, b"{}", headers={"retry-after": "9000"})
    # It is run anew, which this service refuses: nothing else is an answer.
    with pytest.raises(rh.errors.ApiError, match="start of `events/events`"):
        keeper.run("events/events", EVENTS, reuse=WEEK, parse_dates=True)
    assert len(files(ledger)) == 1


def test_rows_of_another_job_that_are_found_out_while_they_are_fetched_are_not_the_answer(scripted, ledger):
    told = iter(["2026-01-01T10:00:00Z"] * 2 + ["2026-02-01T10:00:00Z"] * 9)
    status = lambda: json.dumps({"job_id": "j1", "status": "completed", "created_at": next(told)}).encode()  # noqa: E731
    scripted.answers["status"] = lambda answer: answer(200, status())
    keeper = scripted.client(ledger, keep_rows=True)
    keeper.run("events/events", EVENTS)
    others = iter([(404, b"{}"), (200, b'{"status": "completed", "data": [{"other": 1}]}')])
    scripted.answers["results"] = lambda answer: answer(*next(others))
    scripted.answers["start"] = lambda answer: answer(503, b"{}", headers={"retry-after": "9000"})
    with pytest.raises(rh.errors.ApiError, match="start of `events/events`"):
        keeper.run("events/events", EVENTS, reuse=WEEK, parse_dates=True)
    assert len(files(ledger)) == 1


@pytest.mark.parametrize("status", [404, 410])
def test_rows_that_are_there_are_fetched_again_whatever_the_status_call_says(scripted, ledger, status):
    keeper = scripted.client(ledger, keep_rows=True)
    first = keeper.run("events/events", EVENTS)
    scripted.answers["status"] = lambda answer: answer(status, b"{}")
    again = keeper.run("events/events", EVENTS, reuse=WEEK, parse_dates=True)
    assert (again.job.id, again.job.reused, scripted.starts) == (first.job.id, True, 1)


def test_rows_that_are_fetched_again_are_shown_on_their_way(keeper, service, monkeypatch, capfd):
    keeper.run("events/events", {**EVENTS, "maxResults": 2000})
    service.inject("results", rh.faults.Stall(at=0.5, seconds=0.5))
    keeper.run("events/events", {**EVENTS, "maxResults": 2000}, reuse=WEEK, parse_dates=True, progress=True)
    assert "completed: " in capfd.readouterr().err


def test_rows_that_were_kept_and_not_handed_over_count_as_fetched_where_they_answer_a_request(keeper, ledger):
    for options in ({}, {"parse_dates": True}):
        keeper.run("events/events", EVENTS)
        assert not keeper.jobs("unfetched")
        with sqlite3.connect(ledger) as connection:
            connection.execute("UPDATE entries SET fetched_at = NULL")
        assert keeper.jobs("unfetched")
        assert keeper.run("events/events", EVENTS, reuse=WEEK, **options).job.reused
        assert not keeper.jobs()[0].is_unfetched


def test_of_many_a_request_whose_rows_cannot_be_fetched_again_costs_nothing_and_names_their_job(keeper, service):
    first = keeper.run("events/events", EVENTS)
    service.inject("results", rh.faults.Status(403), times=None)
    with pytest.warns(rh.RowhaulWarning):
        haul = keeper.run_many([("events/events", EVENTS)], reuse=WEEK, parse_dates=True, progress=False)
    (failure,) = haul.failures
    assert (failure.job_id, failure.cost_usd, haul.cost_usd, len(service.starts)) == (first.job.id, 0, 0, 1)


def test_a_request_is_answered_with_no_service_at_all(drive, ledger):
    with rh.LocalService(clock="instant") as service:
        keeper = drive(service, ledger=ledger, keep_rows=True)
        rows = keeper.run("events/events", EVENTS)
    assert same(keeper.run("events/events", EVENTS, reuse=WEEK, max_cost_usd=0), rows)


def test_rows_of_a_job_and_of_many_runs_are_kept(keeper, service):
    job = keeper.start("events/events", EVENTS)
    job.wait()
    job.rows()
    requests = [rh.Request("events/events", {**EVENTS, "maxResults": count}) for count in (2, 3, 4)]
    haul = keeper.run_many(requests, reuse=WEEK, progress=False)
    assert [outcome.rows.job.reused for outcome in haul] == [False, True, False]
    assert haul.cost_usd == Decimal("0.06")
    again = keeper.run_many(requests, reuse=WEEK, progress=False)
    assert (again.cost_usd, len(again.rows), len(service.starts)) == (0, 9, 3)
    assert {outcome.rows.job.reused for outcome in keeper.iter_many(requests, reuse=WEEK)} == {True}


def test_notes_survive(scripted, ledger):
    body = b'{"status": "completed", "data": [{"a": 1}, {"a": "x"}, {"a": {"b": 1}}]}'
    scripted.answers["results"] = lambda answer: answer(200, body)
    keeper = scripted.client(ledger, keep_rows=True)
    rows = keeper.run("events/events", EVENTS)
    assert rows.notes
    again = keeper.run("events/events", EVENTS, reuse=WEEK)
    assert again.job.reused
    assert same(again, rows)


def test_files_are_for_the_users_eyes_and_any_arrow_library_reads_them(keeper, ledger):
    rows = keeper.run("events/events", EVENTS)
    (file,) = files(ledger)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert pl.read_ipc(file).equals(pl.DataFrame(rows))


def test_a_directory_may_be_chosen(drive, service, tmp_path):
    place = tmp_path / "some" / "where"
    keeper = drive(service, ledger=tmp_path / "ledger.sqlite", keep_rows=place)
    keeper.run("events/events", EVENTS)
    assert len(list(place.iterdir())) == 1
    assert not (tmp_path / "rows").exists()


def test_a_tilde_is_the_users_directory_wherever_a_client_is_told_a_path(service, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    service.client(ledger="~/one.sqlite", keep_rows="~/kept").run("events/events", EVENTS)
    monkeypatch.setenv("ROWHAUL_LEDGER", "~/other.sqlite")
    rh.Client(service.url, service.api_key).run("events/events", EVENTS)
    assert {"one.sqlite", "other.sqlite", "kept"} <= {path.name for path in tmp_path.iterdir()}
    with pytest.raises(rh.errors.ConfigError, match=str(tmp_path / "ca.pem")):
        rh.Client("https://service.invalid", "key-123456", ca_file="~/ca.pem").balance()


def test_the_oldest_rows_go_when_there_are_too_many(drive, service, ledger):
    drive(service, ledger=ledger, keep_rows=True).run("events/events", EVENTS)
    (first,) = files(ledger)
    keeper = drive(service, ledger=ledger, keep_rows=True, keep_rows_bytes=first.stat().st_size * 3 // 2)
    keeper.run("events/events", {**EVENTS, "searchQueries": ["jazz bergen"]})
    assert len(files(ledger)) == 1
    assert not first.exists()
    assert not keeper.run("events/events", EVENTS, reuse=WEEK).job.reused


def test_rows_beyond_the_limit_are_not_kept_and_it_is_said(drive, service, ledger):
    keeper = drive(service, ledger=ledger, keep_rows=True, keep_rows_bytes=100)
    rows = keeper.run("events/events", EVENTS)
    assert len(rows) == 3
    assert "keep_rows_bytes" in rows.notes[-1].message
    assert any("keep_rows_bytes" in note for note in rows.job.notes)
    assert files(ledger) == []


@pytest.mark.parametrize("harm", ["removed", "cut", "changed", "foreign", "a directory"])
def test_a_file_that_is_not_what_was_kept_is_fetched_again_and_it_is_said(keeper, service, ledger, harm):
    keeper.run("events/events", EVENTS)
    (file,) = files(ledger)
    whole = file.read_bytes()
    file.unlink()
    if harm == "a directory":
        file.mkdir()
    elif harm != "removed":
        middle = len(whole) // 2
        changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
        file.write_bytes({"cut": whole[:-9], "changed": changed, "foreign": b"x" * len(whole)}[harm])
    rows = keeper.run("events/events", EVENTS, reuse=WEEK)
    assert (len(rows), rows.job.reused, len(service.starts)) == (3, True, 1)
    assert "could not be used and were fetched again" in rows.notes[-1].message
    again = keeper.run("events/events", EVENTS, reuse=WEEK)
    assert again.job.reused
    assert not [note for note in again.notes if "could not be used" in note.message]


def test_rows_that_cannot_be_kept_are_returned_with_a_note(drive, service, tmp_path):
    place = tmp_path / "rows"
    place.write_text("in the way")
    keeper = drive(service, ledger=tmp_path / "ledger.sqlite", keep_rows=place)
    rows = keeper.run("events/events", EVENTS)
    assert len(rows) == 3
    assert "not kept" in rows.notes[-1].message


def test_forgetting_removes_kept_rows_and_nothing_else(keeper, service, ledger, drive):
    first = keeper.run("events/events", EVENTS)
    for count in (1, 2):
        keeper.run("events/events", {**EVENTS, "maxResults": count})
    with rh.LocalService(clock="instant") as other:
        neighbour = drive(other, ledger=ledger, keep_rows=True)
        neighbour.run("events/events", EVENTS)
    assert (keeper.forget(first.job.id), len(files(ledger))) == (1, 3)
    assert not keeper.run("events/events", EVENTS, reuse=WEEK).job.reused
    assert (keeper.forget("none"), len(files(ledger))) == (0, 3 + 1)
    with pytest.raises(TypeError, match="job_id"):  # the id of a start that nobody answered
        keeper.forget(None)
    assert (keeper.forget_all(), keeper.forget_all()) == (3, 0)
    assert len(files(ledger)) == 1
    assert len(keeper.jobs()) == len(service.starts) == 4
    assert neighbour.run("events/events", EVENTS, reuse=WEEK).job.reused


def test_what_cannot_be_is_refused_with_the_way_out(drive, service, ledger):
    client = drive(service, ledger=ledger)
    for call in (
        lambda: client.run("events/events", EVENTS, reuse=60),
        lambda: client.run_many([("events/events", EVENTS)], reuse=60, progress=False),
    ):
        with pytest.raises(rh.errors.ConfigError) as caught:
            call()
        assert "keep_rows=True" in caught.value.hint
    with pytest.raises(rh.errors.ConfigError, match="ledger"):
        drive(service, ledger=False, keep_rows=True)
    with pytest.raises(rh.errors.ConfigError, match="keep_rows_bytes"):
        drive(service, ledger=ledger, keep_rows=True, keep_rows_bytes=0)
    with pytest.raises(rh.errors.ConfigError, match="reuse"):
        drive(service, ledger=ledger, keep_rows=True).run("events/events", EVENTS, reuse=-1)
    assert service.starts == []


def test_nothing_is_kept_unless_asked_for(drive, service, ledger):
    drive(service, ledger=ledger).run("events/events", EVENTS)
    assert not (ledger.parent / "rows").exists()


def test_threads_and_tasks_keep_and_reuse_beside_each_other(service, ledger):
    keeper = service.client(ledger=ledger, keep_rows=True)
    threads = [threading.Thread(target=keeper.run, args=("events/events", EVENTS)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(files(ledger)) == 1

    async def reused():
        async with service.async_client(ledger=ledger, keep_rows=True) as client:
            runs = [client.run("events/events", EVENTS, reuse=WEEK) for _ in range(8)]
            return [rows.job.reused for rows in await asyncio.gather(*runs)]

    assert asyncio.run(reused()) == [True] * 8


def test_another_process_answers_from_what_one_kept_that_was_killed(scripted, ledger):
    with running(scripted.url, ledger, keep_rows=True) as program:
        program.begin()
        assert program.stdout.readline() == "done\n"
    rows = scripted.client(ledger, keep_rows=True).run(
        "events/events", {"searchQueries": ["x"], "maxResults": 3}, reuse=WEEK
    )
    assert (rows.job.reused, len(rows), scripted.starts) == (True, 3, 1)


def test_killed_while_keeping_no_file_is_there_that_is_not_whole(scripted, ledger):
    body = json.dumps({"status": "completed", "data": [{"text": str(n * 7919)} for n in range(200_000)]}).encode()
    scripted.answers["results"] = lambda answer: answer(200, body)
    place = ledger.parent / "rows"
    with running(scripted.url, ledger, keep_rows=True) as program:
        program.begin()
        while not place.is_dir() or not any(place.iterdir()):
            assert program.poll() is None
    scripted.answers["results"] = lambda answer: answer(200, RESULTS)
    whole = [file for file in files(ledger) if not file.name.startswith(".")]
    for file in whole:
        assert len(pl.read_ipc(file)) == 200_000
    keeper = scripted.client(ledger, keep_rows=True)
    rows = keeper.run("events/events", {"searchQueries": ["x"], "maxResults": 3}, reuse=WEEK)
    assert len(rows) == (200_000 if rows.job.reused else 3)

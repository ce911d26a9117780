"""Results in batches."""

import asyncio
import contextlib

import duckdb
import pyarrow as pa
import pytest

import rowhaul as rh

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 100}


def test_batches_hold_what_the_rows_hold(client):
    job = client.start("events/events", EVENTS)
    job.wait()
    whole = job.rows()
    batches = list(job.stream(batch_rows=30))
    assert [len(batch) for batch in batches] == [30, 30, 30, 10]
    assert {batch.columns == whole.columns for batch in batches} == {True}
    assert [row for batch in batches for row in batch.to_dicts()] == whole.to_dicts()


def test_a_stream_is_taken_by_other_libraries(service):
    job = service.client().start("events/events", EVENTS).wait()
    stream = job.stream(batch_rows=30)
    assert stream.row_count == 100
    assert list(stream.schema) == job.rows().columns
    reader = pa.RecordBatchReader.from_stream(stream)
    assert [batch.num_rows for batch in reader] == [30, 30, 30, 10]
    stream = job.stream(batch_rows=30)
    assert duckdb.sql("select count(*) from stream").fetchall() == [(100,)]


def test_a_stream_that_was_begun_hands_over_what_is_left(service):
    stream = service.client().start("events/events", EVENTS).wait().stream(batch_rows=60)
    assert len(next(stream)) == 60
    assert pa.table(stream).num_rows == 40
    assert list(stream) == []


def test_an_await_that_is_given_up_loses_no_rows(service):
    async def collect():
        async with service.async_client() as client:
            job = await client.start("events/events", EVENTS)
            stream = (await job.wait()).stream(batch_rows=10)
            batches = [await anext(stream)]
            while sum(map(len, batches)) < stream_rows:
                for ticks in range(4):
                    given_up = asyncio.ensure_future(anext(stream))
                    for _ in range(ticks):
                        await asyncio.sleep(0)
                    given_up.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        batches.append(await given_up)
                with contextlib.suppress(StopAsyncIteration):
                    batches.append(await anext(stream))
            return batches

    stream_rows = 100
    whole = service.client().start("events/events", EVENTS).wait().rows().to_dicts()
    assert [row for batch in asyncio.run(collect()) for row in batch.to_dicts()] == whole


def test_what_is_not_ready_is_not_streamed(drive, held):
    job = drive(held).start("events/events", EVENTS)
    with pytest.raises(rh.errors.ResultsNotReady):
        next(iter(job.stream()))


@pytest.mark.parametrize("count", [0, -1])
def test_batches_of_less_than_one_row_are_refused(drive, held, count):
    job = drive(held).start("events/events", EVENTS)
    with pytest.raises(rh.errors.ConfigError, match="`batch_rows` must be 1 or more"):
        next(iter(job.stream(batch_rows=count)))

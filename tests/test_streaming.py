"""Results in batches."""

import asyncio
import contextlib
import os
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import rowhaul as rh
from programs import start

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 100}


def spools():
    """Count the open files that have no name: those that rows wait in."""
    count = 0
    for file in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            count += str(file.readlink()).endswith(" (deleted)")
    return count


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


def test_a_closed_stream_gives_nothing_and_holds_no_file(service):
    job = service.client().start("events/events", EVENTS).wait()
    before = spools()
    with job.stream(batch_rows=30) as stream:
        assert len(next(stream)) == 30
        assert spools() == before + 1
    assert spools() == before
    assert (stream.row_count, repr(stream)[:31]) == (100, "Stream(closed, 100 rows × 30 co")
    for ask in (lambda: next(stream), lambda: list(stream), stream.__enter__):
        with pytest.raises(ValueError, match="the stream is closed"):
            ask()
    with pytest.raises(Exception, match="the stream is closed"):
        pa.table(stream)
    stream.close()


def test_a_stream_lets_go_of_its_file_behind_the_last_batch(client):
    job = client.start("events/events", EVENTS).wait()
    before = spools()
    stream = job.stream()
    assert len(next(stream)) == 100
    assert spools() == before
    assert list(stream) == []


def test_an_async_stream_knows_its_schema_once_it_is_entered(service):
    async def stream():
        async with service.async_client() as client:
            job = await (await client.start("events/events", EVENTS)).wait()
            stream = job.stream(batch_rows=30)
            assert repr(stream) == "AsyncStream(not fetched yet)"
            with pytest.raises(RuntimeError, match="enter `async with` the stream, or take the first batch"):
                _ = stream.schema
            before = spools()
            async with stream:
                known = (list(stream.schema), stream.row_count, stream.notes, repr(stream))
                sizes = [len(await anext(stream))]
                assert spools() == before + 1
            assert spools() == before
            for ask in (anext(stream), stream.__aenter__()):
                with pytest.raises(ValueError, match="the stream is closed"):
                    await ask
            untouched = job.stream()
            await untouched.close()
            with pytest.raises(ValueError, match="the stream is closed"):
                await anext(untouched)
            with pytest.raises(ValueError, match="the stream is closed"):
                _ = untouched.row_count
            given_up = job.stream()
            fetching = asyncio.ensure_future(anext(given_up))
            await asyncio.sleep(0)
            await given_up.close()
            with pytest.raises(ValueError, match="the stream is closed"):
                await fetching
            assert spools() == before
            return known, sizes

    blocking = service.client().start("events/events", EVENTS).wait().stream()
    known, sizes = asyncio.run(stream())
    assert known == (list(blocking.schema), 100, blocking.notes, "Async" + repr(blocking))
    assert sizes == [30]


def test_two_tasks_and_one_that_gave_up_share_one_fetching(service):
    async def collect():
        async with service.async_client() as client:
            stream = (await (await client.start("events/events", EVENTS)).wait()).stream(batch_rows=50)
            for ticks in range(20):
                given_up = asyncio.ensure_future(stream.__aenter__())
                for _ in range(ticks):
                    await asyncio.sleep(0)
                given_up.cancel()
            return await asyncio.gather(anext(stream), anext(stream))

    whole = service.client().start("events/events", EVENTS).wait().rows().to_dicts()
    batches = asyncio.run(collect())
    assert sorted(map(len, batches)) == [50, 50]
    assert [row for batch in batches for row in batch.to_dicts()] in (whole, whole[50:] + whole[:50])


def test_what_is_not_ready_is_not_streamed(drive, held):
    job = drive(held).start("events/events", EVENTS)
    with pytest.raises(rh.errors.ResultsNotReady):
        next(iter(job.stream()))


@pytest.mark.parametrize("count", [0, -1])
def test_batches_of_less_than_one_row_are_refused(drive, held, count):
    job = drive(held).start("events/events", EVENTS)
    with pytest.raises(rh.errors.ConfigError, match="`batch_rows` must be 1 or more"):
        next(iter(job.stream(batch_rows=count)))


def test_a_stream_that_was_used_up_is_not_handed_over_as_if_it_were_empty(service):
    job = service.client().run("events/events", EVENTS).job
    stream = job.stream()
    assert pl.DataFrame(stream).height == 100
    with pytest.raises(ValueError, match="all rows of this stream were taken"):
        pl.DataFrame(stream)
    nothing = service.client().run("events/events", {"searchQueries": ["x"], "maxResults": 1}).job.stream()
    next(nothing)
    # Which of them depends on DuckDB's version.
    with pytest.raises((duckdb.InvalidInputException, ValueError), match="all rows of this stream were taken"):
        duckdb.sql("from nothing").fetchall()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("way", ["close", "del"])
def test_a_child_leaves_its_parents_stream_alone_and_lets_go_of_the_file(service, way):
    code = """
        import gc, os, sys, rowhaul as rh
        client = rh.Client(sys.argv[1], sys.argv[2])
        job = client.start("events/events", {"searchQueries": ["x"], "maxResults": 8000}).wait()
        stream = job.stream()
        rows = len(next(stream))
        child = os.fork()
        if child == 0:
            for use in (next, lambda stream: stream.__arrow_c_stream__()):
                try:
                    use(stream)
                except rh.errors.ConfigError as error:
                    print(error)
            before = len(os.listdir("/dev/fd"))
            if sys.argv[3] == "close":
                stream.close()
            else:
                del stream, use
                gc.collect()
            print("the child lets go of", before - len(os.listdir("/dev/fd")))
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
        print(rows + sum(map(len, stream)))
    """
    with start(code, service.url, service.api_key, way) as program:
        printed, told = program.communicate(timeout=50)
    assert printed.count("begun before a fork") == 2, told
    assert printed.splitlines()[2:] == ["the child lets go of 1", "8000"]

"""Functions at work as agents: each on a thread of its own, its rows taken as they come, its exceptions told."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import logging
import threading
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rowhaul._receivers import wanted
from rowhaul._rows import Rows

from ._values import plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rowhaul import _core

_log = logging.getLogger("rowhaul.service")

# How often a coroutine that is being waited for looks whether its job was cancelled.
_LOOK = 0.05


class Failure(Exception):
    """Why a job has failed, in the words that are shown."""


class RawRow(str):
    """A row that is JSON text already."""

    __slots__ = ()


def begin(name: str, function: Callable[..., Any], params: str, feed: _core.Feed) -> None:
    """Set the function of an agent to work on a thread of its own. Where it raises, its traceback is logged."""
    _set_to_work(lambda given, _: function(**given), params, feed, name)


def begin_with_feed(function: Callable[[dict[str, Any], _core.Feed], Any], params: str, feed: _core.Feed) -> None:
    """Set to work, on a thread of its own, what looks by itself whether anybody still wants the rows."""
    _set_to_work(function, params, feed, None)


def parquet_rows(path: Path) -> Callable[..., Any]:
    """Give the function of an agent whose rows are those of a Parquet file, which is read batch by batch."""
    wanted("pyarrow")
    parquet = import_module("pyarrow.parquet")
    parquet.ParquetFile(path).close()

    def rows(maxResults: int = 0) -> Iterator[dict[str, Any]]:  # noqa: N803 - the name on the wire
        with parquet.ParquetFile(path) as file:
            every = (row for batch in file.iter_batches(1000) for row in batch.to_pylist())
            yield from itertools.islice(every, maxResults or None)

    return rows


def told(error: BaseException) -> str:
    """Say an exception in one line."""
    return f"{type(error).__name__}: {error}"


def _set_to_work(*work: Any) -> None:
    threading.Thread(target=_work, args=work, name="rowhaul-agent", daemon=True).start()


def _work(
    function: Callable[[dict[str, Any], _core.Feed], Any], params: str, feed: _core.Feed, name: str | None
) -> None:
    try:
        given = function(json.loads(params), feed)
        if inspect.isawaitable(given) or isinstance(given, AsyncIterable):
            is_wanted = asyncio.run(_awaited(given, feed))
        else:
            is_wanted = _taken(given, feed)
        if is_wanted:
            feed.finish()
        else:
            feed.fail("the job was cancelled")
    except Failure as error:
        feed.fail(str(error))
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is why the job has failed
        if name is not None:
            # Before the job fails, so that whoever sees it failed finds the reason in the log.
            _log.error("agent `%s` raised, asked for %.200s", name, params, exc_info=_of_its_own(error))
        feed.fail(told(error))


def _of_its_own(error: BaseException) -> BaseException:
    """Leave out of a traceback how the agent was called: what is before its own code."""
    frames = error.__traceback__
    own = frames
    while frames is not None:
        if frames.tb_frame.f_code.co_filename == __file__:
            own = frames.tb_next
        frames = frames.tb_next
    return error.with_traceback(own)


def _taken(rows: Any, feed: _core.Feed) -> bool:
    """Take rows as they come; false when nobody wants them any more."""
    if rows is None:
        return True
    if isinstance(rows, Mapping):
        rows = [rows]
    elif hasattr(rows, "__arrow_c_stream__") and hasattr(rows, "columns") and not isinstance(rows, Rows):
        ways = '`json.loads(….to_json(orient="records"))` of pandas, `.to_dicts()` of polars, `.to_pylist()` of pyarrow'
        raise Failure(f"an agent gives dicts, not {type(rows).__name__}: {ways} gives them")
    elif isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise Failure(f"an agent gives dicts, not {type(rows).__name__}")
    return all(_row(row, feed) for row in rows)


def _row(row: Any, feed: _core.Feed) -> bool:
    try:
        return feed.text(row) if isinstance(row, RawRow) else feed.row(row, plain)
    except (TypeError, ValueError) as error:
        raise Failure(str(error)) from None


async def _awaited(given: Any, feed: _core.Feed) -> bool:
    """Wait for a coroutine, or for the rows of an async generator, until the job is cancelled."""
    work = asyncio.ensure_future(_rows_of(given, feed))
    while not work.done():
        await asyncio.wait({work}, timeout=_LOOK)
        if feed.is_stopped():
            work.cancel()
    if work.cancelled() and feed.is_stopped():
        return False
    # An agent that cancels itself has failed.
    return await work


async def _rows_of(given: Any, feed: _core.Feed) -> bool:
    if isinstance(given, AsyncIterable):
        async for row in given:
            if not _row(row, feed):
                return False
        return True
    return _taken(await given, feed)

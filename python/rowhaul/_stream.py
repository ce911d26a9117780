"""Rows in batches, for results that are larger than memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._described import described
from ._progress import awaited, waited
from ._receivers import laid_out
from ._rows import Rows
from ._schema import Schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from . import _core
    from ._core import Pending
    from ._job import AsyncJob, Job
    from ._notes import Note


class _StreamRecord:
    """What `Stream` and `AsyncStream` have in common: what is known of the rows before the first batch."""

    def __init__(self, core: _core.Stream | None) -> None:
        self._core = core
        self._is_closed = False

    @property
    def row_count(self) -> int:
        """How many rows there are in all batches together."""
        return self._fetched().row_count

    @property
    def schema(self) -> Schema:
        """The columns' names and Arrow types, the same for all batches."""
        return Schema(self._fetched().head())

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was widened and why."""
        return Rows(self._fetched().head()).notes

    def _fetched(self) -> _core.Stream:
        if self._core is None:
            self._refuse_if_closed()
            raise RuntimeError("the rows were not fetched yet: enter `async with` the stream, or take the first batch")
        return self._core

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise ValueError("the stream is closed")

    def __repr__(self) -> str:
        told = "not fetched yet" if self._core is None else described(self.row_count, self._core.head().columns)
        return f"{type(self).__name__}({'closed, ' * self._is_closed}{told})"


class Stream(_StreamRecord):
    """The rows of a job, batch by batch: each step gives `Rows` of the same schema.

    `pa.RecordBatchReader.from_stream(stream)` and `duckdb.sql("from stream")` take it as it is, in constant memory.
    A stream can be consumed once. A used-up stream raises `ValueError` when it is exported again, and so does a DuckDB
    relation over it that is queried twice: keep its result, as with `.df()`. A stream belongs to the process that began
    it: in the child of a fork it raises `ConfigError`. The temporary file with the rows is removed after the last
    batch, with the stream itself, or at the end of a `with`, whichever comes first.

    >>> import rowhaul as rh
    >>> with rh.LocalService(clock="instant") as service:
    ...     job = service.client().start("events/events", {"searchQueries": ["jazz"], "maxResults": 50}).wait()
    ...     with job.stream(batch_rows=20) as stream:
    ...         print(stream.row_count, len(next(stream)))
    50 20

    """

    def __init__(self, job: Job, fetching: Pending[tuple[_core.Job, _core.Stream]]) -> None:
        self._job = job
        self._job._core, core = waited(fetching)  # noqa: SLF001
        super().__init__(core)

    def close(self) -> None:
        """Drop the batches that were not taken, and their file. Asking for another batch is a `ValueError` then."""
        self._is_closed = True
        self._fetched().close()

    def __enter__(self) -> Self:
        self._refuse_if_closed()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Rows:
        batch = self._fetched().next()
        if batch is None:
            raise StopIteration
        return Rows(batch, self._job)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the batches that are left over by Arrow's PyCapsule protocol."""
        return laid_out(self._fetched()).__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Hand the schema over by Arrow's PyCapsule protocol."""
        return laid_out(self._fetched()).__arrow_c_schema__()


class AsyncStream(_StreamRecord):
    """The rows of a job, batch by batch, for `async for`: `Stream` with every step awaited.

    They are fetched when the first batch is asked for, or on entering `async with job.stream() as stream:`. Only then
    is there a `schema`, a `row_count` and `notes`.
    """

    def __init__(self, job: AsyncJob, fetch: Callable[[], Pending[tuple[_core.Job, _core.Stream]]]) -> None:
        # What has a loop has loaded it; `import rowhaul` alone does not.
        from asyncio import Lock

        super().__init__(None)
        self._job = job
        self._fetch = fetch
        self._fetching = Lock()

    async def close(self) -> None:
        """Drop the batches that were not taken: see `Stream.close`. A fetch under way is dropped when it is done."""
        self._is_closed = True
        if self._core is not None:
            await awaited(self._core.close_pending())

    async def __aenter__(self) -> Self:
        await self._fetched_once()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Rows:
        core = self._core or await self._fetched_once()
        await awaited(core.read_pending())
        batch = core.take()
        if batch is None:
            raise StopAsyncIteration
        return Rows(batch, self._job)

    async def _fetched_once(self) -> _core.Stream:
        """Fetch, unless another task does; who is cancelled meanwhile leaves it to the next."""
        async with self._fetching:
            self._refuse_if_closed()
            if self._core is None:
                self._job._core, core = await awaited(self._fetch())  # noqa: SLF001
                if self._is_closed:
                    core.close()
                    raise ValueError("the stream is closed")
                self._core = core
            return self._core

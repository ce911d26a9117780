"""Rows in batches, for results that are larger than memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._progress import awaited, waited
from ._receivers import laid_out
from ._rows import Rows, Schema, shape

if TYPE_CHECKING:
    from typing import Self

    from . import _core
    from ._core import Pending
    from ._job import AsyncJob, Job
    from ._notes import Note


class Stream:
    """The rows of a job, batch by batch: each step gives `Rows` of the same schema.

    `pa.RecordBatchReader.from_stream(stream)` and `duckdb.sql("from stream")` take it as it is, in constant memory. What
    was taken is gone: go through it once.
    """

    def __init__(self, job: Job, fetching: Pending[tuple[_core.Job, _core.Stream]]) -> None:
        self._job = job
        self._job._core, self._core = waited(fetching)  # noqa: SLF001

    @property
    def row_count(self) -> int:
        """How many rows there are in all batches together."""
        return self._core.row_count

    @property
    def schema(self) -> Schema:
        """The columns' names and Arrow types, the same for all batches."""
        return Schema(self._core.head())

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was widened and why."""
        return Rows(self._core.head()).notes

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Rows:
        batch = self._core.next()
        if batch is None:
            raise StopIteration
        return Rows(batch, self._job)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the batches that are left over by Arrow's PyCapsule protocol."""
        return laid_out(self._core).__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Hand the schema over by Arrow's PyCapsule protocol."""
        return laid_out(self._core).__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"Stream({shape(self.row_count, self._core.head().columns)})"


class AsyncStream:
    """The rows of a job, batch by batch, for `async for`. They are fetched when the first is asked for; go through once."""

    def __init__(self, job: AsyncJob, fetching: Pending[tuple[_core.Job, _core.Stream]]) -> None:
        self._job = job
        self._fetching = fetching
        self._core: _core.Stream | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Rows:
        core = self._core or await self._fetched()
        await awaited(core.read_pending())
        batch = core.take()
        if batch is None:
            raise StopAsyncIteration
        return Rows(batch, self._job)

    async def _fetched(self) -> _core.Stream:
        self._job._core, core = await awaited(self._fetching)  # noqa: SLF001
        self._core = core
        return core

"""A run as the service knows it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NoReturn

from . import _html
from ._options import at_least_one, decode_options, seconds
from ._paths import in_home
from ._progress import awaited, waited
from ._rows import Rows
from ._stream import AsyncStream, Stream

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta
    from decimal import Decimal
    from os import PathLike
    from typing import Self

    from . import _core
    from ._options import SchemaLike


class _JobRecord:
    """What `Job` and `AsyncJob` have in common: the last that was heard of the job. Reading it sends nothing."""

    def __init__(self, client: _core.Client, core: _core.Job) -> None:
        self._client = client
        self._core = core

    @property
    def id(self) -> str:
        """The service's name for the job; `client.job(id)` takes it up again, in any process."""
        return self._core.id

    @property
    def status(self) -> str:
        """The last status heard, such as `"running"`; `"completed"` when the rows are ready (section 2.2 of the specification)."""
        return self._core.status

    @property
    def agent(self) -> str | None:
        """The agent that runs, `"group/slug"`, or None where it is not known."""
        return self._core.agent

    @property
    def row_count(self) -> int | None:
        """How many rows there are, once the service has said so."""
        return self._core.row_count

    @property
    def cost_usd(self) -> Decimal | None:
        """What the rows cost in USD: count times price, or None while one of them is unknown; never a guess.

        A job that was cancelled, or failed without a row, cost nothing. If the price is not known yet, the client looks
        it up in the background: at most every ten minutes for an agent that states none, and only for jobs it started
        itself, as an earlier one may have been billed at another price.
        """
        return self._core.cost_usd

    @property
    def error(self) -> str | None:
        """Why the job failed, in the service's words, or None."""
        return self._core.error

    @property
    def created_at(self) -> datetime | None:
        """When the run was accepted, or None where the service does not say."""
        return instant(self._core.created_at)

    @property
    def started_at(self) -> datetime | None:
        """When the run began, or None where the service does not say."""
        return instant(self._core.started_at)

    @property
    def completed_at(self) -> datetime | None:
        """When the run ended, or None where the service does not say."""
        return instant(self._core.completed_at)

    @property
    def expires_at(self) -> datetime | None:
        """Until when the rows can be fetched, or None where the service does not say."""
        return instant(self._core.expires_at)

    @property
    def params(self) -> dict[str, Any] | None:
        """The parameters it was started with, completed, or None where neither this client nor the ledger knows them."""
        text = self._core.params
        params: dict[str, Any] | None = None if text is None else json.loads(text)
        return params

    @property
    def extra(self) -> dict[str, Any]:
        """Every other field of the job's record, as the service sent it."""
        extra: dict[str, Any] = json.loads(self._core.extra)
        return extra

    @property
    def reused(self) -> bool:
        """Whether this earlier job answered a later, equal request: see `reuse` of `Client.run`."""
        return self._core.reused

    @property
    def notes(self) -> tuple[str, ...]:
        """What was odd about the service's answers, in the order it was seen."""
        return tuple(self._core.notes)

    def _take(self, core: _core.Job) -> Self:
        self._core = core
        return self

    def _rows(self, answer: tuple[_core.Job, _core.Rows]) -> Rows:
        self._core = answer[0]
        return Rows(answer[1], self)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r}, status={self.status!r}, agent={self.agent!r})"

    def _repr_html_(self) -> str:
        return _html.job(self)  # type: ignore[arg-type]

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} does not pickle: keep its id, and take it up with client.job(id)")


class Job(_JobRecord):
    """A run as the service knows it (section 2.2 of the specification), with a blocking method for each thing that can be done with it."""

    def refresh(self) -> Self:
        """Ask the service how the job is doing (section 4.2 of the specification), once. The result is the job itself.

        Raises
        ------
        NotFound : the service does not have the job, or not any more

        """
        return self._take(waited(self._client.refresh(self._core)))

    def wait(self, timeout: float | timedelta | None = None, *, progress: bool | None = None) -> Self:
        """Wait until the job is completed. The result is the job itself.

        Parameters
        ----------
        timeout : seconds; default: the client's (one hour). One last status check is made at the deadline (up to 5 s
            more)
        progress : whether to show a line of progress; default: in a notebook or a terminal, there with tqdm where it is
            installed

        Raises
        ------
        JobFailed : the job failed or was cancelled
        JobTimeout : the job was still going at the deadline; it goes on

        """
        return self._take(waited(self._client.wait(self._core, seconds("timeout", timeout)), progress=progress))

    def rows(
        self,
        *,
        parse_dates: bool | Sequence[str] = False,
        schema: SchemaLike | None = None,
        max_columns: int | None = None,
    ) -> Rows:
        """Fetch the rows of a completed job (section 4.3 of the specification).

        Columns are `bool`, `int64`, `uint64`, `float64`, text, lists and structs of these, or `null` where there is no
        value. Values that no one type holds become JSON text, with a note.

        Parameters
        ----------
        parse_dates : whether text columns in which every value is an ISO 8601 date or time become dates and timestamps,
            which count microseconds, or nanoseconds where a value has more decimals; or the names of the columns to
            convert; default: text stays text
        schema : an Arrow schema (anything with `__arrow_c_schema__`) whose columns come first, in place of those that
            the specification names for the agent. A column gets its type if every value survives that, and so does
            each member of an object; a note names the first value that does not fit. Members that the schema does not
            name follow those it does. List views, lists of a fixed size, dictionaries and runs have their type as a
            whole or not at all. A field that is never null (`nullable=False`) stays so if nothing is missing. Text
            becomes a number only if every text is a JSON number that keeps all its digits: `"5.00"` becomes a
            `float64`, `"007"` and `"NaN"` stay text; integers accept only text without a fraction or an exponent, and
            `float32` only what `float64` makes the same of, such as 0.5. A timestamp or a duration accepts numbers in
            its own unit, and a timestamp without a zone dates, as midnights. Exact types (decimals, integers, times) accept
            numbers with a point or an exponent only if none was rounded: those of up to 15 digits are not, nor are whole
            ones below 2^53. If a column of the schema is null throughout, a note names columns of the rows that differ from
            it only in capitals or in what stands between words
        max_columns : more columns than this is an error; default 10,000

        Raises
        ------
        ResultsNotReady : the job is not completed
        JobFailed : it failed, and has no rows
        NotFound : the service does not have the job or its rows, or not any more
        DecodeError : the body is not valid results JSON; `.rows` holds the rows before the fault

        >>> import rowhaul as rh
        >>> with rh.LocalService(clock="instant") as service:
        ...     job = service.client().start("events/events", {"searchQueries": ["opera"], "maxResults": 2})
        ...     job.wait().rows()["going"].to_list()
        [3.0, 124.0]

        """
        options = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
        return self._rows(waited(self._client.rows(self._core, options)))

    def stream(
        self,
        *,
        batch_rows: int = 65_536,
        parse_dates: bool | Sequence[str] = False,
        schema: SchemaLike | None = None,
        max_columns: int | None = None,
    ) -> Stream:
        """Fetch the rows of a completed job in batches, in constant memory whatever their number.

        The body goes to a temporary file first, because a column's type follows from all of its values. Results too
        sparse for one table (more than 256 Mi cells, most of them empty; `rows` refuses them and says so) can be read
        this way.

        Parameters
        ----------
        batch_rows : the most rows of one batch. A batch is shorter where it would exceed 8 MiB of the body, or 2 Mi
            cells (nested and empty ones included), and at a boundary between decoding threads, so where batches end
            depends on `threads`
        parse_dates, schema, max_columns : how to decode, as in `rows`

        Raises
        ------
        ResultsNotReady, DecodeError : as `rows`, before the first batch
        OSError : the temporary directory is full or cannot be written

        """
        options = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
        return Stream(self, self._client.stream(self._core, at_least_one("batch_rows", batch_rows), options))

    def cancel(self) -> Self:
        """Cancel the job. The result is the job itself.

        The specification has no such request; services that offer it bill nothing for a cancelled job.

        Raises
        ------
        Unsupported : the service does not cancel; the job is untouched

        """
        return self._take(waited(self._client.cancel(self._core)))

    def download(self, path: str | PathLike[str]) -> int:
        """Write the results' body as sent to a file, which appears whole or not at all. The result is its size in bytes.

        What came compressed is inflated. A file that is there is replaced; `~` is the user's directory.

        Raises
        ------
        ResultsNotReady, JobFailed, NotFound : as `rows`
        TransportError : the body did not come whole, which was tried several times
        BadResponse : the answer is a page or empty, and no results; what are results is saved even if it cannot be
            decoded
        OSError : the file cannot be written

        """
        return waited(self._client.download(self._core, in_home(path)))


class AsyncJob(_JobRecord):
    """A run as the service knows it (section 2.2 of the specification): `Job` with every method awaited."""

    async def refresh(self) -> Self:
        """Ask the service how the job is doing: see `Job.refresh`."""
        return self._take(await awaited(self._client.refresh(self._core)))

    async def wait(self, timeout: float | timedelta | None = None, *, progress: bool | None = None) -> Self:  # noqa: ASYNC109
        """Wait until the job is completed: see `Job.wait`."""
        return self._take(await awaited(self._client.wait(self._core, seconds("timeout", timeout)), progress=progress))

    async def rows(
        self,
        *,
        parse_dates: bool | Sequence[str] = False,
        schema: SchemaLike | None = None,
        max_columns: int | None = None,
    ) -> Rows:
        """Fetch the rows of a completed job: see `Job.rows`."""
        options = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
        return self._rows(await awaited(self._client.rows(self._core, options)))

    def stream(
        self,
        *,
        batch_rows: int = 65_536,
        parse_dates: bool | Sequence[str] = False,
        schema: SchemaLike | None = None,
        max_columns: int | None = None,
    ) -> AsyncStream:
        """Fetch the rows of a completed job in batches, with `async for`: see `Job.stream`."""
        options = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
        rows = at_least_one("batch_rows", batch_rows)
        return AsyncStream(self, lambda: self._client.stream(self._core, rows, options))

    async def cancel(self) -> Self:
        """Cancel the job: see `Job.cancel`."""
        return self._take(await awaited(self._client.cancel(self._core)))

    async def download(self, path: str | PathLike[str]) -> int:
        """Write the results' body as sent to a file: see `Job.download`."""
        return await awaited(self._client.download(self._core, in_home(path)))


#: Times of 1970 and of the year 1 stand for those that were not set.
_FIRST_YEAR = 1971


def instant(text: str | None) -> datetime | None:
    """Read a time of the service's; without an offset it is UTC. What is no time, or one that was never set, is absent."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.year < _FIRST_YEAR:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)

"""What the ledger knows: starts, what became of them, and what is still to be done."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, overload

from . import _html
from ._counted import counted
from ._frozen import frozen
from ._job import AsyncJob, Job, instant
from ._receivers import wanted
from ._warnings import LedgerWarning, RowhaulWarning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    import pandas as pd

    from . import _core

#: How soon rows that were paid for and never fetched may go away before it is said.
_SOON = timedelta(days=2)

#: How many entries a listing shows, and how many characters of what was asked for.
_SHOWN, _ASKED = 20, 60


@dataclass(frozen=True)
class JobEntry:
    """One start as the ledger knows it, or one job that was taken up by its id. Reading it sends nothing.

    Attributes
    ----------
    id : the job's id, or None where no answer to the start brought one
    agent : `"group/slug"`, or None for a job that was started elsewhere
    params : its parameters, completed, under the service's own names; None for a job that was started elsewhere
    status : the service's word, such as `"running"` or `"completed"`; without a job `"starting"`, `"uncertain"`
        (perhaps started), `"rejected"`, `"not_sent"` or `"never_started"`
    row_count, cost_usd : rows, and what they cost in USD; None while unknown
    error : why the job failed, in the service's words, or None
    note : why the start is uncertain or was refused, or how that was settled; or None
    created_at : when the start was written down here, before it was sent (an aware datetime, this machine's clock)
    started_at : when its answer came, or None
    completed_at, expires_at : when it was completed, and until when its rows can be fetched, as the service says; or
        None
    fetched_at : when its rows were fetched, or None
    gone_at : when the service turned out not to have it any more, or None

    """

    id: str | None
    agent: str | None
    params: Mapping[str, Any] | None
    status: str
    row_count: int | None
    cost_usd: Decimal | None
    error: str | None
    note: str | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    expires_at: datetime | None
    fetched_at: datetime | None
    gone_at: datetime | None
    _entry: _core.Entry = field(repr=False, compare=False)
    _client: _core.Client = field(repr=False, compare=False)
    _kind: type[Job | AsyncJob] = field(repr=False, compare=False)
    #: The parameters as a listing shows them: without the key, should it be among them.
    _asked: str | None = field(repr=False, compare=False)

    @property
    def job(self) -> Job | AsyncJob | None:
        """The job, to be waited for and read, or None where there is none: a `Job`, of an `AsyncClient` an `AsyncJob`."""
        found = self._client.job_in(self._entry)
        return None if found is None else self._kind(self._client, found)

    @property
    def is_unfetched(self) -> bool:
        """Whether its rows were paid for and never fetched."""
        return self._entry.is_unfetched

    def __reduce__(self) -> Any:
        raise TypeError("an entry of the ledger does not pickle: keep its id, and take it up with client.job(id)")


#: What a table of entries shows.
_COLUMNS = (
    *("id", "agent", "params", "status", "row_count", "cost_usd", "created_at", "started_at", "completed_at"),
    *("expires_at", "fetched_at", "gone_at", "error", "note"),
)


class Jobs(Sequence[JobEntry]):
    """What the ledger knows of an account's jobs, newest first: a sequence of `JobEntry`."""

    def __init__(self, entries: Sequence[JobEntry]) -> None:
        self._entries = tuple(entries)

    @overload
    def __getitem__(self, at: int) -> JobEntry: ...
    @overload
    def __getitem__(self, at: slice) -> Jobs: ...
    def __getitem__(self, at: int | slice) -> JobEntry | Jobs:
        return Jobs(self._entries[at]) if isinstance(at, slice) else self._entries[at]

    def __len__(self) -> int:
        return len(self._entries)

    def to_pandas(self) -> pd.DataFrame:
        """Give a `pandas.DataFrame` with a row for each entry; times are `datetime64[us, UTC]`, money is `Decimal`."""
        pandas = wanted("pandas")
        frame = pandas.DataFrame(
            [[getattr(entry, name) for name in _COLUMNS] for entry in self], columns=list(_COLUMNS)
        )
        for name in (name for name in _COLUMNS if name.endswith("_at")):
            frame[name] = pandas.to_datetime(frame[name], utc=True).astype("datetime64[us, UTC]")
        frame["row_count"] = frame["row_count"].astype("Int64")
        return frame

    @property
    def unfetched(self) -> Jobs:
        """Those whose rows were paid for and never fetched: `client.resume()` fetches them."""
        return Jobs([entry for entry in self if entry.is_unfetched])

    @property
    def uncertain(self) -> Jobs:
        """Starts that may be running and billed: `client.reconcile()` asks what became of them."""
        return Jobs([entry for entry in self if entry.status == "uncertain"])

    def __repr__(self) -> str:
        lines = [_line(entry) for entry in self[:_SHOWN]]
        more = [f"… {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        return "\n".join([counted(len(self), "job"), *lines, *more, *_to_do(self)])

    def _repr_html_(self) -> str:
        return _html.jobs(self, _SHOWN, _to_do(self))


def _to_do(jobs: Jobs) -> Iterator[str]:
    """Say what is to be done about rows that nobody has, and about starts of which nobody knows."""
    if waiting := jobs.unfetched:
        now = datetime.now(UTC)
        # Whether those whose time is over are gone only the service can say.
        ends = min((e.expires_at for e in waiting if e.expires_at is not None and e.expires_at > now), default=None)
        until = "" if ends is None else f", the first of them until {ends:%Y-%m-%d %H:%M %Z}"
        have = "1 job has rows" if len(waiting) == 1 else f"{len(waiting)} jobs have rows"
        yield f"{have} that were paid for and never fetched{until}: client.resume() fetches them"
    if starts := jobs.uncertain:
        them = "it" if len(starts) == 1 else "them"
        may_run = f"{counted(len(starts), 'start')} may be running and billed"
        yield f"{may_run}: client.reconcile() asks what became of {them}; or say so by client.adopt() or client.dismiss()"


@dataclass(frozen=True)
class Settled:
    """An uncertain start after `reconcile` has looked into it.

    Attributes
    ----------
    status : `"adopted"` (it is `job`), `"never_started"`, or still `"uncertain"`
    how : how that is known, or what is missing
    agent, params : what was started
    created_at : when the start was written down (an aware datetime, this machine's clock)
    job : the job it turned out to be, or None
    candidates : the ids of jobs that may be it
    balance_before_usd : the last balance that was known before the start, or None
    balance_now_usd : the balance now, or None where it cannot be had

    """

    status: str
    how: str
    agent: str | None
    params: Mapping[str, Any] | None
    created_at: datetime
    job: Job | AsyncJob | None
    candidates: tuple[str, ...]
    balance_before_usd: Decimal | None
    balance_now_usd: Decimal | None
    _entry: _core.Entry = field(repr=False, compare=False)

    def __reduce__(self) -> Any:
        raise TypeError("what became of a start does not pickle: keep the id of its job, or its candidates")


def jobs_of(
    client: _core.Client, kind: type[Job | AsyncJob], entries: Sequence[_core.Entry], unknown_status: str | None
) -> Jobs:
    """Make what `jobs` gives, and say what goes away soon, or that there never was anything of that name."""
    if unknown_status is not None:
        warnings.warn(unknown_status, RowhaulWarning, stacklevel=3)
    jobs = Jobs([_entry(client, kind, entry) for entry in entries])
    now = datetime.now(UTC)
    soon = [e for e in jobs if e.is_unfetched and e.expires_at is not None and now < e.expires_at < now + _SOON]
    if soon:
        names = ", ".join(repr(entry.id) for entry in soon[:3]) + (", …" if len(soon) > 3 else "")  # noqa: PLR2004
        warnings.warn(
            f"rows that were paid for and never fetched go away within two days: {names}; client.resume() fetches them",
            LedgerWarning,
            stacklevel=3,
        )
    return jobs


def settled_of(client: _core.Client, kind: type[Job | AsyncJob], settled: _core.Settled) -> Settled:
    """Make what `reconcile` gives."""
    entry, job = settled.entry, settled.job
    return Settled(
        status=settled.status,
        how=settled.how,
        agent=entry.agent,
        params=_params(entry.params),
        created_at=datetime.fromisoformat(entry.written_at),
        job=None if job is None else kind(client, job),
        candidates=tuple(settled.candidates),
        balance_before_usd=entry.balance_before_usd,
        balance_now_usd=settled.balance_now_usd,
        _entry=entry,
    )


def start_in(start: JobEntry | Settled) -> _core.Entry:
    """Give the ledger's entry of a start."""
    if not isinstance(start, JobEntry | Settled):
        raise TypeError(f"a start is one of client.jobs('uncertain') or client.reconcile(), not {type(start).__name__}")
    return start._entry  # noqa: SLF001


def tell_unwritten(job: _core.Job) -> _core.Job:
    """Warn where a job was started and its id is not in the ledger: it is nowhere but here."""
    if job.unwritten is not None:
        warnings.warn(
            f"job {job.id!r} was started, and its id could not be written down: keep it ({job.unwritten})",
            LedgerWarning,
            stacklevel=3,
        )
    return job


def _entry(client: _core.Client, kind: type[Job | AsyncJob], entry: _core.Entry) -> JobEntry:
    return JobEntry(
        id=entry.job_id,
        agent=entry.agent,
        params=_params(entry.params),
        status=entry.status,
        row_count=entry.row_count,
        cost_usd=entry.cost_usd,
        error=entry.error,
        note=entry.note,
        created_at=datetime.fromisoformat(entry.written_at),
        started_at=instant(entry.started_at),
        completed_at=instant(entry.completed_at),
        expires_at=instant(entry.expires_at),
        fetched_at=instant(entry.fetched_at),
        gone_at=instant(entry.gone_at),
        _entry=entry,
        _client=client,
        _kind=kind,
        _asked=client.shown_params(entry),
    )


def _params(text: str | None) -> Mapping[str, Any] | None:
    if text is None:
        return None
    params: Mapping[str, Any] = frozen(json.loads(text))
    return params


def _line(entry: JobEntry) -> str:
    rows = "" if entry.row_count is None else f", {counted(entry.row_count, 'row')}"
    cost = "" if entry.cost_usd is None else f", {entry.cost_usd} USD"
    is_lost = entry.status == "completed" and entry.fetched_at is None and entry.gone_at is not None
    fetched = ", not fetched" if entry.is_unfetched else ", never fetched and gone" if is_lost else ""
    at = f"{entry.created_at:%Y-%m-%d %H:%M:%S}Z"
    params = entry._asked  # noqa: SLF001
    asked = "" if params is None else f"  {_html.shortened(params, _ASKED)}"
    return f"{at}  {entry.id or '–'}  {entry.agent or '–'}  {entry.status}{rows}{cost}{fetched}{asked}"

"""What became of one request among many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _html
from ._counted import counted
from ._request import Request
from ._rows import Rows

if TYPE_CHECKING:
    from decimal import Decimal

    from . import _core
    from ._job import AsyncJob, Job
    from .errors import RowhaulError


#: How many outcomes a listing shows.
_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of one request among many: its rows, or the error it ended with. It pickles; its `job` stays behind.

    Attributes
    ----------
    request : the request, or None where what was given could not become one (then `error` is `InvalidParams`), or where
        a job is taken up again and nobody knows what started it
    job : the job as it was last heard of, or None where none was started
    rows : the rows, or None where the run failed
    error : why it failed, or None
    job_id : the job's id, which pickles
    number : which of the requests of `run_many` or `iter_many` it is, counted from 0; None for a job that is taken up
        again
    cost_usd : what it cost in USD: 0 where certainly nothing was billed or kept rows were reused, None where that is
        not known; never a guess

    """

    request: Request | None
    job: Job | AsyncJob | None = None
    rows: Rows | None = None
    error: RowhaulError | None = None
    job_id: str | None = None
    cost_usd: Decimal | None = None
    number: int | None = None

    @property
    def ok(self) -> bool:
        """Whether there are rows."""
        return self.error is None

    def __repr__(self) -> str:
        what = counted(len(self.rows), "row") if self.rows is not None else _told(self.error)
        asked = f"request {self.number}" if self.request is None and self.number is not None else repr(self.request)
        return f"Outcome({asked}, {what})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Outcome, (self.request, None, self.rows, self.error, self.job_id, self.cost_usd, self.number))


def _told(error: RowhaulError | None) -> str:
    """Say an error in one line, without its hint."""
    return f"{type(error).__name__}: {error}".partition("\n")[0]


class Outcomes(tuple[Outcome, ...]):
    """What became of some requests: a tuple that shows itself as a list to read."""

    __slots__ = ()

    def __repr__(self) -> str:
        more = [f"… {len(self) - _SHOWN:,} more"] if len(self) > _SHOWN else []
        return "\n".join([counted(len(self), "outcome"), *map(repr, self[:_SHOWN]), *more])

    def _repr_html_(self) -> str:
        return _html.outcomes(self)


def resumed(job: Job | AsyncJob, finished: tuple[_core.Job, _core.Rows | None, RowhaulError | None]) -> Outcome:
    """Make what `resume` gives of a job that was taken up again."""
    _, rows, error = finished
    request = None if job.agent is None or job.params is None else Request(job.agent, job.params)
    return Outcome(request, job, None if rows is None else Rows(rows, job), error, job.id, job.cost_usd)

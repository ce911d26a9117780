"""Many runs at once: requests are taken as there is room for them, and outcomes given as they come."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ._counted import counted
from ._haul import Haul
from ._ledger import tell_unwritten
from ._outcome import Outcome
from ._progress import RunsProgress, awaited, waited
from ._request import Request, as_request
from ._rows import Rows
from ._warnings import JobsLeftRunning, RowhaulWarning
from .errors import InvalidParams, RowhaulError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from . import _core
    from ._job import AsyncJob, Job

    #: What stands for one run: a request, or a pair of an agent's name and its parameters.
    RequestLike = Request | tuple[str, Mapping[str, Any]] | list[Any]


#: Packages whose frames stand between an iterator and whoever closed it.
_INSIDE = ("rowhaul", "contextlib", "asyncio")


class Runs:
    """The runs of one call, from an iterable of requests to outcomes as they come."""

    def __init__(
        self,
        client: _core.Client,
        core: _core.Many,
        requests: Iterable[RequestLike],
        *,
        job: type[Job | AsyncJob],
        warn: Callable[[Request], object],
        progress: bool | None,
    ) -> None:
        self._client, self._core, self._job, self._warn = client, core, job, warn
        if isinstance(requests, str | Request | Mapping):
            kind = type(requests).__name__
            raise TypeError(f"many runs are an iterable of requests, not a {kind}; put a single one into a list")
        if hasattr(requests, "__aiter__") and not hasattr(requests, "__iter__"):
            raise TypeError(
                "many runs are a plain iterable of requests; collect an async one: [r async for r in requests]"
            )
        # What is no request is told before any run starts, where all are there.
        self._requests = iter(_checked(requests) if isinstance(requests, list | tuple) else requests)
        self._progress = RunsProgress(requests, progress=progress)
        self._taken = 0
        self._under_way: dict[int, Request] = {}
        #: What could not be added: ended before it began.
        self._unfit: list[tuple[int, Outcome]] = []
        #: The numbers of the requests in the order in which their outcomes were given.
        self._given: list[int] = []

    def blocking(self) -> Iterator[Outcome]:
        """Give the outcomes as they come, blocking for each."""
        with self._watched():
            while self._goes_on():
                outcome = self._ended()
                self._core.hand_over()
                yield outcome

    async def awaited(self) -> AsyncIterator[Outcome]:
        """Give the outcomes as they come, awaiting each."""
        with self._watched():
            while self._goes_on():
                outcome = await self._ended_awaited()
                self._core.hand_over()
                yield outcome

    def collected(self) -> Haul:
        """Give all outcomes together, blocking until the last has come."""
        with self._kept() as outcomes:
            with self._watched():
                while self._goes_on():
                    outcomes.append(self._ended())
            return self._handed_over(outcomes)

    async def collected_awaited(self) -> Haul:
        """Give all outcomes together, awaiting the last."""
        with self._kept() as outcomes:
            with self._watched():
                while self._goes_on():
                    outcomes.append(await self._ended_awaited())
            return self._handed_over(outcomes)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """End what is under way where this ends early."""
        try:
            yield
        except BaseException as end:
            self._give_up(end)
            raise
        finally:
            self._progress.close()

    @contextmanager
    def _kept(self) -> Iterator[list[Outcome]]:
        """Collect outcomes, which were paid for, so that an interrupt carries away those that had come.

        Their rows count as unfetched then: whether anybody takes them from the interrupt is not known.
        """
        outcomes: list[Outcome] = []
        try:
            yield outcomes
        except BaseException as end:
            end.haul = self._haul(outcomes)  # type: ignore[attr-defined]
            if outcomes:
                told = (
                    f"{counted(len(outcomes), 'run')} had ended: what they brought is the `haul` of this exception "
                    "(in a notebook: `sys.last_value.haul`, before another error)"
                )
                if any(outcome.rows is not None and not outcome.rows.job.reused for outcome in outcomes):
                    told += "; `client.resume()` brings their rows again, where a ledger is kept"
                end.add_note(told)
            raise

    def _handed_over(self, outcomes: list[Outcome]) -> Haul:
        haul = self._haul(outcomes)
        self._core.hand_over()
        if outcomes and not any(outcome.ok for outcome in outcomes):
            first = haul[0].error
            warnings.warn(
                f"none of {counted(len(haul), 'run')} brought rows; the first failed with {type(first).__name__}: {first}\n"
                "`failures` of what is returned has all of them, and `raise_first()` raises",
                RowhaulWarning,
                stacklevel=_level_outside(),
            )
        return haul

    def _haul(self, outcomes: list[Outcome]) -> Haul:
        """Put all outcomes into the order of the requests."""
        # An interrupt may come between counting an outcome and keeping it.
        by_number = sorted(zip(self._given, outcomes, strict=False), key=lambda pair: pair[0])
        return Haul(tuple(outcome for _, outcome in by_number))

    def _goes_on(self) -> bool:
        """Take as many requests as there is room for; whether there is anything to wait for."""
        while self._core.room() and not self._unfit:
            try:
                given = next(self._requests)
            except StopIteration:
                break
            self._take(given)
        return bool(self._under_way or self._unfit)

    def _take(self, given: RequestLike) -> None:
        number, request = self._taken, None
        self._taken += 1
        try:
            request = _request_or_invalid(number, given)
            self._warn(request)
            self._core.add(number, request.agent, request._text)  # noqa: SLF001
        except RowhaulError as error:
            self._unfit.append((number, Outcome(request=request, error=error, cost_usd=Decimal(0), number=number)))
        else:
            self._under_way[number] = request

    def _ended(self) -> Outcome:
        """Give the next that has ended, blocking until there is one."""
        if not self._unfit:
            waited(self._core.ended(), watcher=self._progress.show)
        return self._next()

    async def _ended_awaited(self) -> Outcome:
        """Give the next that has ended, awaiting it."""
        if not self._unfit:
            # Taken in the same step: what is awaited would be lost with a task that is cancelled.
            await awaited(self._core.ended(), watcher=self._progress.show)
        return self._next()

    def _next(self) -> Outcome:
        return self._counted(*self._unfit.pop()) if self._unfit else self._outcome(self._core.take())

    def _outcome(self, parts: _core._Done | None) -> Outcome:
        if parts is None:
            raise RuntimeError("the runs were given up; this iterator has no more outcomes")
        number, core, cost, rows, error = parts
        job = None if core is None else self._job(self._client, tell_unwritten(core))
        outcome = Outcome(
            request=self._under_way.pop(number),
            job=job,
            rows=None if rows is None else Rows(rows, job),
            error=error,
            job_id=None if job is None else job.id,
            cost_usd=cost,
            number=number,
        )
        return self._counted(number, outcome)

    def _counted(self, number: int, outcome: Outcome) -> Outcome:
        self._given.append(number)
        self._progress.count(outcome)
        return outcome

    def _give_up(self, end: BaseException) -> None:
        """End what is under way, and say what goes on at the service."""
        told = _left_behind(*self._core.stop())
        if told is None:
            return
        if isinstance(end, GeneratorExit):
            # Nobody sees a note on what closes an iterator.
            warnings.warn(told, JobsLeftRunning, stacklevel=_level_outside())
        else:
            end.add_note(told)


def _checked(requests: list[RequestLike] | tuple[RequestLike, ...]) -> list[RequestLike]:
    """Give the requests; those that break a rule of their agent as they are, for that is told of each by itself."""
    checked = list(requests)
    for number, given in enumerate(requests):
        with suppress(RowhaulError):
            checked[number] = _request(number, given)
    return checked


def _request_or_invalid(number: int, given: RequestLike) -> Request:
    """Give the request; what is none stops no other, for those have been paid for."""
    try:
        return _request(number, given)
    except TypeError as error:
        raise InvalidParams(str(error), reason=str(error)) from None


def _request(number: int, given: RequestLike) -> Request:
    try:
        agent, params = _pair(given) if isinstance(given, tuple | list) else (given, None)
        return as_request(agent, params)
    except TypeError as error:
        raise TypeError(f"request {number}: {error}") from None


def _pair(given: tuple[Any, ...] | list[Any]) -> tuple[Any, Any]:
    try:
        agent, params = given
    except ValueError:
        told = f"a run is a request, or an agent's name and its parameters, not {counted(len(given), 'value')}"
        raise TypeError(told) from None
    return agent, params


def _level_outside() -> int:
    """Say how far up the stack stands whoever closed an iterator, through whatever helper, seen by the caller of this."""
    level, frame = 1, sys._getframe(1)  # noqa: SLF001
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    return level


def _left_behind(job_ids: list[str], untaken: list[str], starting: int) -> str | None:
    jobs = f"started and still going, and billed: {', '.join(map(repr, job_ids))}; client.job(id) takes each up again"
    ended = f"completed and billed, and their rows not taken: {', '.join(map(repr, untaken))}; client.job(id).rows() fetches each"
    starts = (
        f"{counted(starting, 'start')} on the way, and not waited for until an answer came: runs may have been started, and "
        "will then be billed; see client.balance() or the service's list of jobs before starting them again"
    )
    return "\n".join([jobs] * bool(job_ids) + [ended] * bool(untaken) + [starts] * bool(starting)) or None

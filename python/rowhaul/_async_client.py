"""The client that is awaited: `Client` with every method that waits a coroutine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._agent import Agent, Agents, AgentSummary, Estimate
from ._any_client import AnyClient
from ._job import AsyncJob
from ._ledger import JobEntry, Jobs, Settled, jobs_of, settled_of, start_in, tell_unwritten
from ._options import decode_options, run_options, seconds
from ._outcome import resumed
from ._progress import awaited
from ._resume import each_awaited
from ._rows import Rows

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
    from datetime import timedelta
    from decimal import Decimal
    from types import TracebackType
    from typing import Self

    from ._haul import Haul
    from ._many import RequestLike
    from ._options import SchemaLike
    from ._outcome import Outcome
    from ._request import Request


class AsyncClient(AnyClient):
    """A client of the service whose methods are awaited; cancelling a task cancels the work.

    One client serves any number of tasks and event loops. Parameters and errors are those of `Client`.

    >>> import asyncio
    >>> import rowhaul as rh
    >>> async def balance():
    ...     with rh.LocalService(clock="instant") as service:
    ...         async with service.async_client() as client:
    ...             return await client.balance()
    >>> asyncio.run(balance())
    Decimal('100')

    """

    async def run(
        self,
        request: Request | str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109
        max_cost_usd: Decimal | float | str | None = None,
        reuse: float | timedelta | None = None,
        parse_dates: bool | Sequence[str] = False,
        schema: SchemaLike | None = None,
        max_columns: int | None = None,
        progress: bool | None = None,
    ) -> Rows:
        """Start an agent, wait, fetch and decode its rows: see `Client.run`."""
        decode = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
        options = run_options(timeout=timeout, max_cost_usd=max_cost_usd, reuse=reuse, decode=decode)
        job, rows = await awaited(self._run(request, params, options), progress=progress)
        return Rows(rows, AsyncJob(self._core, tell_unwritten(job)))

    async def start(
        self,
        request: Request | str,
        params: Mapping[str, Any] | None = None,
        *,
        max_cost_usd: Decimal | float | str | None = None,
    ) -> AsyncJob:
        """Start an agent and return at once: see `Client.start`."""
        return AsyncJob(self._core, tell_unwritten(await awaited(self._start(request, params, max_cost_usd))))

    async def run_many(
        self,
        requests: Iterable[RequestLike],
        *,
        concurrency: int = 16,
        max_cost_usd: Decimal | float | str | None = None,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109
        reuse: float | timedelta | None = None,
        parse_dates: bool | Sequence[str] = False,
        schema: SchemaLike | None = None,
        max_columns: int | None = None,
        progress: bool | None = None,
    ) -> Haul:
        """Run many requests and give all their rows as one table: see `Client.run_many`."""
        decode = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
        options = run_options(timeout=timeout, max_cost_usd=max_cost_usd, reuse=reuse, decode=decode)
        runs = self._runs(AsyncJob, requests, options, concurrency=concurrency, progress=progress, stacklevel=6)
        return await runs.collected_awaited()

    def iter_many(
        self,
        requests: Iterable[RequestLike],
        *,
        concurrency: int = 16,
        max_cost_usd: Decimal | float | str | None = None,
        timeout: float | timedelta | None = None,
        reuse: float | timedelta | None = None,
        parse_dates: bool | Sequence[str] = False,
        schema: SchemaLike | None = None,
        max_columns: int | None = None,
        progress: bool | None = None,
    ) -> AsyncIterator[Outcome]:
        """Run many requests and give an `Outcome` for each as it ends, with `async for`: see `Client.iter_many`."""
        decode = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
        options = run_options(timeout=timeout, max_cost_usd=max_cost_usd, reuse=reuse, decode=decode)
        runs = self._runs(AsyncJob, requests, options, concurrency=concurrency, progress=progress, stacklevel=5)
        return runs.awaited()

    def job(self, job_id: str, agent: str | None = None) -> AsyncJob:
        """Take a job up again by its id: see `Client.job`. One short read of the ledger, so it is not awaited."""
        return AsyncJob(self._core, self._taken_up(job_id, agent))

    async def jobs(self, status: str | None = None, limit: int | None = None) -> Jobs:
        """List what the ledger knows of this account's jobs: see `Client.jobs`."""
        return jobs_of(self._core, AsyncJob, *await awaited(self._jobs(status, limit)))

    async def resume(self, timeout: float | timedelta | None = None) -> AsyncIterator[Outcome]:  # noqa: ASYNC109
        """Take up everything unfinished, with `async for`: see `Client.resume`."""
        resuming = await awaited(self._core.resume(seconds("timeout", timeout)))
        async for finished in each_awaited(resuming):
            yield resumed(AsyncJob(self._core, finished[0]), finished)

    async def forget(self, job_id: str) -> int:
        """Delete the kept rows of a job from disk: see `Client.forget`."""
        return await awaited(self._forget(job_id))

    async def forget_all(self) -> int:
        """Delete all kept rows of this account from disk: see `Client.forget_all`."""
        return await awaited(self._core.forget_all())

    async def reconcile(self) -> list[Settled]:
        """Ask the service what became of starts that nobody answered: see `Client.reconcile`."""
        return [settled_of(self._core, AsyncJob, settled) for settled in await awaited(self._core.reconcile())]

    async def adopt(self, start: JobEntry | Settled, job_id: str) -> AsyncJob:
        """Say which job an uncertain start brought: see `Client.adopt`."""
        return AsyncJob(self._core, await awaited(self._adopt(start, job_id)))

    async def dismiss(self, start: JobEntry | Settled) -> None:
        """Say that an uncertain start brought nothing: see `Client.dismiss`."""
        await awaited(self._core.dismiss(start_in(start)))

    async def estimate(self, request: Request | str, params: Mapping[str, Any] | None = None) -> Estimate:
        """Say what a run may cost at most: see `Client.estimate`."""
        return Estimate._of(await awaited(self._estimate(request, params)))  # noqa: SLF001

    async def groups(self) -> list[str]:
        """List the service's group identifiers: see `Client.groups`."""
        return await awaited(self._core.groups())

    async def agents(self, group: str | None = None) -> list[AgentSummary]:
        """List the agents: see `Client.agents`."""
        return Agents(AgentSummary._of(agent) for agent in await awaited(self._core.agents(group)))  # noqa: SLF001

    async def agent(self, name: str) -> Agent:
        """Describe an agent: see `Client.agent`."""
        return Agent._of_details(await awaited(self._core.agent(name)))  # noqa: SLF001

    async def balance(self) -> Decimal:
        """Read the account's balance in USD: see `Client.balance`."""
        return await awaited(self._core.balance())

    async def close(self) -> None:
        """Drop the connections: see `Client.close`."""
        self._core.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

"""The client that blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._agent import Agent, Agents, AgentSummary, Estimate
from ._any_client import AnyClient
from ._job import Job
from ._ledger import JobEntry, Jobs, Settled, jobs_of, settled_of, start_in, tell_unwritten
from ._options import decode_options, run_options, seconds
from ._outcome import resumed
from ._progress import waited
from ._resume import each
from ._rows import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import timedelta
    from decimal import Decimal
    from types import TracebackType
    from typing import Self

    from ._haul import Haul
    from ._many import RequestLike
    from ._options import SchemaLike
    from ._outcome import Outcome
    from ._request import Request


class Client(AnyClient):
    """A client of the service whose methods block until they have their result.

    One client serves any number of threads, and a process needs only one. It works inside a running event loop
    (Jupyter) and after a fork, answers Ctrl-C while it waits, and closes itself at exit. When the main thread ends,
    calls that other threads are waiting for are given up within two seconds (`InternalError`), so join those threads
    first. What they have started is in the ledger.

    Parameters
    ----------
    base_url : the address before `/api/v1`; default: the environment's ROWHAUL_BASE_URL
    api_key : default: the environment's ROWHAUL_API_KEY. It is sent in the request header and shown nowhere
    groups : the service's own group names behind the specification's placeholders, such as `{"video": "…"}`
    paths : `"agents"` for `/api/v1/agents/…`, `"data"` for the `/v1/data/…` form (section 9 of the specification)
    timeout : seconds (or a `timedelta`) that `run` and `wait` wait for a job, `math.inf` for as long as it takes;
        default one hour
    request_timeout : seconds to wait for a response, and between two reads of a download; default 60
    allow_http : whether the key may go to another machine unencrypted; default: only to this one
    requests_per_minute : how many requests to send at most; default: as many as the service lets through
    max_response_bytes : more than this in one decoded answer is an error; default 8 GiB
    ca_file : a PEM file of certificate authorities to trust besides the system's
    max_cost_usd : the most that everything this client starts may cost together, in all its threads and tasks. The
        worst case of a run is reserved before its start and settled when the client learns that the job has ended. A
        `run` or `start` that does not fit is refused; a run of `run_many` or `iter_many` waits for others to settle.
        After a fork the cap stays with the parent: in the child `run`, `start`, `run_many` and `iter_many` raise
        `ConfigError`, and methods that start nothing still work. Make one client in each process. Default: no cap
    threads : how many threads may read one large result; if it comes compressed, one of them inflates it. The rows are
        the same with any number. Default: the machine's cores, up to 4
    ledger : the file that records every start, so that nothing paid for is lost: a path, or False for none; default:
        the environment's ROWHAUL_LEDGER (a path, or `off`), else `rowhaul/ledger.sqlite` in the user's data directory.
        It holds no key and no rows, and serves any number of accounts, threads and processes. Read it with `jobs`:
        opening the live file with `sqlite3` may hold up starts
    keep_rows : whether fetched rows are kept on disk, so that `reuse=` can answer from there: True for the directory
        `rows` beside the ledger, or a directory. Rows that `run`, `run_many`, `resume` and `Job.rows` fetch are kept if
        the job's parameters are known, as Arrow IPC files that only you may read; `rows.notes` says if rows could not
        be kept. Default: False
    keep_rows_bytes : disk limit for kept rows, in bytes; the oldest files are deleted first; default 2 GiB

    Raises
    ------
    ConfigError : the address or the key is missing or invalid; or `keep_rows` without a ledger

    >>> import rowhaul as rh
    >>> service = rh.LocalService(clock="instant")
    >>> with rh.Client(service.url, service.api_key) as client:
    ...     client.balance()
    Decimal('100')
    >>> service.stop()

    """

    def run(
        self,
        request: Request | str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | timedelta | None = None,
        max_cost_usd: Decimal | float | str | None = None,
        reuse: float | timedelta | None = None,
        parse_dates: bool | Sequence[str] = False,
        schema: SchemaLike | None = None,
        max_columns: int | None = None,
        progress: bool | None = None,
    ) -> Rows:
        """Start an agent, wait, fetch and decode its rows. Bills the account, at most once (section 1.6 of the specification).

        Returns the rows, with `rows.job` and `rows.notes`. The start is sent once, and repeated only if the service
        itself refused it (429, or 503 with a `Retry-After`).

        Parameters
        ----------
        request : a request, or an agent's name `"group/slug"`
        params : the parameters that go with a name, under the service's own names
        timeout : seconds (or a `timedelta`) to wait for the job, `math.inf` for as long as it takes; default: the
            client's. One last status check is made at the deadline, which may take five seconds more. Once a start has
            been sent, its answer is awaited for at least ten seconds (or `request_timeout`, if that is shorter): giving
            up sooner would lose the job's id and save nothing
        max_cost_usd : refuse to start a run that may cost more, or whose cost has no bound; default: no cap but the
            client's. Without any cap an unbounded run is allowed; for the specification's agents an `UnboundedCost`
            warning is issued once per agent
        reuse : seconds (or a `timedelta`): answer from rows that `keep_rows` saved within this time for the same
            account, agent and parameters. Nothing is sent or billed; `rows.job` is the earlier job, with `reused` True.
            If those rows were decoded with other options (`parse_dates`, `schema`, `max_columns`), or their file was
            changed, they are fetched again at no cost; only if the service no longer has them is the request run again,
            and `rows.notes` says so. A run whose process was killed counts only after `resume` has fetched it. Default:
            every call is a run
        parse_dates, schema, max_columns : how to decode, as in `Job.rows`
        progress : whether to show a line of progress; default: in a notebook or a terminal, there with tqdm where it is
            installed

        Raises
        ------
        InvalidParams, BudgetExceeded : before anything is sent
        ConfigError : `reuse` from a client that keeps no rows
        LedgerError : the start cannot be written down, so it is not sent
        StartUncertain : the start went out and no answer came; it is not repeated
        JobFailed, JobTimeout : the job ended without rows, or was still going at the deadline
        DecodeError : the body is not valid results JSON; `.rows` holds the rows before the fault
        AuthenticationError, InsufficientBalance, NotFound, ApiError : the service has refused the request
        ConnectError, ReadError : the service is not reached, or its answers break off, again and again

        >>> import rowhaul as rh
        >>> with rh.LocalService(clock="instant") as service:
        ...     rows = service.client().run("events/events", {"searchQueries": ["opera"], "maxResults": 2})
        ...     len(rows), rows.job.status, rows.job.cost_usd
        (2, 'completed', Decimal('0.02'))

        """
        decode = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
        options = run_options(timeout=timeout, max_cost_usd=max_cost_usd, reuse=reuse, decode=decode)
        job, rows = waited(self._run(request, params, options), progress=progress)
        return Rows(rows, Job(self._core, tell_unwritten(job)))

    def start(
        self,
        request: Request | str,
        params: Mapping[str, Any] | None = None,
        *,
        max_cost_usd: Decimal | float | str | None = None,
    ) -> Job:
        """Start an agent and return at once (section 4.1 of the specification). Bills the account for the rows it will bring.

        The start is in the ledger before it is sent, and the job's id before this returns.

        Parameters
        ----------
        request, params, max_cost_usd : as in `run`

        Raises
        ------
        InvalidParams, BudgetExceeded, LedgerError, StartUncertain : as `run`

        """
        return Job(self._core, tell_unwritten(waited(self._start(request, params, max_cost_usd))))

    def run_many(
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
    ) -> Haul:
        """Run many requests, `concurrency` at a time, and give all their rows as one table. Bills each run, at most once.

        A run that fails does not stop the others: it is among `failures`, with its request and its error. Only an error
        that every run would meet (401, `ConfigError`) stops the rest; they fail with the same error. Duplicate requests
        are each run.

        Parameters
        ----------
        requests : requests, or pairs of an agent's name and its parameters; any iterable, taken as there is room. In a
            list or tuple anything else is a `TypeError` before a run is started; from another iterable it is a failure
            with `InvalidParams`
        concurrency : how many runs are under way at a time; default 16
        max_cost_usd : what all of them may cost together. Each run's worst case is reserved before it is started and
            settled by the rows it brought; one that does not fit waits for others to settle, and fails with
            `BudgetExceeded` if it cannot fit. Default: no cap but the client's
        timeout : seconds (or a `timedelta`) for each run, from its start; default: the client's
        reuse : as in `run`, for each request: one that is answered by an earlier run costs nothing
        parse_dates, schema, max_columns : how to decode, as in `Job.rows`
        progress : whether to show a line of progress; default: in a notebook or a terminal, there with tqdm where it is
            installed

        Warns
        -----
        RowhaulWarning : there were requests, and none of them brought rows; it says why the first failed

        Ctrl-C ends the call at once. A note on the exception lists the jobs that are still running at the service;
        runs that had already finished are in its `haul` attribute, and `resume` returns them again.

        >>> import rowhaul as rh
        >>> with rh.LocalService(clock="instant") as service:
        ...     requests = [rh.agents.Events(search_queries=[town], max_results=5) for town in ("oslo", "berlin")]
        ...     service.client().run_many(requests, max_cost_usd=1)
        Haul(2 runs, 0 failed, 10 rows, 0.10 USD)

        """
        decode = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
        options = run_options(timeout=timeout, max_cost_usd=max_cost_usd, reuse=reuse, decode=decode)
        runs = self._runs(Job, requests, options, concurrency=concurrency, progress=progress, stacklevel=6)
        return runs.collected()

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
    ) -> Iterator[Outcome]:
        """Run many requests, `concurrency` at a time, and give an `Outcome` for each, in the order they end.

        Parameters are those of `run_many`. Requests are taken from the iterable as there is room for them, so it may be
        endless, but its next request must not depend on an outcome that was not given yet. Closing the iterator early
        starts nothing more; jobs that were started go on at the service and are named in a `JobsLeftRunning` warning.

        """
        decode = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
        options = run_options(timeout=timeout, max_cost_usd=max_cost_usd, reuse=reuse, decode=decode)
        runs = self._runs(Job, requests, options, concurrency=concurrency, progress=progress, stacklevel=5)
        return runs.blocking()

    def job(self, job_id: str, agent: str | None = None) -> Job:
        """Take a job up again by its id, in any process, with what the ledger knows of it. Sends nothing.

        The agent's name gives the rows their declared columns where the ledger does not know the job.

        >>> import rowhaul as rh
        >>> with rh.LocalService(clock="instant") as service:
        ...     job = service.client().start("events/events", {"searchQueries": ["opera"], "maxResults": 2})
        ...     len(service.client().job(job.id).wait().rows())
        2

        """
        return Job(self._core, self._taken_up(job_id, agent))

    def jobs(self, status: str | None = None, limit: int | None = None) -> Jobs:
        """List what the ledger knows of this account's jobs, newest first. Sends nothing.

        Parameters
        ----------
        status : `"running"` (not ended when last heard of), `"unfetched"` (completed, and the rows never fetched),
            `"uncertain"` (perhaps started), or any other status word; default: all
        limit : the most entries; default: all

        Raises
        ------
        LedgerError : the ledger cannot be read, or this client keeps none

        Warns
        -----
        RowhaulWarning : no job here ever had that status; it says which there are

        >>> import rowhaul as rh
        >>> with rh.LocalService(clock="instant") as service:
        ...     client = service.client()
        ...     job = client.start("events/events", {"searchQueries": ["opera"], "maxResults": 2})
        ...     [entry.id == job.id for entry in client.jobs("unfetched")]
        [True]

        """
        return jobs_of(self._core, Job, *waited(self._jobs(status, limit)))

    def resume(self, timeout: float | timedelta | None = None) -> Iterator[Outcome]:
        """Take up every job that was running or never fetched, and yield each outcome as soon as it is ready.

        Starts nothing; one failure does not stop the others, and its outcome has the error. A job that the service no
        longer has is not tried again. Rows count as fetched once they are returned or yielded; if a process loses them
        after that, `client.job(id).rows()` fetches them again, and `client.jobs("completed")` has the ids.

        Parameters
        ----------
        timeout : seconds to wait for each job; default: the client's (one hour)

        Raises
        ------
        LedgerError : the ledger cannot be read, or this client keeps none

        """
        resuming = waited(self._core.resume(seconds("timeout", timeout)))
        for finished in each(resuming):
            yield resumed(Job(self._core, finished[0]), finished)

    def forget(self, job_id: str) -> int:
        """Delete the kept rows of a job from disk, and return how many requests they answered.

        The ledger's entry stays, and so does the job at the service. Sends nothing.

        Raises
        ------
        LedgerError : the ledger or a file cannot be written, or this client keeps no ledger

        >>> import rowhaul as rh
        >>> with rh.LocalService(clock="instant") as service:
        ...     client = service.client(keep_rows=True)
        ...     request = rh.agents.Events(search_queries=["opera"], max_results=2)
        ...     first, again = client.run(request), client.run(request, reuse=3600)
        ...     again.job.reused, again.job.id == first.job.id, client.forget(first.job.id)
        (True, True, 1)

        """
        return waited(self._forget(job_id))

    def forget_all(self) -> int:
        """Delete all kept rows of this account from disk, and return how many requests they answered.

        The ledger's entries stay, and so do the jobs at the service. Sends nothing.

        Raises
        ------
        LedgerError : as `forget`

        """
        return waited(self._core.forget_all())

    def reconcile(self) -> list[Settled]:
        """Ask the service what became of starts that nobody answered, the oldest first. Starts nothing.

        If the service lists jobs, a start is adopted when exactly one job that the ledger does not know matches its
        agent and time, and marked as never started when none can match. As many jobs as starts that they match are
        adopted together if the list goes back beyond them, without their requests: nobody can say whose each is. A job
        that another machine started with the same key may be taken for a start that never arrived. If more match, or a
        match was taken up by `client.job(id)`, they are reported and left to you: `adopt` and `dismiss` say what became
        of a start. Without a list of jobs the result reports the balance before and now. A start less than ten seconds
        old is looked for until it is ten seconds old.

        Raises
        ------
        LedgerError : the ledger cannot be read, or this client keeps none

        >>> import rowhaul as rh
        >>> with rh.LocalService(clock="instant") as service:
        ...     client = service.client()
        ...     injected = service.inject("run", rh.faults.Reset(applied=True))
        ...     try:
        ...         client.run("events/events", {"searchQueries": ["opera"], "maxResults": 2})
        ...     except rh.errors.StartUncertain:
        ...         (settled,) = client.reconcile()
        ...         settled.status, len(settled.job.rows())
        ('adopted', 2)

        """
        return [settled_of(self._core, Job, settled) for settled in waited(self._core.reconcile())]

    def adopt(self, start: JobEntry | Settled, job_id: str) -> Job:
        """Say which job an uncertain start brought, where `reconcile` cannot tell. Asks for the job; starts nothing.

        The job then has the start's agent and parameters, and `resume` fetches its rows. If the ledger knows it by its
        id alone, as from `client.job(id)`, the two entries become one; take the job up anew after that. An adoption is
        final, and what the start may cost stays reserved under this client's `max_cost_usd`.

        Parameters
        ----------
        start : one of `client.jobs("uncertain")` or of what `reconcile` gave
        job_id : the job's id, such as one of `Settled.candidates`

        Raises
        ------
        ConfigError : the start is not uncertain any more, or the job is another agent's or another start's
        NotFound : the service does not have the job
        LedgerError : the ledger cannot be written, or this client keeps none

        >>> import rowhaul as rh
        >>> with rh.LocalService(clock="instant") as service:
        ...     client = service.client()
        ...     injected = service.inject("run", rh.faults.Reset(applied=True))
        ...     try:
        ...         client.start("events/events", {"searchQueries": ["opera"], "maxResults": 2})
        ...     except rh.errors.StartUncertain:
        ...         (start,) = client.jobs("uncertain")
        ...         job = client.adopt(start, service.starts[0].job_id)
        ...     job.agent, len(job.rows())
        ('events/events', 2)

        """
        return Job(self._core, waited(self._adopt(start, job_id)))

    def dismiss(self, start: JobEntry | Settled) -> None:
        """Say that an uncertain start brought nothing, where `reconcile` cannot tell: it counts as never started.

        Sends nothing. If a job runs all the same, it is billed, and nothing here knows of it: so what the start may cost
        stays reserved under this client's `max_cost_usd`.

        Parameters
        ----------
        start : one of `client.jobs("uncertain")` or of what `reconcile` gave

        Raises
        ------
        ConfigError : the start is not uncertain any more
        LedgerError : the ledger cannot be written, or this client keeps none

        >>> import rowhaul as rh
        >>> with rh.LocalService(clock="instant") as service:
        ...     client = service.client()
        ...     injected = service.inject("run", rh.faults.Reset())
        ...     try:
        ...         client.start("events/events", {"searchQueries": ["opera"], "maxResults": 2})
        ...     except rh.errors.StartUncertain:
        ...         client.dismiss(client.jobs("uncertain")[0])
        ...     [entry.status for entry in client.jobs()]
        ['never_started']

        """
        waited(self._core.dismiss(start_in(start)))

    def estimate(self, request: Request | str, params: Mapping[str, Any] | None = None) -> Estimate:
        """Say what a run may cost at most: rows by its parameters, price and balance by the service. Starts nothing.

        >>> import rowhaul as rh
        >>> with rh.LocalService() as service:
        ...     service.client().estimate("events/events", {"searchQueries": ["opera"], "maxResults": 200}).max_cost_usd
        Decimal('2')

        """
        return Estimate._of(waited(self._estimate(request, params)))  # noqa: SLF001

    def groups(self) -> list[str]:
        """List the service's group identifiers (section 4.4 of the specification)."""
        return waited(self._core.groups())

    def agents(self, group: str | None = None) -> list[AgentSummary]:
        """List the agents, of one group or all; where the service has no such list, the nine of the specification.

        >>> import rowhaul as rh
        >>> with rh.LocalService() as service:
        ...     [f"{agent.group}/{agent.slug}" for agent in service.client().agents("events")]
        ['events/events']

        """
        return Agents(AgentSummary._of(agent) for agent in waited(self._core.agents(group)))  # noqa: SLF001

    def agent(self, name: str) -> Agent:
        """Describe an agent, `"group/slug"`: its parameters and its price (section 4.5 of the specification)."""
        return Agent._of_details(waited(self._core.agent(name)))  # noqa: SLF001

    def balance(self) -> Decimal:
        """Read the account's balance in USD (section 4.6 of the specification)."""
        return waited(self._core.balance())

    def close(self) -> None:
        """Drop the connections. Closing twice does nothing; using a closed client is a `ConfigError`."""
        self._core.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

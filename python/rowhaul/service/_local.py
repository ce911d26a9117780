"""A local service from its start to its stop: its clock, its faults, its clients, and what it has seen."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar
from weakref import WeakSet

from rowhaul import _core, _html
from rowhaul._async_client import AsyncClient
from rowhaul._client import Client
from rowhaul._hidden import Hidden
from rowhaul._job import AsyncJob, Job
from rowhaul._options import at_least, at_least_one, seconds, seed_of
from rowhaul.errors import ConfigError

from ._agents import OwnAgents
from ._folder import Folder
from ._injection import Injection, check
from ._log import Charge, LoggedRequest, Start
from ._recording import Recording

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import timedelta
    from decimal import Decimal
    from os import PathLike
    from types import TracebackType
    from typing import Self

    from rowhaul.faults import Fault

    from ._injection import Operation

_C = TypeVar("_C", Client, AsyncClient)

Clock = Literal["real", "instant", "manual"]

Extra = Literal[
    "job_record",
    "cancel",
    "job_list",
    "agent_lists",
    "rate_limit",
    "expiry",
    "not_ready",
    "error_codes",
    "data_paths",
    "csv",
    "fault_header",
]


_LAST_PORT = 2**16 - 1
#: What the core counts no further.
_MOST = 2**32 - 1


class LocalService(OwnAgents, Recording):
    """The specification over real HTTP on this machine, with made-up rows and an account that it bills.

    Stateful, and deterministic from its seed: the same requests give the same rows. It runs on threads of its own until
    `stop`, the end of its `with` block, or the end of the process.

    Parameters
    ----------
    api_key : the key it asks for; default: one made for this service
    seed : seed for rows, run times and job ids. A restarted service hands out the same ids again, and a client's ledger
        then attributes an id to the newest start; use `data_dir` to keep jobs
    balance_usd : what the account holds at first
    host : an address of this machine; default: loopback, so that nobody else can reach it
    port : default 0, any free one
    clock : `"real"`; `"instant"`: jobs are completed at once, and where its clients would pause before they repeat a
        request, they advance its clock instead; `"manual"`: time stands still until `advance`
    requests_per_minute : beyond it requests are answered with 429; default: no limit
    job_seconds : how long a run takes; default: from the seed, 0.5 to 2
    row_cap : the most that a limit such as `maxResults` may ask for; beyond it runs are refused with 422; default: no
        cap
    extras : what it does beyond the specification: `"all"`, `"none"` (the bare contract), or the names of some:
        `job_record` (all of a job's record but its status; fields of a start but its id), `cancel`, `job_list`,
        `agent_lists`, `rate_limit`, `expiry` (of results, after 7 days), `not_ready` (404 for results that come too
        early; else 200 with the status and no rows), `error_codes` (error bodies are `{"error": …, "message": …}`; else
        `{"detail": …}`), `data_paths` (the `/v1/data` form), `csv`, `fault_header` (a request may ask for its own fault
        by the header `Rowhaul-Fault: reset,applied=true`; on loopback only)
    names : names it is reached by where `host` lets the network in, such as `["double.test"]`; requests that name
        another host are refused
    data_dir : a directory in which jobs, charges, the balance and the clock are kept; default: they end with the
        service. Whatever was answered is there again when a service is started on the directory, also after `kill -9`:
        jobs go on by the clock, rows come back the same, nothing is charged twice. `balance_usd` is for a new account
        only. The key is not kept. One service holds a directory at a time

    Raises
    ------
    ConfigError : the address cannot be used or is not one of this machine, or an option is invalid; or `data_dir` is in
        use by another service, damaged, or of another version (it is left as it is)

    >>> import rowhaul as rh
    >>> with rh.LocalService(clock="instant", balance_usd=5) as service:
    ...     client = service.client()
    ...     rows = client.run("events/events", {"searchQueries": ["jazz berlin"], "maxResults": 50})
    ...     client.balance()
    Decimal('4.5')

    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        seed: int = 0,
        balance_usd: Decimal | float | str = 100,
        host: str = "127.0.0.1",
        port: int = 0,
        clock: Clock = "real",
        requests_per_minute: int | None = None,
        job_seconds: float | timedelta | None = None,
        row_cap: int | None = None,
        extras: Literal["all", "none"] | Iterable[Extra] = "all",
        names: Iterable[str] = (),
        data_dir: str | PathLike[str] | None = None,
    ) -> None:
        self._folder: Folder | None = None
        self._clock = clock
        self._clients: WeakSet[Client | AsyncClient] = WeakSet()
        key = None if api_key is None else Hidden(api_key)
        api_key = None
        self._core = _core.LocalService(
            api_key=key,
            seed=seed_of(seed),
            balance_usd=str(balance_usd),
            host=host,
            port=_port(port),
            clock=clock,
            requests_per_minute=None if requests_per_minute is None else _pace(requests_per_minute),
            job_seconds=seconds("job_seconds", job_seconds),
            row_cap=None if row_cap is None else at_least_one("row_cap", row_cap),
            extras=extras if isinstance(extras, str) else ",".join(extras),
            names=[names] if isinstance(names, str) else list(names),
            data_dir=None if data_dir is None else Path(data_dir).expanduser(),
        )

    @property
    def url(self) -> str:
        """Its address, such as `"http://127.0.0.1:40123"`: what a client's `base_url` is."""
        return self._core.url

    @property
    def clock(self) -> str:  # not `Clock`: completion in IPython gives up on a class with an alias for what it returns
        """How time passes there: `"real"`, `"instant"` or `"manual"`."""
        return self._clock

    @property
    def api_key(self) -> str:
        """The key it asks for."""
        return self._core.api_key

    @property
    def balance_usd(self) -> Decimal:
        """What the account holds now."""
        return self._core.balance_usd

    @property
    def requests(self) -> list[LoggedRequest]:
        """The requests it saw, refused ones included, in order; the last 100,000."""
        return [
            LoggedRequest(method, path, status, agent, None if params is None else json.loads(params), fault)
            for method, path, status, agent, params, fault in self._core.requests()
        ]

    @property
    def starts(self) -> list[Start]:
        """Every run it accepted, in order."""
        return [
            Start(job_id, agent, json.loads(params), datetime.fromisoformat(created_at))
            for job_id, agent, params, created_at in self._core.starts()
        ]

    @property
    def charges(self) -> list[Charge]:
        """Everything it took from the balance, in order."""
        return [
            Charge(job_id, agent, rows, amount_usd, datetime.fromisoformat(at))
            for job_id, agent, rows, amount_usd, at in self._core.charges()
        ]

    def inject(
        self,
        on: Operation,
        fault: Fault,
        *,
        times: int | None = 1,
        after: int = 0,
        job: str | Job | AsyncJob | None = None,
        agent: str | None = None,
    ) -> Injection:
        """Let something go wrong.

        Faults that are for the same request are played one after another, in the order of their injection; each request
        meets one at most. `requests` shows which.

        Parameters
        ----------
        on : the operation it happens to: `"run"`, `"status"`, `"results"`, `"cancel"`, `"jobs"`, `"agents"` (groups and
            lists), `"agent"` (details), `"balance"`, or `"any"`
        fault : what goes wrong, from `rowhaul.faults`
        times : how often; None: always
        after : how many such requests go well before
        job : only requests about this job
        agent : only requests about this agent (`"group/slug"`) or its jobs

        Raises
        ------
        ConfigError : there is no such operation, or the fault holds what cannot be played
        TypeError : it is no fault

        >>> import rowhaul as rh
        >>> with rh.LocalService(clock="instant") as service:
        ...     service.inject("run", rh.faults.Reset(applied=True))
        ...     try:
        ...         service.client().run(rh.agents.Events(search_queries=["jazz"], max_results=5))
        ...     except rh.errors.StartUncertain as error:
        ...         print(error.outcome, len(service.starts), len(service.charges))
        <Reset(applied=True) on run>
        unknown 1 1

        """
        check(fault)
        core = self._core.inject(
            on=on,
            fault=fault._told(),  # noqa: SLF001 - the two belong together
            times=None if times is None else min(at_least_one("times", times), _MOST),
            after=min(at_least(0, "after", after), _MOST),
            job=job.id if isinstance(job, (Job, AsyncJob)) else job,
            agent=agent,
        )
        return Injection(core, on, fault)

    def client(self, **options: Any) -> Client:
        """Give a `Client` of this service; the options are the client's.

        What it starts goes into a ledger of the service's own, which all its clients share and which goes away with it;
        `ledger=` names another.
        """
        return self._made(Client, options)

    def async_client(self, **options: Any) -> AsyncClient:
        """Give an `AsyncClient` of this service; the options are the client's. Its ledger is that of `client`."""
        return self._made(AsyncClient, options)

    def advance(self, duration: float | timedelta) -> None:
        """Turn the clock forward by seconds or a `timedelta`.

        Jobs whose time has come are completed, callers that wait for one ask again at once, and pauses that the service
        had asked its clients for are shortened by as much.
        """
        self._core.advance(seconds("duration", duration), [client._core for client in self._clients])  # noqa: SLF001

    def stop(self) -> None:
        """Stop it. Stopping twice does nothing. The ledger of its clients is removed, at once or with the last of them."""
        self._core.stop()
        self._folder = None

    def _made(self, kind: type[_C], options: dict[str, Any]) -> _C:
        """Make a client that goes by this service's clock.

        It writes down what it starts in a folder of the service's, unless its options say otherwise.
        """
        if "ledger" in options:
            client = kind(self.url, self.api_key, **options)
        else:
            self._folder = self._folder or Folder()
            client = kind(self.url, self.api_key, ledger=self._folder.ledger, **options)
            vars(client)["_folder"] = self._folder
        # A client is of no use without its service, which nobody else may have kept.
        vars(client)["_service"] = self
        self._core.lend_clock(client._core)  # noqa: SLF001
        self._clients.add(client)
        return client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        # A service whose making failed may be looked at, too: in a traceback.
        return f"LocalService({self.url!r})" if hasattr(self, "_core") else "LocalService()"

    def _repr_html_(self) -> str:
        return _html.service(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a LocalService does not pickle: hand its url to the other process")


def _port(port: int) -> int:
    """Take a port's number."""
    if at_least(0, "port", port) > _LAST_PORT:
        raise ConfigError(f"`port` must be {_LAST_PORT} or less, not {port}; 0 takes any free one")
    return port


def _pace(requests_per_minute: int) -> int:
    """Take a limit of requests; one that nobody reaches is the highest the service knows."""
    return min(at_least_one("requests_per_minute", requests_per_minute), _MOST)

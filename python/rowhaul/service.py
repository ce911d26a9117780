"""The whole service on this machine: for trying things out without an account, and for tests."""

from __future__ import annotations

import inspect
import json
import os
import weakref
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

from . import _core
from ._cassette import Cassette, replayer
from ._client import AsyncClient, Client
from ._hidden import Hidden
from ._job import AsyncJob, Job, seconds
from ._own_agent import as_text, begin, begin_with_feed, declared, parameters_of, parquet_rows
from .faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from decimal import Decimal
    from os import PathLike
    from types import TracebackType
    from typing import Self

_C = TypeVar("_C", Client, AsyncClient)

__all__ = ["Charge", "Injection", "LocalService", "LoggedRequest", "Start"]

Operation = Literal["run", "status", "results", "cancel", "jobs", "agents", "agent", "balance", "any"]

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

F = TypeVar("F", bound="Callable[..., Any]")


@dataclass(frozen=True)
class LoggedRequest:
    """A request that the local service saw.

    Attributes
    ----------
    method, path : such as `"GET"` and `"/api/v1/balance"`
    status : the status code of the answer, or None where the caller got none
    agent, params : of a run request whose body was read: `"group/slug"`, and the parameters as sent; else None
    fault : the name of the fault that was played, such as `"reset"`, or None

    """

    method: str
    path: str
    status: int | None
    agent: str | None
    params: dict[str, Any] | None
    fault: str | None


@dataclass(frozen=True)
class Start:
    """A run that the local service accepted.

    Attributes
    ----------
    job_id : the job it made
    agent : `"group/slug"`
    params : the parameters, as they were sent
    created_at : when, by the service's clock (an aware datetime)

    """

    job_id: str
    agent: str
    params: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True)
class Charge:
    """What the local service took from the balance for one job.

    Attributes
    ----------
    job_id, agent : the job and its `"group/slug"`
    rows : how many rows were billed
    amount_usd : what they cost
    at : when the job completed, by the service's clock (an aware datetime)

    """

    job_id: str
    agent: str
    rows: int
    amount_usd: Decimal
    at: datetime


class Injection:
    """A fault that a service was asked for, as `LocalService.inject` gives it."""

    def __init__(self, core: _core.Injected, on: str, fault: Fault) -> None:
        self._core = core
        self._on = on
        self._fault = fault

    @property
    def hits(self) -> int:
        """How often it was played so far."""
        return self._core.hits

    def remove(self) -> None:
        """End it, however often it was still to be played. Removing twice does nothing."""
        self._core.remove()

    def __repr__(self) -> str:
        return f"<{self._fault!r} on {self._on}>"


class _Folder:
    """A temporary folder for a ledger. It goes away with the last who holds this, in the process that made it."""

    def __init__(self) -> None:
        import tempfile

        path = tempfile.mkdtemp(prefix="rowhaul-")
        self.ledger = str(Path(path) / "ledger.sqlite")
        weakref.finalize(self, _remove, path, os.getpid())


def _remove(path: str, pid: int) -> None:
    if os.getpid() == pid:
        import shutil

        shutil.rmtree(path, ignore_errors=True)


@dataclass(frozen=True, kw_only=True)
class _Declared:
    """What the core is told of an own agent."""

    name: str
    title: str
    description: str
    unit: str
    price_per_1k_usd: str
    parameters: str
    columns: list[str]
    takes: Literal["declared", "anything", "recorded"] = "declared"


class LocalService:
    """The specification over real HTTP on this machine, with made-up rows and an account that it bills.

    Stateful, and deterministic from its seed: the same requests give the same rows. It runs on threads of its own until
    `stop`, the end of its `with` block, or the end of the process.

    Parameters
    ----------
    api_key : the key it asks for; default: one made for this service
    seed : what rows and run times are made from
    balance_usd : what the account holds at first
    host : an address of this machine; default: loopback, so that nobody else can reach it
    port : default 0, any free one
    clock : `"real"`; `"instant"`: jobs are completed at once; `"manual"`: time stands still until `advance`
    requests_per_minute : beyond it requests are answered with 429; default: no limit
    job_seconds : how long a run takes; default: from the seed, 0.5 to 2
    row_cap : the most that a limit such as `maxResults` may ask for; beyond it runs are refused with 422; default: no cap
    extras : what it does beyond the specification: `"all"`, `"none"` (the bare contract), or the names of some:
        `job_record` (all of a job's record but its status; fields of a start but its id), `cancel`, `job_list`,
        `agent_lists`, `rate_limit`, `expiry` (of results, after 7 days), `not_ready` (404 for results that come too early;
        else 200 with the status and no rows), `error_codes` (error bodies are `{"error": …, "message": …}`; else
        `{"detail": …}`), `data_paths` (the `/v1/data` form), `csv`, `fault_header` (a request may ask for its own fault by
        the header `Rowhaul-Fault: reset,applied=true`; on loopback only)
    names : names it is reached by where `host` lets the network in, such as `["double.test"]`; requests that name another
        host are refused
    data_dir : a directory in which jobs, charges, the balance and the clock are kept; default: they end with the service.
        Whatever was answered is there again when a service is started on the directory, also after `kill -9`: jobs go on by
        the clock, rows come back the same, nothing is charged twice. `balance_usd` is for a new account only. The key is not
        kept. One service holds a directory at a time

    Raises
    ------
    ConfigError : the address cannot be had or is not one of this machine, or an option is none; `data_dir` is in use by another service, damaged,
        or of another version (it is left as it is)

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
        clock: Literal["real", "instant", "manual"] = "real",
        requests_per_minute: int | None = None,
        job_seconds: float | timedelta | None = None,
        row_cap: int | None = None,
        extras: Literal["all", "none"] | Iterable[Extra] = "all",
        names: Iterable[str] = (),
        data_dir: str | PathLike[str] | None = None,
    ) -> None:
        self._folder: _Folder | None = None
        key = None if api_key is None else Hidden(api_key)
        api_key = None
        self._core = _core.LocalService(
            api_key=key,
            seed=seed,
            balance_usd=str(balance_usd),
            host=host,
            port=port,
            clock=clock,
            requests_per_minute=requests_per_minute,
            job_seconds=seconds(job_seconds),
            row_cap=row_cap,
            extras=extras if isinstance(extras, str) else ",".join(extras),
            names=list(names),
            data_dir=None if data_dir is None else Path(data_dir).expanduser(),
        )

    @property
    def url(self) -> str:
        """Its address, such as `"http://127.0.0.1:40123"`: what a client's `base_url` is."""
        return self._core.url

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
        _check(fault)
        core = self._core.inject(
            on=on,
            fault=fault._told(),  # noqa: SLF001 - the two belong together
            times=times,
            after=after,
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

    def agent(
        self,
        name: str,
        *,
        price_per_1k_usd: Decimal | float | str = 1,
        parameters: Mapping[str, Any] | None = None,
        columns: Sequence[str] = (),
        title: str | None = None,
        description: str | None = None,
        unit: str = "rows",
    ) -> Callable[[F], F]:
        """Offer a function as an agent: a decorator.

        The function is called with the parameters of a run by name, on a thread of its own, and gives rows as dicts: it is
        a generator, or returns an iterable, or is the async form of either. An exception in it makes the job `failed`,
        with its text as the error, and nothing is charged. After a cancellation what it gives is dropped; an async
        function is cancelled, any other ends at its next row. Runs wait for their turn where 32 are at work.

        Rows are billed as those of any agent, as they come; a run that the balance cannot pay for fails. With a `data_dir`
        they are kept with the job; the function has to be offered anew by each process.

        In rows, dates and times become ISO 8601 texts, a `Decimal` a number of the same digits, scalars and arrays of
        numpy their values. NaN, infinities and anything JSON has no word for fail the job, by row and key.

        Parameters
        ----------
        name : `"group/slug"`; one of the specification's names takes that agent's place
        price_per_1k_usd : USD for 1000 rows
        parameters : from each parameter's name to its type (`str`, `int`, `float`, `bool`, `list`, `dict`, or `object` for
            anything; it is then required), or to a dict with any of `type`, `required`, `default`, `options`, `minimum`,
            `maximum`, `title`, `description`. Default: read off the function's signature. Runs are held to them with 422
        columns : the keys of each row, in order; what a row lacks is null, and a key that is not among them fails the job.
            Default: rows are taken as they come
        title, description : as shown to people; default: the slug, and the function's docstring
        unit : the name of the row kind

        Raises
        ------
        ConfigError : the declaration contradicts itself

        >>> import rowhaul as rh
        >>> with rh.LocalService() as service:
        ...     @service.agent("shop/prices", price_per_1k_usd=2)
        ...     def prices(skus: list, currency: str = "EUR"):
        ...         for sku in skus:
        ...             yield {"sku": sku, "price": 9.5, "currency": currency}
        ...     service.client().run("shop/prices", {"skus": ["a", "b"]}).to_dicts()
        [{'sku': 'a', 'price': 9.5, 'currency': 'EUR'}, {'sku': 'b', 'price': 9.5, 'currency': 'EUR'}]

        """

        def offer(function: F) -> F:
            asked = parameters_of(function) if parameters is None else declared(parameters)
            told = _Declared(
                name=name,
                title=title or name.rpartition("/")[2],
                description=description if description is not None else inspect.getdoc(function) or "",
                unit=unit,
                price_per_1k_usd=str(price_per_1k_usd),
                parameters=as_text(name, asked),
                columns=list(columns),
            )
            self._core.add_agent(told, partial(begin, function))
            return function

        return offer

    def agent_from_file(
        self,
        name: str,
        path: str | PathLike[str],
        *,
        price_per_1k_usd: Decimal | float | str = 1,
        title: str | None = None,
        description: str | None = None,
        unit: str = "rows",
    ) -> None:
        """Offer the rows of a file as an agent.

        It takes one parameter, `maxResults`: at most so many rows; 0 or none means all. The file is read anew by each run.

        Parameters
        ----------
        name : `"group/slug"`
        path : newline-delimited JSON objects (`.ndjson`, `.jsonl`); CSV with a header (`.csv`), whose cells are texts and,
            where empty, null; or Parquet (`.parquet`), which needs pyarrow
        price_per_1k_usd, title, description, unit : as those of `agent`

        Raises
        ------
        OSError : the file cannot be opened, or its name has another ending

        """
        path = Path(path).expanduser()
        told = _Declared(
            name=name,
            title=title or name.rpartition("/")[2],
            description=description if description is not None else f"The rows of {path.name}.",
            unit=unit,
            price_per_1k_usd=str(price_per_1k_usd),
            parameters=as_text(name, [{"name": "maxResults", "type": "integer", "minimum": 0}]),
            columns=[],
        )
        if path.suffix.lower() == ".parquet":
            self._core.add_agent(told, partial(begin, parquet_rows(path)))
        else:
            self._core.add_file(told, path)

    def record(self, client: Client, path: str | PathLike[str]) -> None:
        """Forward runs to a real service through its client, and record what they bring.

        From now on a run of any agent that the real service lists, started here, is started there with the same
        parameters, waited for, and billed there by its rules; here it is free, so that nothing paid for is lost for want of
        money. Each run that completed, or that the real service says has failed, is added to the file as a whole; what
        goes wrong on the way there fails the run and is not recorded. A run that is cancelled here is cancelled there.
        `replay` answers from the file.

        The file is a cassette of newline-delimited JSON: `{"cassette": 1}`, then for each run a line with `agent`,
        `params`, `price_per_1k_usd`, `status`, `error` and `rows` (their number), and after it each row on a line of its
        own, as it came. Headers and addresses are never in it; the client's key is taken out wherever the
        service repeats it. Rows and parameters are there as they are: look through them before you share the file.

        Parameters
        ----------
        client : a client of the real service. It is used, not closed
        path : the cassette; one that is there is added to

        Raises
        ------
        ConfigError : the file is something else, damaged or cut off
        RowhaulError : the real service does not list its agents

        """
        cassette = Cassette.opened(path)
        for agent in client.agents():
            price = agent.price_per_1k_usd or 0
            told = _Declared(
                name=agent.id,
                title=agent.name or agent.slug,
                description=agent.description or "",
                unit="rows",
                price_per_1k_usd=str(price),
                parameters="[]",
                columns=[],
                takes="anything",
            )
            self._core.add_agent(told, partial(begin_with_feed, cassette.recorder(client, agent.id, price)))

    def replay(self, path: str | PathLike[str]) -> None:
        """Answer runs from what `record` recorded, without the real service.

        A run with the agent and the parameters of a recorded one brings its rows, or fails as it did, at its price; where
        it was recorded several times, as it was the last time it completed. Ids and times are this service's own, so a job
        goes through the same states as any here. A run of a recorded agent with other parameters is refused with 404,
        `not_recorded`; agents that were not recorded are as they are.

        Raises
        ------
        ConfigError : the file is not a cassette, damaged or cut off
        OSError : it cannot be read

        """
        for name, price, runs in Cassette.read(path):
            told = _Declared(
                name=name,
                title=name.rpartition("/")[2],
                description="Recorded runs.",
                unit="rows",
                price_per_1k_usd=str(price),
                parameters=json.dumps([run.params for run in runs]),
                columns=[],
                takes="recorded",
            )
            self._core.add_agent(told, partial(begin, replayer(runs)))

    def advance(self, duration: float | timedelta) -> None:
        """Turn the clock forward by seconds or a `timedelta`; jobs whose time has come are completed."""
        self._core.advance(duration.total_seconds() if isinstance(duration, timedelta) else duration)

    def stop(self) -> None:
        """Stop it. Stopping twice does nothing. The ledger of its clients is removed, at once or with the last of them."""
        self._core.stop()
        self._folder = None

    def _made(self, kind: type[_C], options: dict[str, Any]) -> _C:
        """Make a client that writes down what it starts in a folder of this service's, unless its options say otherwise."""
        if "ledger" in options:
            return kind(self.url, self.api_key, **options)
        self._folder = self._folder or _Folder()
        client = kind(self.url, self.api_key, ledger=self._folder.ledger, **options)
        vars(client)["_folder"] = self._folder
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

    def __reduce__(self) -> NoReturn:
        raise TypeError("a LocalService does not pickle: hand its url to the other process")


def _check(fault: object) -> None:
    """Refuse what is no fault, and say what there is."""
    if not isinstance(fault, Fault):
        known = ", ".join(sorted(kind.__name__ for kind in Fault.__subclasses__()))
        raise TypeError(f"a fault is one of rowhaul.faults, not {fault!r}: {known}")

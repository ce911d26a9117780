"""What both clients have in common: how they are made, and their operations before they are waited for."""

from __future__ import annotations

import os
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from . import _core, _html
from ._hidden import Hidden
from ._ledger import start_in
from ._many import Runs
from ._options import amount, at_least, at_least_one, group_names, ledger_at, pace, path, rows_kept_in, seconds
from ._request import as_request
from ._warnings import UnboundedCost
from .errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import timedelta
    from decimal import Decimal
    from os import PathLike

    from ._core import Pending
    from ._job import AsyncJob, Job
    from ._ledger import JobEntry, Settled
    from ._many import RequestLike
    from ._options import RunOptions
    from ._request import Request

_WAYS_OUT = (
    "set ROWHAUL_BASE_URL and ROWHAUL_API_KEY (or pass base_url= and api_key=), or use rh.LocalService().client()"
)


class AnyClient:
    """What both clients have in common: how they are made, and the operations before they are waited for."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        groups: Mapping[str, str] | None = None,
        paths: Literal["agents", "data"] = "agents",
        timeout: float | timedelta = 3600,
        request_timeout: float | timedelta | None = None,
        allow_http: bool = False,
        requests_per_minute: float | None = None,
        max_response_bytes: int | None = None,
        ca_file: str | PathLike[str] | None = None,
        max_cost_usd: Decimal | float | str | None = None,
        threads: int | None = None,
        ledger: str | PathLike[str] | bool | None = None,
        keep_rows: str | PathLike[str] | bool = False,
        keep_rows_bytes: int | None = None,
    ) -> None:
        address, key = Hidden(base_url), Hidden(api_key)
        base_url = api_key = None
        self._cap, self._ledger = amount(max_cost_usd), ledger_at(ledger)
        self._core = _core.Client(
            _setting(address, "base_url", "ROWHAUL_BASE_URL"),
            _setting(key, "api_key", "ROWHAUL_API_KEY"),
            groups=group_names(groups),
            paths=paths,
            timeout=seconds("timeout", timeout),
            request_timeout=seconds("request_timeout", request_timeout),
            allow_http=allow_http,
            requests_per_minute=pace(requests_per_minute),
            max_response_bytes=None
            if max_response_bytes is None
            else at_least_one("max_response_bytes", max_response_bytes),
            ca_file=None if ca_file is None else path("ca_file", ca_file),
            max_cost_usd=self._cap,
            threads=None if threads is None else at_least_one("threads", threads),
            ledger=self._ledger,
            keep_rows=rows_kept_in(keep_rows),
            keep_rows_bytes=None if keep_rows_bytes is None else at_least_one("keep_rows_bytes", keep_rows_bytes),
        )
        #: Agents whose unbounded runs were warned of.
        self._warned: set[str] = set()

    # By this name a misspelt option is refused.
    __init__.__qualname__ = "Client.__init__"

    @property
    def base_url(self) -> str:
        """The address before `/api/v1`."""
        return self._core.base_url

    def _run(
        self, request: Request | str, params: Mapping[str, Any] | None, options: RunOptions
    ) -> Pending[tuple[_core.Job, _core.Rows]]:
        request = as_request(request, params)
        self._warn(request, options.max_cost_usd, stacklevel=4)
        return self._core.run(request.agent, request._text, options)  # noqa: SLF001

    def _start(
        self, request: Request | str, params: Mapping[str, Any] | None, max_cost_usd: Decimal | float | str | None
    ) -> Pending[_core.Job]:
        request = as_request(request, params)
        cap = amount(max_cost_usd)
        self._warn(request, cap, stacklevel=4)
        return self._core.start(request.agent, request._text, cap)  # noqa: SLF001

    def _taken_up(self, job_id: str, agent: str | None) -> _core.Job:
        return self._core.job(_job_id(job_id), agent)

    def _adopt(self, start: JobEntry | Settled, job_id: str) -> Pending[_core.Job]:
        job_id = _job_id(job_id)
        return self._core.adopt(start_in(start), job_id)

    def _forget(self, job_id: str) -> Pending[int]:
        return self._core.forget(_job_id(job_id))

    def _jobs(self, status: str | None, limit: int | None) -> Pending[tuple[list[_core.Entry], str | None]]:
        return self._core.jobs(status, None if limit is None else at_least(0, "limit", limit))

    def _runs(
        self,
        job: type[Job | AsyncJob],
        requests: Iterable[RequestLike],
        options: RunOptions,
        *,
        concurrency: int,
        progress: bool | None,
        stacklevel: int,
    ) -> Runs:
        """Make the runs of one call; the level is that of the user's line, seen from where requests are taken."""
        core = self._core.many(at_least_one("concurrency", concurrency), options)
        warn = partial(self._warn, cap=options.max_cost_usd, stacklevel=stacklevel)
        return Runs(self._core, core, requests, job=job, warn=warn, progress=progress)

    def _warn(self, request: Request, cap: str | None, *, stacklevel: int) -> None:
        """Say once for each agent that a run without any cap may bring any number of rows."""
        if self._cap is not None or cap is not None or request.agent in self._warned:
            return
        limit = self._core.open_limit(request.agent, request._text)  # noqa: SLF001
        if limit is not None:
            self._warned.add(request.agent)
            told = (
                f"`{request.agent}` may bring any number of rows, and each is billed: set `{limit}` to the most you want "
                "(0 is no limit), or pass `max_cost_usd`, which refuses a run without one"
            )
            warnings.warn(told, UnboundedCost, stacklevel=stacklevel)

    def _estimate(self, request: Request | str, params: Mapping[str, Any] | None) -> Pending[_core.Estimate]:
        request = as_request(request, params)
        return self._core.estimate(request.agent, request._text)  # noqa: SLF001

    def __repr__(self) -> str:
        # A client whose making failed may be looked at, too: in a traceback.
        return f"{type(self).__name__}({self.base_url!r})" if hasattr(self, "_core") else f"{type(self).__name__}()"

    def _repr_html_(self) -> str:
        return _html.client(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} holds a key and connections and does not pickle: make one in each process"
        )


def _job_id(job_id: str) -> str:
    if not isinstance(job_id, str):
        raise TypeError(f"`job_id` must be a string, not {type(job_id).__name__}")
    return job_id


def _setting(value: Hidden, name: str, variable: str) -> Hidden:
    """Take what was passed, else the environment's, else say both ways out."""
    found = Hidden(os.environ.get(variable)) if value.text is None else value
    if found.text is not None and not isinstance(found.text, str):
        raise TypeError(f"`{name}` must be a string, not {type(found.text).__name__}")
    if not found.text:
        raise ConfigError(f"no {name}: none was passed and {variable} is not set", hint=_WAYS_OUT)
    return found

"""Run a data-collection agent and get its rows as an Arrow table.

>>> import rowhaul as rh
>>> with rh.LocalService(clock="instant") as service:
...     rows = service.client().run("events/events", {"searchQueries": ["jazz berlin"], "maxResults": 50})
>>> len(rows)
50

In reading order: clients run requests, one or many, a run is a job, a job has rows.
"""

from typing import TYPE_CHECKING

from ._lazy import first_use

if TYPE_CHECKING:
    from . import agents, errors, faults
    from ._agent import Agent, AgentSummary, Estimate, Parameter
    from ._async_client import AsyncClient
    from ._client import Client
    from ._column import Column
    from ._core import __version__
    from ._haul import Haul
    from ._job import AsyncJob, Job
    from ._ledger import JobEntry, Jobs, Settled
    from ._notes import Note
    from ._outcome import Outcome
    from ._read import concat, read_json
    from ._request import Request
    from ._rows import Rows
    from ._schema import Schema
    from ._stream import AsyncStream, Stream
    from ._warnings import JobsLeftRunning, LedgerWarning, RowhaulWarning, UnboundedCost
    from .errors import RowhaulError
    from .service import LocalService

__all__ = [
    "Agent",
    "AgentSummary",
    "AsyncClient",
    "AsyncJob",
    "AsyncStream",
    "Client",
    "Column",
    "Estimate",
    "Haul",
    "Job",
    "JobEntry",
    "Jobs",
    "JobsLeftRunning",
    "LedgerWarning",
    "LocalService",
    "Note",
    "Outcome",
    "Parameter",
    "Request",
    "RowhaulError",
    "RowhaulWarning",
    "Rows",
    "Schema",
    "Settled",
    "Stream",
    "UnboundedCost",
    "__version__",
    "agents",
    "concat",
    "errors",
    "faults",
    "read_json",
]

__getattr__, __dir__ = first_use(
    globals(),
    _agent="Agent AgentSummary Estimate Parameter",
    _async_client="AsyncClient",
    _client="Client",
    _column="Column",
    _core="__version__",
    _haul="Haul",
    _job="AsyncJob Job",
    _ledger="JobEntry Jobs Settled",
    _notes="Note",
    _outcome="Outcome",
    _read="concat read_json",
    _request="Request",
    _rows="Rows",
    _schema="Schema",
    _stream="AsyncStream Stream",
    _warnings="JobsLeftRunning LedgerWarning RowhaulWarning UnboundedCost",
    errors="RowhaulError",
    service="LocalService",
)

"""Run a data-collection agent and get its rows as an Arrow table.

>>> import rowhaul as rh
>>> with rh.LocalService(clock="instant") as service:
...     rows = service.client().run("events/events", {"searchQueries": ["jazz berlin"], "maxResults": 50})
>>> len(rows)
50

In reading order: clients run requests, one or many, a run is a job, a job has rows.
"""

from . import agents, errors
from ._agent import Agent, AgentSummary, Estimate, Parameter
from ._client import AsyncClient, Client
from ._core import __version__
from ._haul import Haul
from ._job import AsyncJob, Job
from ._outcome import Outcome
from ._read import concat, read_json
from ._request import Request
from ._rows import Column, Note, Rows, Schema
from ._stream import AsyncStream, Stream
from ._warnings import JobsLeftRunning, RowhaulWarning, UnboundedCost
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
    "JobsLeftRunning",
    "LocalService",
    "Note",
    "Outcome",
    "Parameter",
    "Request",
    "RowhaulError",
    "RowhaulWarning",
    "Rows",
    "Schema",
    "Stream",
    "UnboundedCost",
    "__version__",
    "agents",
    "concat",
    "errors",
    "read_json",
]

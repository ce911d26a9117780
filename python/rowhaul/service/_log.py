"""What a local service saw and did: the requests that arrived, the runs it accepted, what it charged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal


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

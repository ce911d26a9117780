"""What can go wrong, as one tree of exceptions.

Every error says what happened and to what, carries what is known as attributes, and pickles, so that a worker in
another process can hand it back. Where the user can act, the message ends with a `hint:`.

    RowhaulError
    ├── ConfigError · InvalidParams · BudgetExceeded · LedgerError · Unsupported · InternalError
    ├── TransportError: ConnectError · ReadError · RequestTimeout
    ├── BadResponse: DecodeError
    ├── ApiError: AuthenticationError · InsufficientBalance · PermissionDenied · NotFound · Conflict · RateLimited ·
    │             ServerError
    ├── StartUncertain
    └── JobError: JobFailed · JobTimeout · ResultsNotReady
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from ._rows import Rows

__all__ = [
    "ApiError",
    "AuthenticationError",
    "BadResponse",
    "BudgetExceeded",
    "ConfigError",
    "Conflict",
    "ConnectError",
    "DecodeError",
    "InsufficientBalance",
    "InternalError",
    "InvalidParams",
    "JobError",
    "JobFailed",
    "JobTimeout",
    "LedgerError",
    "NotFound",
    "PermissionDenied",
    "RateLimited",
    "ReadError",
    "RequestTimeout",
    "ResultsNotReady",
    "RowhaulError",
    "ServerError",
    "StartUncertain",
    "TransportError",
    "Unsupported",
]


def __dir__() -> list[str]:
    """List what is exported, without what it was made with."""
    return __all__


Outcome = Literal["not_sent", "rejected", "accepted", "unknown"]


class RowhaulError(Exception):
    """Any error of this package.

    Attributes
    ----------
    message : what happened, to what
    hint : what to do about it, or None
    outcome : what became of the request: `"not_sent"` (nothing was sent), `"rejected"` (the service refused it),
        `"accepted"` (the service took it), `"unknown"` (it went out and no usable answer came back)
    job_id : the job it happened to, or None
    attempts : how many requests were sent
    elapsed : seconds from the first of them to the error, or None
    retry_after : seconds the service asks to wait, or None
    excerpt : at most 512 escaped bytes of what came back, or None

    """

    #: The attributes of each class, beyond those of its parent, with what they are when nothing is known.
    _fields: ClassVar[dict[str, Any]] = {
        "hint": None,
        "outcome": "not_sent",
        "job_id": None,
        "attempts": 0,
        "elapsed": None,
        "retry_after": None,
        "excerpt": None,
    }

    message: str
    hint: str | None
    outcome: Outcome
    job_id: str | None
    attempts: int
    elapsed: float | None
    retry_after: float | None
    excerpt: str | None

    def __init__(self, message: str, **attributes: Any) -> None:
        super().__init__(message)
        self.message = message
        for cls in reversed(type(self).__mro__):
            for name, absent in cls.__dict__.get("_fields", {}).items():
                setattr(self, name, attributes.pop(name, absent))
        if attributes:
            raise TypeError(f"{type(self).__name__} has no {', '.join(attributes)}")

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in self.__dict__.items() if name != "message"}
        notes = state.pop("__notes__", None)
        return (_rebuild, (type(self), self.message, state), None if notes is None else {"__notes__": notes})


def _rebuild(cls: type[RowhaulError], message: str, attributes: dict[str, Any]) -> RowhaulError:
    return cls(message, **attributes)


class ConfigError(RowhaulError, ValueError):
    """An invalid setting of a client, of a run or of reading rows. Nothing was sent."""


class InvalidParams(RowhaulError, ValueError):
    """A parameter breaks a rule of its agent (section 4.7 of the specification). Nothing was sent.

    A rule that only the service knows is answered by it with a 422, which is an `ApiError`.

    Attributes
    ----------
    field : the parameter, under the service's own name
    reason : the rule it breaks

    """

    _fields: ClassVar[dict[str, Any]] = {"field": None, "reason": None}

    field: str | None
    reason: str | None


class BudgetExceeded(RowhaulError):
    """The run may cost more than `max_cost_usd`, or its cost is not bounded. Nothing was sent."""


class LedgerError(RowhaulError):
    """The ledger cannot be read or written. Where that was found before a start, nothing was sent."""


class Unsupported(RowhaulError):
    """The service does not offer this; the job is untouched."""


class InternalError(RowhaulError):
    """A fault in this package. Please report it."""


class TransportError(RowhaulError):
    """The exchange with the service failed below HTTP."""


class ConnectError(TransportError):
    """No connection: refused, no such host, no route, or the certificate was not accepted. Nothing was sent."""


class ReadError(TransportError):
    """The answer broke off. Half a body never becomes rows."""


class RequestTimeout(TransportError, TimeoutError):
    """No response within the request timeout, or a response that stalled. It is a `TimeoutError`."""


class BadResponse(RowhaulError):
    """The service answered with something that is not the contract."""


class DecodeError(BadResponse, ValueError):
    """The body is not valid JSON, or not valid results.

    Attributes
    ----------
    byte_offset : where in the decoded body, counted from its first byte
    row : the row it is in, counted from 0, or None outside the rows
    rows : the whole rows read before it, as `Rows` (they were paid for), or None. A stream holds only the last of them
        (those of at most 2 MiB of the body); `job.download()` saves the body as sent

    """

    _fields: ClassVar[dict[str, Any]] = {"byte_offset": 0, "row": None, "rows": None}

    byte_offset: int
    row: int | None
    rows: Rows | None


class ApiError(RowhaulError):
    """The service refused with a status code.

    Attributes
    ----------
    status_code : the HTTP status
    code : the service's short word for the error, or None
    request_id : the service's name for the request, or None

    """

    _fields: ClassVar[dict[str, Any]] = {"status_code": 0, "code": None, "request_id": None}

    status_code: int
    code: str | None
    request_id: str | None


class AuthenticationError(ApiError):
    """401: the key is not known to the service."""


class InsufficientBalance(ApiError):
    """402: the balance does not cover the run."""


class PermissionDenied(ApiError):
    """403: the key may not do this."""


class NotFound(ApiError):
    """404 or 410: no such agent or job, or it is gone."""


class Conflict(ApiError):
    """409: the job's state does not allow this."""


class RateLimited(ApiError):
    """429: too many requests; `retry_after` says how long to wait, if the service said."""


class ServerError(ApiError):
    """5xx: the service failed."""


class StartUncertain(RowhaulError):
    """The start went out and no usable answer came back: it may be running, and will then be billed.

    It is never repeated by itself. It stays in the ledger as `"uncertain"`; `client.reconcile()` asks what became of
    it, and the balance tells whether it was billed.
    """


class JobError(RowhaulError):
    """Something is wrong with a job; `job_id` names it."""


class JobFailed(JobError):
    """The job ended without rows: it failed or was cancelled."""


class JobTimeout(JobError, TimeoutError):
    """The job was still going at the deadline. It goes on: `client.job(error.job_id)` takes it up again. It is a `TimeoutError`."""


class ResultsNotReady(JobError):
    """The job is not completed yet; `job.wait()` waits until it is."""

"""What can go wrong with a service, as values that `LocalService.inject` takes.

>>> import rowhaul as rh
>>> with rh.LocalService(clock="instant") as service:
...     unlucky = service.inject("balance", rh.faults.Status(503, retry_after=0), times=2)
...     print(service.client().balance(), unlucky.hits)
100 2

Most faults replace the answer. With `applied=True` the service does what was asked before it goes wrong: a start counts
and will be charged, and only its answer is lost. The faults of a body (`Cut` to `Missing`) are played on the true
answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from .errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "Bomb",
    "Close",
    "ContentType",
    "Cut",
    "Drip",
    "Encoding",
    "Fail",
    "Fault",
    "Fields",
    "Hang",
    "Malformed",
    "Missing",
    "Reset",
    "Slow",
    "Stall",
    "Status",
    "TooEarly",
]


def __dir__() -> list[str]:
    """List what is exported, without what it was made with."""
    return __all__


Wait = float | str | datetime | timedelta


class Fault:
    """Something that goes wrong with one request; each kind is a class of its own."""

    #: The word for it in `requests`, in `rowhaul serve --fault` and in the header `Rowhaul-Fault`.
    name: ClassVar[str]

    def _told(self) -> str:
        """Give what the core takes: an object as JSON text."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        try:
            return json.dumps({"fault": self.name, **values}, default=_plain, allow_nan=False)
        except ValueError:
            raise ConfigError(f"{self!r} has a number that is none") from None


@dataclass(frozen=True)
class Status(Fault):
    """An answer with any status code.

    Parameters
    ----------
    code : 200 to 999
    body : `"error"`: `{"error": …, "message": …}`; `"detail"`: `{"detail": …}`; `"html"`: a page; `"empty"`
    text : the body's own text instead
    retry_after : when to come again: seconds, a `timedelta`, an aware `datetime`, or any text (`"soon"`); several in a
        list are as many headers
    retry_after_in : `"header"`, `"body"` (as `retry_after` of the JSON) or `"both"`
    headers : further headers, such as `{"Location": "http://elsewhere.example/"}`
    applied : whether the service does what was asked before it answers like this

    """

    name = "status"
    code: int
    body: Literal["error", "detail", "html", "empty"] = "error"
    text: str | None = field(default=None, kw_only=True)
    retry_after: Wait | Sequence[Wait] | None = field(default=None, kw_only=True)
    retry_after_in: Literal["header", "body", "both"] = field(default="header", kw_only=True)
    headers: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    applied: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Reset(Fault):
    """The connection is reset before a byte of the answer; with `applied=True` after the service did what was asked."""

    name = "reset"
    applied: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Close(Fault):
    """The connection is closed in good order, without an answer; with `applied=True` after the service did its part."""

    name = "close"
    applied: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Hang(Fault):
    """No answer, until the caller leaves or the service stops.

    Parameters
    ----------
    seconds : the true answer comes after so many seconds of the service's clock (a manual one has to be advanced; on an
        instant one they pass as on the machine); default: never
    applied : whether the service does what was asked; always so with `seconds`

    """

    name = "hang"
    seconds: float | None = None
    applied: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Cut(Fault):
    """The body ends too early, and the connection with it.

    Parameters
    ----------
    at : an integer is a number of bytes, a float a share of the body; default: half of it
    framing : how the caller knows that something is missing: `"length"` (Content-Length names the whole), `"chunked"`,
        or `"close"` (it does not: the body ends with the connection)

    """

    name = "cut"
    at: float = 0.5
    framing: Literal["length", "chunked", "close"] = "length"


@dataclass(frozen=True)
class Stall(Fault):
    """The body stops at a place (see `Cut`), for some seconds of the service's clock (see `Hang`), or for good."""

    name = "stall"
    at: float = 0.5
    seconds: float | None = None


@dataclass(frozen=True)
class Drip(Fault):
    """The body comes some bytes at a time, every so many seconds of the service's clock (see `Hang`)."""

    name = "drip"
    bytes: int = 1
    every: float = 0.1


@dataclass(frozen=True)
class Encoding(Fault):
    """The body is compressed, whether the caller takes that or not.

    Parameters
    ----------
    coding : what it is compressed by
    declared : what `Content-Encoding` says instead, such as `"br"` or `"identity"`; default: the truth
    corrupt : whether some bytes in the middle are wrong

    """

    name = "encoding"
    coding: Literal["gzip", "deflate", "zstd"] = "gzip"
    declared: str | None = None
    corrupt: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Bomb(Fault):
    """A small compressed body that becomes `bytes` large: the true one, and blanks after it. Default: 1 GiB of gzip."""

    name = "bomb"
    coding: Literal["gzip", "deflate", "zstd"] = "gzip"
    bytes: int = 1 << 30


@dataclass(frozen=True)
class ContentType(Fault):
    """The body is called something else, such as `"text/html"`, or nothing (None)."""

    name = "content_type"
    value: str | None = None


@dataclass(frozen=True, init=False)
class Fields(Fault):
    """Members of the JSON answer have other values.

    `Fields(row_count=7)` counts wrongly, `Fields(status="COMPLETED")` tells a strange status, `Fields(job_id="other")`
    speaks of another job. A value is anything that JSON has; None is null.
    """

    name = "fields"
    values: Mapping[str, Any]

    def __init__(self, **values: Any) -> None:
        if not values:
            raise TypeError("Fields needs at least one, such as Fields(row_count=7)")
        object.__setattr__(self, "values", values)


@dataclass(frozen=True, init=False)
class Missing(Fault):
    """Members of the JSON answer are not there, such as `Missing("job_id")`."""

    name = "missing"
    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        if not names:
            raise TypeError('Missing needs at least one name, such as Missing("job_id")')
        if not all(isinstance(name, str) for name in names):
            raise TypeError('Missing takes names one by one, such as Missing("job_id", "status")')
        object.__setattr__(self, "names", names)


@dataclass(frozen=True)
class TooEarly(Fault):
    """The results are not there yet, whatever the status call says: 404, or 200 with `"running"` and no rows."""

    name = "too_early"
    code: Literal[404, 200] = 404


@dataclass(frozen=True)
class Slow(Fault):
    """The job that a run starts takes so many seconds of the service's clock, on an instant clock, too."""

    name = "slow"
    seconds: float


@dataclass(frozen=True)
class Fail(Fault):
    """The job that a run starts ends as `failed` with this error, and costs nothing; `seconds` as `Slow` has them."""

    name = "fail"
    error: str = "the platform did not answer"
    seconds: float | None = None


@dataclass(frozen=True)
class Malformed(Fault):
    """An answer that is not HTTP.

    Parameters
    ----------
    how : `"status_line"` (no status in it), `"header"` (a line without a colon), `"double_length"`,
        `"negative_length"`, `"short_length"` (the rest of the body looks like another answer), `"length_and_chunks"`,
        `"chunk_size"`, `"many_headers"` (1000), `"long_header"` (a megabyte), `"endless_hints"` (103 until the caller
        leaves), `"noise"`

    """

    name = "malformed"
    how: Literal[
        "status_line",
        "header",
        "double_length",
        "negative_length",
        "short_length",
        "length_and_chunks",
        "chunk_size",
        "many_headers",
        "long_header",
        "endless_hints",
        "noise",
    ] = "status_line"


def _plain(value: object) -> object:
    """Give what JSON has for a duration, a moment or a mapping."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, datetime):
        return format_datetime(value.astimezone(UTC), usegmt=True)
    raise TypeError(f"{value!r} cannot be part of a fault")

"""Options as a program says them, in the form the core takes."""

from __future__ import annotations

import math
import operator
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from os import PathLike
from typing import TYPE_CHECKING, overload

from ._paths import in_home
from .errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal
    from typing import Protocol

    class SchemaLike(Protocol):
        """Anything that speaks Arrow's schema protocol, such as a `pyarrow.Schema`."""

        def __arrow_c_schema__(self) -> object: ...


#: Thirty years, in seconds: longer than any job is kept, and a number that every clock can add.
AS_LONG_AS_IT_TAKES = 1e9


@dataclass(frozen=True)
class DecodeOptions:
    """How rows are decoded."""

    parse_dates: bool | list[str]
    schema: SchemaLike | None
    max_columns: int | None


@dataclass(frozen=True)
class RunOptions:
    """How one run goes, or each of many; the cap is that of all together. Durations are seconds, money is its digits."""

    timeout: float | None
    max_cost_usd: str | None
    reuse: float | None
    decode: DecodeOptions


def decode_options(
    *, parse_dates: bool | Sequence[str], schema: SchemaLike | None, max_columns: int | None
) -> DecodeOptions:
    """Take the options of decoding: see `Job.rows`."""
    if isinstance(parse_dates, str):
        parse_dates = [parse_dates]
    elif not isinstance(parse_dates, bool):
        names = [*parse_dates] if isinstance(parse_dates, Iterable) else [parse_dates]
        if isinstance(parse_dates, Mapping) or not all(isinstance(name, str) for name in names):
            raise TypeError("`parse_dates` is True, False, or the names of columns, whose dates and times are ISO 8601")
        parse_dates = names
    return DecodeOptions(parse_dates, schema, None if max_columns is None else at_least_one("max_columns", max_columns))


def run_options(
    *,
    timeout: float | timedelta | None,
    max_cost_usd: Decimal | float | str | None,
    reuse: float | timedelta | None,
    decode: DecodeOptions,
) -> RunOptions:
    """Take the options of a run: see `Client.run`."""
    return RunOptions(seconds("timeout", timeout), amount(max_cost_usd), seconds("reuse", reuse), decode)


@overload
def seconds(name: str, duration: float | timedelta) -> float: ...
@overload
def seconds(name: str, duration: float | timedelta | None) -> float | None: ...
def seconds(name: str, duration: float | timedelta | None) -> float | None:
    """Take a duration as programs have it: seconds, of which infinitely many are as long as it takes, or a `timedelta`."""
    if isinstance(duration, timedelta):
        return duration.total_seconds()
    if duration == math.inf:
        return AS_LONG_AS_IT_TAKES
    # `True` is a number to Python, and one second to nobody.
    if duration is None or (hasattr(duration, "__float__") and not isinstance(duration, bool)):
        return duration
    raise TypeError(f"`{name}` must be a number of seconds or a timedelta, not {type(duration).__name__}")


def amount(usd: Decimal | float | str | None) -> str | None:
    """Take an amount of money by its digits."""
    return None if usd is None else str(usd)


def at_least_one(name: str, count: int) -> int:
    """Take a count that has to be one or more."""
    return at_least(1, name, count)


def at_least(least: int, name: str, count: int) -> int:
    """Take a count that has a lower bound; beyond what a machine counts to, it is no bound itself any more."""
    return min(_whole(least, name, count), sys.maxsize)


def seed_of(seed: int) -> int:
    """Take a seed, which is a number of 64 bits: two that differ are two seeds."""
    if _whole(0, "seed", seed) >= 1 << 64:
        raise ConfigError(f"`seed` must be below 2**64, not {seed}")
    return operator.index(seed)


def _whole(least: int, name: str, number: int) -> int:
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"`{name}` must be a whole number, not {number!r}")
    if operator.index(number) < least:
        raise ConfigError(f"`{name}` must be {least} or more, not {number}")
    return operator.index(number)


def pace(requests_per_minute: float | None) -> float | None:
    """Take a number of requests in a minute, which may be a fraction."""
    if requests_per_minute is None:
        return None
    if isinstance(requests_per_minute, bool) or not hasattr(requests_per_minute, "__float__"):
        raise TypeError(f"`requests_per_minute` must be a number, not {type(requests_per_minute).__name__}")
    try:
        return float(requests_per_minute)
    except OverflowError:
        raise ConfigError("`requests_per_minute` is more than any service lets through") from None


def group_names(groups: Mapping[str, str] | None) -> dict[str, str]:
    """Take the service's own names of groups."""
    if not isinstance(groups, Mapping | None):
        raise TypeError(
            f"`groups` maps the specification's names to the service's own, and is no {type(groups).__name__}"
        )
    return dict(groups or {})


def ledger_at(ledger: str | PathLike[str] | bool | None) -> str | None:  # noqa: FBT001
    """Say which ledger `ledger=` means: a path, `off`, or None for the user's."""
    if ledger is False:
        return "off"
    if ledger is None or ledger is True:
        return os.environ.get("ROWHAUL_LEDGER")
    # Absolute, so that no path is taken for `off`.
    return os.path.abspath(path("ledger", ledger))  # noqa: PTH100


def rows_kept_in(keep_rows: str | PathLike[str] | bool) -> str | None:  # noqa: FBT001
    """Say where `keep_rows=` keeps rows: a directory, an empty text for beside the ledger, or None for nowhere."""
    if isinstance(keep_rows, bool):
        return "" if keep_rows else None
    return os.path.abspath(path("keep_rows", keep_rows))  # noqa: PTH100


def path(name: str, path: str | PathLike[str]) -> str:
    """Take a path, in the user's directory where it begins with `~`."""
    if not isinstance(path, str | PathLike):
        raise TypeError(f"`{name}` must be a path, not {path!r}")
    if not os.fspath(path):
        # It would be the directory the process is in.
        raise ConfigError(f"`{name}` must be a path, and is empty")
    return in_home(path)

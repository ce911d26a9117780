"""Values of Python, pandas and numpy in the rows of an own agent: what JSON can say instead."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from operator import attrgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable

# What becomes of values that JSON has no word for, or that only look as if it had one.
_PLAIN: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (enum.Enum, attrgetter("value")),
    (str, str.__str__),
    (int, int),
    (float, float),
    (UUID, str),
    (Mapping, dict),
    (PurePath, str),
)


def plain(value: Any) -> Any:
    """Give what JSON can say instead of a value."""
    for kind, convert in _PLAIN:
        if isinstance(value, kind):
            return convert(value)
    if type(value).__name__ == "NaTType":
        return None
    if type(value).__module__ == "numpy" and value.dtype.kind in "mM":
        return _moments(value)
    # Dates and times of the standard library and pandas; arrays and scalars of numpy.
    for name in ("isoformat", "tolist", "item"):
        method = getattr(value, name, None)
        # What gives something else, such as a mock, which has every method, is none of these.
        if callable(method) and isinstance(converted := method(), str | int | float | list | None):
            return converted
    raise TypeError(f"{type(value).__name__} is nothing that JSON has a word for")


def _moments(value: Any) -> Any:
    """Give the dates and times of numpy, one or an array of them, as ISO 8601 texts: `tolist` makes numbers of some units."""
    if value.dtype.kind == "m":
        raise TypeError("timedelta64 is nothing that JSON has a word for: give a number, such as its seconds")
    return _without_nat(value.astype(str).tolist())


def _without_nat(texts: Any) -> Any:
    if isinstance(texts, list):
        return [_without_nat(text) for text in texts]
    return None if texts == "NaT" else texts

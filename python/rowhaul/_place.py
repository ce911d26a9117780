"""Rows and values, taken by their numbers."""

from __future__ import annotations

import operator
from typing import Any


def place(key: Any, count: int, what: str) -> int:
    """Give the number of a row or value, counted from the front."""
    if isinstance(key, bool):  # what comparing a column with a value gives
        raise TypeError(f"a {what} is taken by its number, not by bool; pandas, polars and DuckDB filter")
    try:
        at = operator.index(key)
    except TypeError:
        hint = "; several columns are taken by a list of their names" if (what, type(key)) == ("row", tuple) else ""
        raise TypeError(f"a {what} is taken by its number, not by {type(key).__name__}{hint}") from None
    if not -count <= at < count:
        raise IndexError(f"there is no {what} {at}: there are {count}")
    return at % count


def part(key: slice, count: int) -> tuple[int, int, int]:
    """Say where a slice begins, how many it takes and in which steps."""
    taken = range(*key.indices(count))
    # Of none or one, neither beginning nor steps need be within the table.
    return (taken.start, len(taken), taken.step) if len(taken) > 1 else (taken[0] if taken else 0, len(taken), 1)

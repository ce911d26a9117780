"""What a table lost or changed, held against Python's `json` cell by cell.

A value counts as kept if it can be had back: an integer as a float of the same value, a number or an object as its JSON
text, text that became a date as long as it is the same moment. Kept is not the same as convenient.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from . import cells

if TYPE_CHECKING:
    from .prepared import Sample


@dataclass(frozen=True)
class Verdict:
    """What is wrong with a result.

    Attributes
    ----------
    checked : how many values were compared, nulls left out
    lost, changed : how many of them are null in the table, or something else
    dropped : how many columns are not there at all; their values count as lost
    example : one wrong cell in words
    failure : why there is no table

    """

    checked: int = 0
    lost: int = 0
    changed: int = 0
    dropped: int = 0
    example: str = ""
    failure: str = ""

    @property
    def right(self) -> bool:
        """Whether every value is there."""
        return not (self.failure or self.lost or self.changed or self.dropped)

    def __str__(self) -> str:
        """Say it in a few words."""
        if self.failure:
            return f"fails: {self.failure}"
        parts = [f"{self.dropped} columns dropped"] if self.dropped else []
        for count, what in ((self.lost, "lost"), (self.changed, "changed")):
            if count:
                parts.append(f"{_percent(count / self.checked)} of values {what}")
        return f"wrong: {', '.join(parts)} ({self.example})" if parts else "right"

    def as_dict(self) -> dict[str, Any]:
        """Give what the constructor takes."""
        return asdict(self)


def verdict(table: Any, sample: Sample, *, json_text: bool = False) -> Verdict:
    """Compare a table with the sample of its body. A plain number stands for the rows of a stream, which are only counted."""
    found = table if isinstance(table, int) else len(table)
    if found != sample.rows:
        return Verdict(failure=f"{found:,} rows of {sample.rows:,}")
    if isinstance(table, int):
        return Verdict()
    present = set(cells.columns(table))
    checked = lost = changed = 0
    example = ""
    for at, sent, row in zip(sample.at, sample.values, cells.rows(table, sample.at), strict=True):
        for name in sample.columns:
            value, cell = sent.get(name), row.get(name)
            checked += value is not None
            if same(value, cell, json_text=json_text):
                continue
            lost, changed = lost + _is_null(cell), changed + (not _is_null(cell))
            example = example or f"row {at}, {name}: {_short(value)} → {_short(cell)}"
    return Verdict(checked, lost, changed, len(set(sample.columns) - present), example)


def same(sent: Any, found: Any, *, json_text: bool = False) -> bool:
    """Say whether a cell holds what was sent; a member that is null is as if it were missing."""
    if sent is None or _is_null(found):
        return sent is None and _is_null(found)
    if isinstance(sent, str):
        return sent == found or _same_moment(sent, found) or (json_text and _read(found) == sent)
    if isinstance(found, str):
        return _read(found) is not None and same(sent, _read(found))
    if isinstance(sent, dict):
        return isinstance(found, dict) and all(
            same(sent.get(name), found.get(name), json_text=json_text) for name in sent.keys() | found.keys()
        )
    if isinstance(sent, list):
        listed = list(found) if hasattr(found, "__iter__") else []
        pairs = zip(sent, listed, strict=False)
        return len(sent) == len(listed) and all(same(*pair, json_text=json_text) for pair in pairs)
    return sent == found and isinstance(sent, bool) == (type(found).__name__ in {"bool", "bool_"})


def _is_null(cell: Any) -> bool:
    return cell is None or type(cell).__name__ == "NAType" or (isinstance(cell, float) and math.isnan(cell))


def _same_moment(sent: str, found: Any) -> bool:
    if not isinstance(found, date):
        return False
    moment = found if isinstance(found, datetime) else datetime(found.year, found.month, found.day, tzinfo=UTC)
    try:
        return _in_utc(datetime.fromisoformat(sent)) == _in_utc(moment)
    except ValueError:
        return False


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 else "under 0.1%"


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else text[:39] + "…"

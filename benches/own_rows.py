"""Rows of one's own: what a file holds, row by row, as it is written there."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: What stands between rows: white space, and in arrays a comma.
BETWEEN = re.compile(r"[ \t\r\n,]*")
#: How an envelope begins, up to its first row.
BEFORE_DATA = re.compile(r'.*?"data"\s*:\s*\[', re.DOTALL)


def rows_of(path: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Give each row as a line and as Python reads it: those of an array, of an envelope's `data`, or one a line."""
    text = path.read_text("utf-8-sig")
    decoder = json.JSONDecoder()
    at = _first_row(text, decoder)
    while (at := _end(BETWEEN, text, at)) < len(text) and text[at] != "]":
        row, end = decoder.raw_decode(text, at)
        if not isinstance(row, dict):
            message = f"{path}: at character {at:,} is no row but {text[at : at + 20]!r}"
            raise SystemExit(message)
        # Line breaks inside a row stand between its tokens: in a string they would be escaped.
        yield re.sub(r"[\r\n]", " ", text[at:end]).encode(), row
        at = end


def _first_row(text: str, decoder: json.JSONDecoder) -> int:
    begin = _end(BETWEEN, text, 0)
    if text[begin : begin + 1] != "{":
        return begin + 1
    first, end = decoder.raw_decode(text, begin)
    is_envelope = isinstance(first.get("data"), list) and _end(BETWEEN, text, end) == len(text)
    return _end(BEFORE_DATA, text, begin) if is_envelope else begin


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at

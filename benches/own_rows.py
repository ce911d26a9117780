"""Rows of one's own: what a file holds, row by row, as it is written there."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Row = dict[str, Any]

DECODER = json.JSONDecoder()
#: What stands between values and members: white space, a comma, a colon.
BETWEEN = re.compile(r"[ \t\r\n,:]*")


def rows_of(path: Path) -> Iterator[tuple[bytes, Row]]:
    """Give each row as it is written and as Python reads it: those of an array, of an envelope's `data`, or one a line."""
    count = 0
    for count, (text, row) in enumerate(_written_rows(path), start=1):
        if not isinstance(row, dict):
            message = f"{path}: row {count:,} is no object but {text[:20]}"
            raise SystemExit(message)
        yield text.encode(), row
    if not count:
        message = f"{path}: there are no rows"
        raise SystemExit(message)


def _written_rows(path: Path) -> Iterator[tuple[str, Any]]:
    text = path.read_bytes().decode("utf-8-sig").strip()
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, list):
        yield from _elements(text, 1)
    elif isinstance(whole, dict) and isinstance(whole.get("data"), list):
        yield from _elements(text, _begin_of_data(text) + 1)
    else:
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield line.strip(), _read(line, f"{path}: line {number:,}")


def _elements(text: str, at: int) -> Iterator[tuple[str, Any]]:
    """Give the elements of an array that is known to be one, from its first on."""
    while text[at := _behind(text, at)] != "]":
        row, end = DECODER.raw_decode(text, at)
        yield text[at:end], row
        at = end


def _begin_of_data(text: str) -> int:
    """Find the last `data` of an object that is known to have one: it counts if there are several."""
    begin, at = 0, 1
    while text[at := _behind(text, at)] != "}":
        key, at = DECODER.raw_decode(text, at)
        at = _behind(text, at)
        begin = at if key == "data" else begin
        _, at = DECODER.raw_decode(text, at)
    return begin


def _behind(text: str, at: int) -> int:
    between = BETWEEN.match(text, at)
    return between.end() if between else at


def _read(line: str, where: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        message = f"{where} is no row, nor is the file an array or an envelope: {error}"
        raise SystemExit(message) from None

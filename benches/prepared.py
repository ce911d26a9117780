"""A body on disk, in the forms that peers read, with the sample of rows that results are checked against."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from .bodies import KINDS
from .own_rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

#: The level that zlib takes by itself.
GZIP_LEVEL = 6

#: How many rows, evenly spread over the body, are compared cell by cell.
SAMPLED = 400


@dataclass(frozen=True)
class Prepared:
    """A body on disk.

    Attributes
    ----------
    name : the kind of its rows, or another name it was given
    folder : where its forms are: `envelope` (as the service sends it) and `lines` (a row a line)
    size, rows : bytes of the envelope, and rows in it
    is_gzip : whether it is sent compressed; `size` counts the bytes before that

    """

    name: str
    folder: Path
    size: int
    rows: int
    is_gzip: bool = False

    def path(self, form: str) -> Path:
        """Say where one of the forms is, or the `sample`."""
        return self.folder / f"{self.name}.{form}.json"

    def gzipped(self) -> Prepared:
        """Write the same as a body of its own that is sent compressed."""
        other = replace(self, name=f"{self.name}-gzip", is_gzip=True)
        other.path("sample").write_bytes(self.path("sample").read_bytes())
        other.path("envelope").with_suffix(".gz").write_bytes(
            gzip.compress(self.path("envelope").read_bytes(), GZIP_LEVEL)
        )
        return other


@dataclass(frozen=True)
class Sample:
    """What a table must hold: how many rows, which columns, and some of the rows as Python's `json` reads them."""

    rows: int
    columns: list[str]
    at: list[int]
    values: list[dict[str, Any]]

    @classmethod
    def read(cls, path: Path) -> Sample:
        """Read it back."""
        return cls(**json.loads(path.read_bytes()))


def prepare(kind: str, folder: Path, *, rows: int | None = None, megabytes: float = 1, name: str = "") -> Prepared:
    """Write a body of so many rows, or else of about so many megabytes (10⁶ bytes)."""
    return _written(name or kind, folder, _lines(kind, rows or _rows_for(kind, megabytes * 1e6)))


def prepare_own(path: Path, folder: Path) -> Prepared:
    """Write a body of the rows of a file."""
    return _written(name_of(path), folder, rows_of(path))


def name_of(path: Path) -> str:
    """Say what a body of the rows of a file is called: something that may stand in an address."""
    return re.sub(r"[^A-Za-z0-9]+", "-", path.name.lstrip(".").partition(".")[0])


def _written(name: str, folder: Path, made: Iterable[tuple[bytes, dict[str, Any]]]) -> Prepared:
    columns: dict[str, None] = {}
    texts = []
    for text, row in made:
        columns.update(dict.fromkeys(row))
        texts.append(text)
    rows = len(texts)
    at = sorted({round(n * (rows - 1) / (SAMPLED - 1)) for n in range(SAMPLED)})
    sample = {"rows": rows, "columns": list(columns), "at": at, "values": [json.loads(texts[n]) for n in at]}

    array = b"[" + b",".join(texts) + b"]"
    envelope = b'{"status":"completed","row_count":%d,"data":%b}' % (rows, array)
    prepared = Prepared(name, folder, len(envelope), rows)
    prepared.path("envelope").write_bytes(envelope)
    # Line breaks inside a row stand between its tokens: in a string they would be escaped.
    lines = b"".join(re.sub(rb"[\r\n]", b" ", text) + b"\n" for text in texts)
    prepared.path("lines").write_bytes(lines)
    prepared.path("sample").write_text(json.dumps(sample))
    return prepared


def _lines(kind: str, rows: int) -> Iterator[tuple[bytes, dict[str, Any]]]:
    random = Random(f"{kind} 0")
    for n in range(rows):
        row = KINDS[kind](random, n / rows)
        yield json.dumps(row, separators=(",", ":"), ensure_ascii=kind == "escaped").encode(), row


def _rows_for(kind: str, size: float) -> int:
    tried = 200
    return max(1, round(size * tried / sum(len(line) + 1 for line, _ in _lines(kind, tried))))

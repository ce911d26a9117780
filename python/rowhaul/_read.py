"""Rows that do not come from a run: saved bodies, and tables put together."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import suppress
from os import PathLike
from typing import TYPE_CHECKING, Literal

from . import _core
from ._options import at_least_one, decode_options
from ._paths import in_home
from ._rows import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from ._options import SchemaLike

    class Readable(Protocol):
        """A file opened in binary mode."""

        def read(self, size: int = ..., /) -> bytes: ...


#: Bytes that a file is asked for at a time.
CHUNK = 1 << 20


def read_json(
    source: bytes | bytearray | memoryview | str | PathLike[str] | Readable,
    *,
    schema: SchemaLike | None = None,
    parse_dates: bool | Sequence[str] = False,
    max_columns: int | None = None,
    format: Literal["auto", "results", "lines"] = "auto",  # noqa: A002
    record_path: str | Sequence[str] | None = None,
    threads: int | None = None,
) -> Rows:
    r"""Decode JSON into rows: every value exactly, and columns that do not depend on which row came first.

    Parameters
    ----------
    source : the JSON itself as bytes, or in a buffer of them (`memoryview`, a pyarrow buffer, numpy's `uint8`); or the
        path of a file (a `str` is always a path); or a file opened in binary mode. Files are decoded as they are read,
        and not held as a whole. All may be compressed with gzip or zstd
    schema : an Arrow schema (anything with `__arrow_c_schema__`) whose columns come first. A column gets its type if
        every value survives that, and so does each member of an object; a note names the first value that does not fit.
        Members that the schema does not name follow those it does. List views, lists of a fixed size, dictionaries and
        runs have their type as a whole or not at all. A field that is never null (`nullable=False`) stays so if nothing
        is missing. Text becomes a number only if every text is a JSON number that keeps all its digits: `"5.00"`
        becomes a `float64`, `"007"` and `"NaN"` stay text; integers accept only text without a fraction or an exponent,
        and `float32` only what `float64` makes the same of, such as 0.5. A timestamp or a duration accepts numbers in
        its own unit, and a timestamp without a zone dates, as midnights. Exact types (decimals, integers, times) accept
        numbers with a point or an exponent only if none was rounded: those of up to 15 digits are not, nor are whole
        ones below 2^53. If a column of the schema is null throughout, a note names columns of the rows that differ from it
        only in capitals or in what stands between words
    parse_dates : whether text columns in which every value is an ISO 8601 date or time become dates and timestamps,
        which count microseconds, or nanoseconds where a value has more decimals; or the names of the columns to
        convert; default: text stays text. A note tells of a named column that does not convert, and of one that begins
        with dates or times but has other text later
    max_columns : more columns than this is an error; default 10,000
    format : `"auto"` detects a results object (section 4.3 of the specification), an array of objects, or
        newline-delimited objects. A single object counts as results if beside `data` it has `status`, `row_count` or
        `job_id`, or nothing else; otherwise it is one row. A body that may have been meant otherwise (an array `data` of
        objects in a row, or members beside the rows) gets a note, or is an error where that shows only after much was
        read. `"results"` reads the array `data` of an object and ignores what stands beside it, except that `row_count`
        must match. `"lines"` reads newline-delimited objects only
    record_path : where in an object its rows are: the name of the member that is their array, or the names that lead to
        it, as `["hits", "hits"]`. What stands beside is not read into the table. Default: where `format` says
    threads : how many threads may decode a large body; the rows are the same with any number. Default: the machine's
        cores, up to 4; with 1 one thread reads all of it

    Raises
    ------
    DecodeError : the source is not JSON, or not rows, or is compressed and cut off; `.byte_offset` and `.row` say where
        (in the inflated body if it was compressed), and `.rows` holds the rows before the fault. If compressed data is
        damaged no rows are held, because any of them may have changed
    ConfigError : `max_columns` or `threads` is no positive number, or `schema` has a name twice; it is a `ValueError`
    OSError : a file cannot be read

    >>> import rowhaul as rh
    >>> rh.read_json(b'{"a": 1}\n{"a": 2, "b": "x"}\n').to_dicts()
    [{'a': 1, 'b': None}, {'a': 2, 'b': 'x'}]
    >>> rh.read_json(b'{"features": [{"id": 7}, {"id": 8}]}', record_path="features").to_dicts()
    [{'id': 7}, {'id': 8}]

    """
    if format not in {"auto", "results", "lines"}:
        raise ValueError(f"format is 'auto', 'results' or 'lines', not {format!r}")
    form = _form(format, record_path)
    options = decode_options(parse_dates=parse_dates, schema=schema, max_columns=max_columns)
    threads = None if threads is None else at_least_one("threads", threads)
    if isinstance(source, str | PathLike):
        return Rows(_core.read_json_file(_path(source), options, form, threads))
    if hasattr(source, "read"):
        decoder = _core.Decoder(options, form, threads)
        while piece := _bytes(source.read(CHUNK)):
            decoder.feed(piece)
        return Rows(decoder.finish())
    is_main_thread = threading.current_thread() is threading.main_thread()
    return Rows(_core.read_json(_body(source), options, form, threads, is_main_thread))


def _path(source: str | PathLike[str]) -> str:
    """Give the path of a file, unless what is called so is something else."""
    if isinstance(source, str) and source.lstrip()[:1] in {"{", "["}:
        raise ValueError("a str is the path of a file; pass JSON itself as bytes: read_json(text.encode())")
    if isinstance(source, str) and "://" in source:
        raise ValueError("an address is not read: fetch it and pass the bytes, or pass the path of a file that is here")
    return in_home(source)


def _body(source: object) -> bytes:
    """Give the bytes that something holds."""
    if isinstance(source, bytes):
        return source
    with suppress(TypeError, ValueError, BufferError):
        view = memoryview(source)  # type: ignore[arg-type]
        if view.format in {"B", "b", "c"}:
            return bytes(view)
    hint = ""
    if isinstance(source, dict) or (isinstance(source, list) and all(isinstance(row, dict) for row in source)):
        hint = "; what is parsed already is read by way of its text: read_json(json.dumps(...).encode())"
    elif isinstance(source, list | tuple):
        hint = "; read one after the other: rh.concat(map(rh.read_json, ...))"
    raise TypeError(
        f"JSON is read from bytes, a buffer of them, a path or a file, not from {type(source).__name__}{hint}"
    )


def _form(form: str, record_path: str | Sequence[str] | None) -> str | list[str]:
    """Give the format, or the names that lead to the rows."""
    if record_path is None:
        return form
    names = [record_path] if isinstance(record_path, str) else record_path
    names = list(names) if isinstance(names, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"record_path is the name of a member, or the names that lead to one, not {record_path!r}")
    if form != "auto":
        raise ValueError(f"format={form!r} says where the rows are, and so does record_path: leave one of them out")
    return names


def _bytes(piece: object) -> bytes | bytearray:
    if not isinstance(piece, bytes | bytearray):
        raise TypeError("the file does not give bytes; open it in binary mode")
    return piece


def concat(tables: Iterable[Rows]) -> Rows:
    """Put tables one below the other, as if all rows had stood in one body, and return them as one table.

    Columns are the union of all tables' columns in first-seen order, null where a table lacks them. Types widen as
    within one body, with a note where that makes text of a column. Text that mixes strings with other values (a note
    says so) stays as it is, also within objects that become JSON text: which of its values were strings is no longer
    known. Types that you asked for are kept where one type holds the values of all tables (the finer unit of dates,
    times and durations, UTC for two zones, a decimal with the digits of both, a dictionary with keys for all), also in
    arrays, and in objects of the same members in the same order. Elsewhere they become text: dates and times in ISO
    8601, those with an offset in UTC, not as they were sent.

    Raises
    ------
    TypeError : something among them is not Rows; `pyarrow.concat_tables` takes any Arrow tables

    >>> import rowhaul as rh
    >>> rh.concat([rh.read_json(b'[{"a": 1}]'), rh.read_json(b'[{"b": true}]')]).to_dicts()
    [{'a': 1, 'b': None}, {'a': None, 'b': True}]

    """
    tables = list(tables)
    if others := [type(table).__name__ for table in tables if not isinstance(table, Rows)]:
        hint = (
            "; put a single one into a list"
            if others[0] == "dict"
            else "; `pyarrow.concat_tables` takes any Arrow tables"
        )
        raise TypeError(f"concat takes an iterable of Rows, not of {others[0]}{hint}")
    return Rows(_core.concat([table._core for table in tables]))  # noqa: SLF001

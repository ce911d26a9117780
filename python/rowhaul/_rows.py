"""The rows of a result: an Arrow table that other libraries take as it is."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core, _html
from ._column import Column
from ._counted import counted
from ._described import described
from ._not_here import told
from ._notes import Note, Notes
from ._place import part, place
from ._receivers import laid_out, to_arrow, to_polars
from ._schema import Schema
from ._target import write_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from ._job import AsyncJob, Job
    from ._target import Target


class Rows:
    """The rows of a result, as an Arrow table that does not change.

    `pl.DataFrame(rows)`, `pa.table(rows)` and `duckdb.sql("from rows")` take it as it is, any number of times. For
    pandas use `to_pandas()`: pandas' own `from_arrow` makes floats of integers beside nulls, and so changes large ids.
    Rows pickle, without their `job`.

    >>> import rowhaul as rh
    >>> rows = rh.read_json(b'[{"city": "Oslo", "going": 3}, {"city": "Bergen"}]')
    >>> rows
    Rows(2 rows × 2 columns: city, going)
    >>> rows["going"].to_list()
    [3, None]

    """

    def __init__(self, core: _core.Rows, job: Job | AsyncJob | None = None) -> None:
        self._core = core
        self._job = job

    @property
    def job(self) -> Job | AsyncJob | Any:
        """The job that brought the rows, or None for rows that were read or put together here."""
        # `Any` and not None: whoever has rows of a run need not tell a type checker so.
        return self._job

    @property
    def columns(self) -> list[str]:
        """The names of the columns, exactly as sent: declared ones first, then in the order they were first seen."""
        return self._core.columns

    @property
    def schema(self) -> Schema:
        """The columns' names and Arrow types; `pa.schema(rows.schema)` takes it as it is."""
        return Schema(self._core)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was widened and why, as `Note(column, message)`: at most 500 of columns, and 500 of the table.

        A note on something nested has a dotted path. Those on a column are in its Arrow metadata, too, under
        `rowhaul.note`.

        >>> import rowhaul as rh
        >>> rh.read_json(b'[{"id": 7}, {"id": "A7"}]').notes[0].column
        'id'

        """
        return Notes(Note(column, message) for column, message in self._core.notes)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return len(self), len(self.columns)

    def __eq__(self, other: object) -> bool:
        """Tell whether the other rows have the same columns, by name, type and order, with the same values in the same rows.

        Notes, the job that brought them, and the layout of text do not count (`string`, `large_string` and
        `string_view` are the same). Values are the same in every bit: -0.0 is not 0.0.
        """
        return self._core.equals(other._core) if isinstance(other, Rows) else NotImplemented

    #: Like lists and tables, which compare by what is in them: too much to be hashed.
    __hash__ = None  # type: ignore[assignment]

    def head(self, n: int = 5) -> Rows:
        """Give the first `n` rows, or all but the last `-n`: `rows[:n]`, which shares the table's memory."""
        return self[:n]

    def tail(self, n: int = 5) -> Rows:
        """Give the last `n` rows, or all but the first `-n`, which shares the table's memory."""
        return self[max(len(self) - n, 0) :] if n >= 0 else self[-n:]

    def to_pandas(
        self,
        *,
        dtype_backend: Literal["numpy_nullable", "pyarrow"] | None = None,
        nested: Literal["arrow", "json", "objects"] = "arrow",
    ) -> pd.DataFrame:
        """Give a pandas DataFrame.

        Integers stay exact: a column of them that has nulls is `Int64`. Text is pandas' `str`. A column that is null in
        every row and that no schema declares is `object`, on which `fillna` and the like still work. The frame may be
        written to; the rows stay as they are.

        Parameters
        ----------
        dtype_backend : as pandas names it: `"numpy_nullable"` or `"pyarrow"`; default: numpy's types where they hold
            every value, nullable ones where they do not
        nested : what lists and objects become: `"arrow"` (pandas' `ArrowDtype`, or JSON text without pyarrow;
            `drop_duplicates` and `nunique` do not support it), `"json"` (text; those work) or `"objects"` (Python lists
            and dicts; slow and large). If pandas wrote a Parquet file with `"arrow"` columns, read it back with
            `dtype_backend="pyarrow"`; a file by `rows.write_parquet` needs nothing

        Raises
        ------
        ModuleNotFoundError : pandas is not installed, or pyarrow is not where a type needs it; the message says what to
            install
        ImportError : pandas is older than 3

        >>> import rowhaul as rh
        >>> rh.read_json(b'[{"id": 9007199254740993}, {"id": null}]').to_pandas()["id"].dtype
        Int64Dtype()

        """
        from ._pandas import to_pandas

        return to_pandas(self._core, dtype_backend, nested)

    def to_polars(self) -> pl.DataFrame:
        """Give a polars DataFrame, with text as `String` and nested values as `List` and `Struct`: as `pl.DataFrame(rows)`.

        Raises
        ------
        ModuleNotFoundError : polars is not installed
        ImportError : polars is older than 1.34

        """
        return to_polars(self._core)

    def to_arrow(self) -> pa.Table:
        """Give a pyarrow Table, with text as `large_string`: as `pa.table(rows)`.

        Raises
        ------
        ModuleNotFoundError : pyarrow is not installed
        ImportError : pyarrow is older than 20

        """
        return to_arrow(self._core)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Give plain Python: a dict for each row, with None where there is no value.

        Times, datetimes and timedeltas have no nanoseconds in Python: they are cut off.
        """
        return self._core.to_dicts()

    def write_parquet(self, file: Target, *, compression: Literal["zstd", "snappy", "none"] | None = "zstd") -> None:
        """Write a Parquet file, which other libraries read with the same types.

        `pd.read_parquet` reads integers and booleans with nulls as `Int64` and `boolean`, as `to_pandas` makes them, so
        large ids are exact; inside nested columns it turns them into floats. Parquet has no unit of seconds: a column
        that your schema counts in seconds comes back in milliseconds, and `date64` as `date32`.

        Like every file written here, it appears whole or not at all. A pipe, a device or an open file is given the rows
        only once they are written as a whole.

        Parameters
        ----------
        file : its path; or a file opened in binary mode, which stays open (`io.BytesIO()`, one of `fsspec`)
        compression : of its pages; `None` is `"none"`; default `"zstd"`, the smallest at nearly the speed of snappy

        Raises
        ------
        OSError : it cannot be written; or there are rows without any column, which Parquet has no way to tell

        """
        write_to(file, lambda path: self._core.write_parquet(path, "none" if compression is None else compression))

    def write_csv(self, file: Target, *, escape_formulas: bool = False) -> None:
        """Write CSV (RFC 4180) with a head, whole or not at all.

        Nested values are JSON text; nulls are empty, and so is empty text.

        Parameters
        ----------
        file : its path, where one that ends in `.gz` or `.zst` is compressed; or a file opened in binary mode, which
            stays open
        escape_formulas : whether to put a `'` before text that a spreadsheet would run as a formula; default: text
            stays

        Raises
        ------
        OSError : it cannot be written; or there are rows without any column, which CSV has no way to tell

        """
        write_to(file, lambda path: self._core.write_csv(path, escape_formulas))

    def write_ndjson(self, file: Target) -> None:
        """Write one JSON object a line, with every column in each of them, whole or not at all.

        Parameters
        ----------
        file : its path, where one that ends in `.gz` or `.zst` is compressed; or a file opened in binary mode, which
            stays open

        """
        write_to(file, self._core.write_ndjson)

    def write_ipc(self, file: Target) -> None:
        """Write an Arrow IPC file, also known as Feather, compressed with zstd, whole or not at all.

        `pd.read_feather` gives the types that `pd.read_parquet` does: see `write_parquet`.

        Parameters
        ----------
        file : its path; or a file opened in binary mode, which stays open

        """
        write_to(file, self._core.write_ipc)

    def __len__(self) -> int:
        return len(self._core)

    if not TYPE_CHECKING:  # which knows by itself what there is not

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):  # its getter asked for another attribute: asked once more, it says for which
                return super().__getattribute__(name)
            core = self.__dict__.get("_core")  # what asks may do so while rows are made
            message = told(name, [] if core is None else core.columns, dir(type(self)))
            raise AttributeError(message)  # without its name, of which Python would make a guess of its own

    def _ipython_key_completions_(self) -> list[str]:
        """Complete `rows["…` in Jupyter."""
        return self.columns

    @overload
    def __getitem__(self, key: str) -> Column: ...
    @overload
    def __getitem__(self, key: slice) -> Rows: ...
    @overload
    def __getitem__(self, key: list[str]) -> Rows: ...
    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    def __getitem__(self, key: str | slice | list[str] | int) -> Column | Rows | dict[str, Any]:
        """Give a column by its name, columns by a list of names, rows by a slice, a row as a dict by its number.

        Columns and parts share the memory of their table, in which parts of several columns lie side by side: keeping
        one column may keep some of the others in memory. To let a column outlast the table, copy it with
        `rows["x"].to_list()`, or write it elsewhere.

        """
        if isinstance(key, str):
            return Column(self._core.select([key]))
        if isinstance(key, list):
            if not all(isinstance(name, str) for name in key):
                raise TypeError("columns are taken by a list of their names")
            return Rows(self._core.select(key), self._job)
        if isinstance(key, slice):
            return Rows(self._core.slice(*part(key, len(self))), self._job)
        at = place(key, len(self), "row")
        return self._core.slice(at, 1, 1).to_dicts()[0]

    def __contains__(self, name: object) -> bool:
        """Say whether there is a column of this name; iterating gives rows all the same."""
        return name in self._core.columns

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Give the rows one by one, as dicts."""
        for start in range(0, len(self), 1024):
            yield from self._core.slice(start, min(1024, len(self) - start), 1).to_dicts()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the rows over by Arrow's PyCapsule protocol: to polars with text as views, as it holds it."""
        return laid_out(self._core).__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Hand the schema over by Arrow's PyCapsule protocol."""
        return laid_out(self._core).__arrow_c_schema__()

    def __str__(self) -> str:
        return self._core.table(10, get_terminal_size().columns)

    def __repr__(self) -> str:
        notes = self._core.notes
        noted = f"; {counted(len(notes), 'note')}" if notes else ""
        return f"Rows({described(len(self), self.columns)}{noted})"

    def _repr_html_(self) -> str:
        return _html.rows(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickled, (self._core.to_ipc(), self._core.notes))


def _unpickled(ipc: bytes, notes: list[tuple[str | None, str]]) -> Rows:
    return Rows(_core.Rows.from_ipc(ipc, notes))

"""Body → table, in every way that Python offers.

Each peer is called as its documentation shows, and where its default looks at the first rows only, once more with the
option that makes it look at all of them. All are timed from the body as the service sends it, in the fewest steps that
lead from there to a table: pyarrow and DuckDB read it as one row and take the rows out of that. Peers that read lines
are timed a second time with the rows put on `lines` for them beforehand, which a service does not send. DuckDB reads
files only, so it opens one that the system has cached; it is told not to read rows of more than 200 columns as maps,
since one map of everything is no table.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Peer:
    """A way to a table.

    Attributes
    ----------
    name : what tables and charts call it
    needs : the modules that must be there
    form : what it reads: bytes of the `envelope` or of the `lines`; a file of one, such as `lines file`; or the `url`
        of a run
    read : from that, and how many threads it may use, to a table
    threads : the numbers of threads it is timed with
    json_text : whether its columns of JSON text hold strings in quotes, so that a quoted string is the same value
    is_table : whether a table comes out; what only parses gives the number of rows instead

    """

    name: str
    needs: tuple[str, ...]
    form: str
    read: Callable[[Any, int], Any]
    threads: tuple[int, ...] = (1,)
    json_text: bool = False
    is_table: bool = True

    @property
    def present(self) -> bool:
        """Whether everything it needs is installed."""
        return all(find_spec(module) for module in self.needs)


def rowhaul(body: bytes, threads: int) -> Any:
    """Decode into an Arrow table."""
    import rowhaul

    return rowhaul.read_json(body, threads=threads)


def rowhaul_pandas(body: bytes, threads: int) -> Any:
    """Decode and hand over to pandas."""
    import rowhaul

    return rowhaul.read_json(body, threads=threads).to_pandas()


def rowhaul_polars(body: bytes, threads: int) -> Any:
    """Decode and hand over to polars."""
    import rowhaul

    return rowhaul.read_json(body, threads=threads).to_polars()


def json_pandas(body: bytes, _: int) -> Any:
    """Go through Python's own reader."""
    import json

    import pandas as pd

    return pd.DataFrame(json.loads(body)["data"])


def orjson_pandas(body: bytes, _: int) -> Any:
    """Go through the fastest reader into Python objects."""
    import orjson
    import pandas as pd

    return pd.DataFrame(orjson.loads(body)["data"])


def msgspec_pandas(body: bytes, _: int) -> Any:
    """Go through msgspec, without types."""
    import msgspec
    import pandas as pd

    return pd.DataFrame(msgspec.json.decode(body)["data"])


def simdjson(body: bytes, _: int) -> int:
    """Parse into simdjson's own tree, of which nothing is made; only the rows are counted."""
    import simdjson

    return len(simdjson.Parser().parse(body)["data"])


def orjson_polars(body: bytes, _: int) -> Any:
    """Look at all rows: the default looks at 100 and drops every column that comes later."""
    import orjson
    import polars as pl

    return pl.DataFrame(orjson.loads(body)["data"], infer_schema_length=None)


def polars(body: bytes, _: int) -> Any:
    """Infer the schema from the first 100 rows, as is the default."""
    import polars as pl

    return pl.read_json(_array(body))


def polars_all_rows(body: bytes, _: int) -> Any:
    """Infer the schema from all rows."""
    import polars as pl

    return pl.read_json(_array(body), infer_schema_length=None)


def polars_lines(lines: bytes, _: int) -> Any:
    """Infer the schema from the first 100 rows, as is the default."""
    import polars as pl

    return pl.read_ndjson(lines)


def polars_all_lines(lines: bytes, _: int) -> Any:
    """Infer the schema from all rows."""
    import polars as pl

    return pl.read_ndjson(lines, infer_schema_length=None)


def pyarrow(body: bytes, threads: int) -> Any:
    """Read the envelope as one row, and take the rows out of it."""
    import pyarrow as pa

    (data,) = _pyarrow(body, threads, len(body) + 1)["data"].chunks
    return pa.Table.from_struct_array(data.flatten())


def pyarrow_lines(lines: bytes, threads: int) -> Any:
    """Read blocks of 1 MB, as is the default."""
    return _pyarrow(lines, threads, None)


def pyarrow_one_block(lines: bytes, threads: int) -> Any:
    """Read one block, so that types may differ anywhere."""
    return _pyarrow(lines, threads, len(lines) + 1)


def duckdb(path: str, threads: int) -> Any:
    """Read the envelope as one row, and take the rows out of it."""
    body = "from read_json(?, map_inference_threshold = -1, maximum_object_size = ?)"
    return _duckdb(f"{body} select unnest(data, max_depth := 2)", threads, path, Path(path).stat().st_size + 1)


def duckdb_lines(path: str, threads: int) -> Any:
    """Infer the types from the first 20,480 rows, as is the default."""
    return _duckdb("from read_json(?, map_inference_threshold = -1)", threads, path)


def duckdb_all_lines(path: str, threads: int) -> Any:
    """Infer the types from all rows."""
    return _duckdb("from read_json(?, map_inference_threshold = -1, sample_size = -1)", threads, path)


def _array(body: bytes) -> bytes:
    """Cut the envelope off a body of which it is known that the rows stand last."""
    return body[body.index(b"[") : -1]


def _pyarrow(lines: bytes, threads: int, block_size: int | None) -> Any:
    import pyarrow as pa
    from pyarrow import json

    options = json.ReadOptions(use_threads=threads > 1, block_size=block_size)
    return json.read_json(pa.BufferReader(lines), read_options=options)


def _duckdb(query: str, threads: int, *values: str | int) -> Any:
    import duckdb

    with duckdb.connect(config={"threads": threads}) as connection:
        return connection.sql(query, params=[*values]).to_arrow_table()


PANDAS, POLARS, ARROW = ("rowhaul", "pandas", "pyarrow"), ("rowhaul", "polars"), ("duckdb", "pyarrow")

#: The first is what the others are compared with.
PEERS = (
    Peer("rowhaul", ("rowhaul",), "envelope", rowhaul, threads=(1, 2)),
    Peer("rowhaul → pandas", PANDAS, "envelope", rowhaul_pandas, threads=(1, 2)),
    Peer("rowhaul → polars", POLARS, "envelope", rowhaul_polars, threads=(1, 2)),
    Peer("json + pandas", ("pandas",), "envelope", json_pandas),
    Peer("orjson + pandas", ("orjson", "pandas"), "envelope", orjson_pandas),
    Peer("msgspec + pandas", ("msgspec", "pandas"), "envelope", msgspec_pandas),
    Peer("simdjson, parsed only", ("simdjson",), "envelope", simdjson, is_table=False),
    Peer("orjson + polars", ("orjson", "polars"), "envelope", orjson_polars),
    Peer("pl.read_json", ("polars",), "envelope", polars, threads=(1, 2)),
    Peer("pl.read_json, all rows", ("polars",), "envelope", polars_all_rows, threads=(1, 2)),
    Peer("pyarrow.json", ("pyarrow",), "envelope", pyarrow, threads=(1, 2)),
    Peer("DuckDB", ARROW, "envelope file", duckdb, threads=(1, 2), json_text=True),
    Peer("pl.read_ndjson, given lines", ("polars",), "lines", polars_lines, threads=(1, 2)),
    Peer("pl.read_ndjson, given lines, all rows", ("polars",), "lines", polars_all_lines, threads=(1, 2)),
    Peer("pyarrow.json, given lines", ("pyarrow",), "lines", pyarrow_lines, threads=(1, 2)),
    Peer("pyarrow.json, given lines, one block", ("pyarrow",), "lines", pyarrow_one_block, threads=(1, 2)),
    Peer("DuckDB, given lines", ARROW, "lines file", duckdb_lines, threads=(1, 2), json_text=True),
    Peer("DuckDB, given lines, all", ARROW, "lines file", duckdb_all_lines, threads=(1, 2), json_text=True),
)

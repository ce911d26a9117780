"""The last step: rows that are decoded into the table of another library, beside what decoding took.

Time is taken in one process, decoding and all receivers in turn; memory each in a fresh process, from the moment the
rows are there. Where nothing is copied, both are next to nothing.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from .memory import Peak, can_tell

if TYPE_CHECKING:
    from collections.abc import Callable

    from .prepared import Prepared

ROOT = Path(__file__).parent.parent


def to_pandas(rows: Any) -> Any:
    """Hand over to pandas."""
    return rows.to_pandas()


def to_polars(rows: Any) -> Any:
    """Hand over to polars by name."""
    return rows.to_polars()


def polars_takes(rows: Any) -> Any:
    """Have polars take the rows by itself."""
    import polars as pl

    return pl.DataFrame(rows)


def to_arrow(rows: Any) -> Any:
    """Hand over to pyarrow."""
    return rows.to_arrow()


def duckdb_queries(rows: Any) -> Any:  # noqa: ARG001 -- found by its name
    """Have DuckDB look at every column of the rows, which it finds by the name of the variable."""
    import duckdb

    return duckdb.sql("select count(columns(*)) from rows").fetchall()


RECEIVERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "rows.to_pandas()": ("pandas", to_pandas),
    "rows.to_polars()": ("polars", to_polars),
    "pl.DataFrame(rows)": ("polars", polars_takes),
    "rows.to_arrow()": ("pyarrow", to_arrow),
    'duckdb.sql("… from rows")': ("duckdb", duckdb_queries),
}


def measured(body: Prepared, rounds: int) -> dict[str, tuple[list[float], int | None]]:
    """Give, for each receiver, its times as shares of the decoding in the same round, and the bytes it took at most."""
    shares = _asked("times", body, str(rounds))
    return {name: (taken, _asked("peak", body, name) if can_tell() else None) for name, taken in shares.items()}


def table(results: dict[str, tuple[list[float], int | None]], size: int) -> str:
    """Give the results in Markdown."""
    lines = ["| receiver | time, of the decoding (spread) | peak beyond the rows, of the body |", "| --- | --- | --- |"]
    for name, (shares, peak) in results.items():
        spread = f"{median(shares):.2f} × ({min(shares):.2f}–{max(shares):.2f})"
        lines.append(f"| `{name}` | {spread} | {'–' if peak is None else f'{peak / size:.2f} ×'} |")
    return "\n".join(lines)


def _asked(what: str, body: Prepared, argument: str) -> Any:
    command = [sys.executable, "-m", "benches.receivers", what, str(body.path("envelope")), argument]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, cwd=ROOT, check=True).stdout)


def _times(body: bytes, rounds: int) -> dict[str, list[float]]:
    import rowhaul

    present = {name: take for name, (module, take) in RECEIVERS.items() if find_spec(module)}
    shares: dict[str, list[float]] = {name: [] for name in present}
    for n in range(rounds + 1):
        gc.collect()
        start = perf_counter()
        rows = rowhaul.read_json(body, threads=1)
        decoding = perf_counter() - start
        for name, take in present.items():
            start = perf_counter()
            table = take(rows)
            taken = perf_counter() - start
            del table
            # The first round imports libraries.
            shares[name] += [taken / decoding] if n else []
    return shares


def _peak(body: bytes, name: str) -> int:
    import rowhaul

    take = RECEIVERS[name][1]
    take(rowhaul.read_json(b'[{"text": "a text that stands in a buffer of its own", "list": [1]}]'))
    rows = rowhaul.read_json(body, threads=1)
    gc.collect()
    with Peak() as peak:
        table = take(rows)
    del table
    return peak.bytes


def main() -> None:
    """Measure what is asked for."""
    what, path, argument = sys.argv[1:]
    body = Path(path).read_bytes()
    print(json.dumps(_times(body, int(argument)) if what == "times" else _peak(body, argument)))


if __name__ == "__main__":
    main()

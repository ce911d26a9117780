"""Any peer's table as plain Python: the columns it has, and the cells of some of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def columns(table: Any) -> list[str]:
    """Name the columns."""
    return list(table.column_names if _library(table) == "pyarrow" else table.columns)


def rows(table: Any, at: Sequence[int]) -> list[dict[str, Any]]:
    """Give some rows, each a dict from column to value; what is missing is None, or the NaN that pandas makes of it."""
    match _library(table):
        case "pandas":
            picked = table.iloc[list(at)]
            values = [picked[name].tolist() for name in picked.columns]
            return [dict(zip(picked.columns, row, strict=True)) for row in zip(*values, strict=True)]
        case "polars":
            return list(table[list(at)].iter_rows(named=True))
        case "pyarrow":
            return [table.slice(n, 1).to_pylist(maps_as_pydicts="strict")[0] for n in at]
        case _:
            return [table[n] for n in at]


def _library(table: Any) -> str:
    return type(table).__module__.partition(".")[0]

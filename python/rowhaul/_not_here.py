"""What somebody looks for on Rows or a Column that goes by another name, or that other libraries do."""

from __future__ import annotations

import difflib

#: What pandas, polars and pyarrow call it, and what does it here.
_NAMES = {
    "column_names": "`rows.columns`",
    "dtypes": "`rows.schema`",
    "num_rows": "`len(rows)`",
    "num_columns": "`len(rows.columns)`",
    "height": "`len(rows)`",
    "width": "`len(rows.columns)`",
    "select": "`rows[names]`, of a list of them",
    "slice": "`rows[start:end]`",
    "iter_rows": "`for row in rows`",
    "iterrows": "`for row in rows`",
    "itertuples": "`for row in rows`",
    "to_list": "`rows.to_dicts()`",
    "to_pylist": "`rows.to_dicts()`",
    "to_dict": "`rows.to_dicts()`",
    "to_pydict": "`rows.to_dicts()`",
    "to_csv": "`rows.write_csv(file)`",
    "to_feather": "`rows.write_ipc(file)`",
    "to_json": "`rows.write_ndjson(file)`",
    "to_parquet": "`rows.write_parquet(file)`",
    "write_json": "`rows.write_ndjson(file)`",
}


def told(name: str, columns: list[str], attributes: list[str]) -> str:
    """Say that Rows have no such attribute, and what does what is looked for."""
    none = f"Rows have no attribute {name!r}"
    if name in columns:
        return f"{none}; the column is `rows[{name!r}]`"
    if name.startswith("_"):
        return none
    if name in _NAMES:
        return f"{none}; {_NAMES[name]}"
    if near := _near(name, attributes):
        return f"{none}; did you mean `rows.{near}`?"
    return f"{none}; what goes beyond holding rows pandas, polars and DuckDB do: `to_pandas()`, `to_polars()`"


def told_of_column(name: str, attributes: list[str]) -> str:
    """Say that a Column has no such attribute, and who has."""
    none = f"a Column has no attribute {name!r}"
    if name.startswith("_"):
        return none
    if near := _near(name, attributes):
        return f"{none}; did you mean `{near}`?"
    others = "`to_pandas()`, `to_polars()`, `to_arrow()`"
    return f"{none}; what goes beyond holding values pandas, polars and pyarrow do: {others}"


def _near(name: str, attributes: list[str]) -> str | None:
    public = [attribute for attribute in attributes if not attribute.startswith("_")]
    return next(iter(difflib.get_close_matches(name, public, 1, cutoff=0.8)), None)

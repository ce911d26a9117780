"""Rows as a pandas DataFrame: exact, and without Python objects unless they are asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ._blocks import Blocks
from ._receivers import present, wanted

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from . import _core

_BACKENDS = (None, "numpy_nullable", "pyarrow")
_NESTED = ("arrow", "json", "objects")

#: The nullable type of pandas for a type of Arrow.
_NULLABLE = {
    "bool": "boolean",
    **{f"{sign}int{bits}": f"{sign.upper()}Int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float": "Float32",
    "double": "Float64",
    "float32": "Float32",
    "float64": "Float64",
}

#: What Python's values of a type of Arrow become, where pandas would not know by itself: days are midnights, as it has
#: no dates.
_PLAIN = {"null": "object", "date32": "datetime64[ms]", "date64": "datetime64[ms]"}


def to_pandas(core: _core.Rows, dtype_backend: str | None = None, nested: str = "arrow") -> pd.DataFrame:
    """Give a DataFrame: see `Rows.to_pandas`."""
    if dtype_backend not in _BACKENDS:
        raise ValueError(f"dtype_backend is one of {_BACKENDS}, not {dtype_backend!r}")
    if nested not in _NESTED:
        raise ValueError(f"nested is one of {_NESTED}, not {nested!r}")
    pandas, arrow = wanted("pandas"), wanted("pyarrow") if dtype_backend == "pyarrow" else present("pyarrow")
    objects = {}
    if nested == "objects":
        objects = {at: core.values(at) for at in core.nested}
    if nested == "json" or arrow is None:
        core = core.with_nested_as_text()
    blocks = Blocks(pandas, len(core))
    for at, values in objects.items():
        blocks.add(at, pandas.Series(values, dtype=object).array)
    if arrow:
        _from_arrow(blocks, core, pandas, arrow, dtype_backend)
    else:
        _plain(blocks, core, pandas, dtype_backend)
    return blocks.frame(core.columns)


def _from_arrow(blocks: Blocks, core: _core.Rows, pandas: Any, arrow: Any, backend: str | None) -> None:
    """Add the columns by way of pyarrow."""
    types, text = arrow.types, _text(pandas, backend)
    for at, column in enumerate(arrow.table(core).columns):
        if at in blocks:
            continue
        if column.type == arrow.time64("ns") and backend != "pyarrow":
            # Without pyarrow's types pandas has Python's times, which have no nanoseconds.
            column = column.cast(arrow.time64("us"), safe=False)  # noqa: PLW2901
        kind = column.type
        if backend == "pyarrow" or types.is_nested(kind) or types.is_decimal(kind):
            dtype = pandas.ArrowDtype(kind)
        elif types.is_large_string(kind):
            dtype = text
        elif str(kind) not in _NULLABLE:
            # Days are midnights to pandas, which has no type for dates; they would be Python objects.
            values = column.to_pandas(date_as_object=False).array
            # Values that stand in the table as pandas has them are lent.
            is_lent = column.num_chunks == 1 and not column.null_count
            blocks.add(at, values.copy() if is_lent else values)
            continue
        elif backend or (column.null_count and not types.is_floating(kind)):
            dtype = pandas.api.types.pandas_dtype(_NULLABLE[str(kind)])
        else:
            blocks.add_numbers(at, kind.to_pandas_dtype(), column.to_numpy)
            continue
        blocks.add(at, dtype.__from_arrow__(column))


def _plain(blocks: Blocks, core: _core.Rows, pandas: Any, backend: str | None) -> None:
    """Add the columns without pyarrow: numbers from their buffers, text from Python strings."""
    import numpy as np

    for at, kind in enumerate(core.types):
        if at in blocks:
            continue
        if kind not in _NULLABLE:
            dtype = _text(pandas, backend) if kind == "string" else None
            dtype = dtype or _PLAIN.get(kind)
            blocks.add(at, pandas.Series(core.values(at), dtype=dtype).array)
        elif backend or (core.null_count(at) and not kind.startswith("float")):
            values, missing = _numbers(core, at, kind)
            absent = np.zeros(len(values), dtype="bool") if missing is None else missing.copy()
            blocks.add(at, _masked(pandas, kind)(values.copy(), absent))
        else:
            blocks.add_numbers(at, np.dtype(kind), partial(_with_nan, core, at, kind))


def _numbers(core: _core.Rows, at: int, kind: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Give the values of a column, and which of them are missing if any are."""
    import numpy as np

    values, missing = core.buffers(at)
    return np.frombuffer(values, dtype=kind), None if missing is None else np.frombuffer(missing, dtype="bool")


def _with_nan(core: _core.Rows, at: int, kind: str) -> np.ndarray:
    """Give the values of a column, with NaN for those that are missing."""
    import numpy as np

    values, missing = _numbers(core, at, kind)
    return values if missing is None else np.where(missing, np.nan, values)


def _masked(pandas: Any, kind: str) -> Any:
    """Give the array class of pandas for values with a mask."""
    if kind == "bool":
        return pandas.arrays.BooleanArray
    return pandas.arrays.FloatingArray if kind.startswith("float") else pandas.arrays.IntegerArray


def _text(pandas: Any, backend: str | None) -> Any:
    """Give the type of text: pandas' `str`, or its nullable one."""
    import numpy as np

    storage = "pyarrow" if present("pyarrow") else "python"
    return pandas.StringDtype(storage, na_value=pandas.NA if backend else np.nan)

"""One column of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from ._counted import counted
from ._described import printable
from ._not_here import told_of_column
from ._place import part, place
from ._receivers import laid_out, to_arrow, to_polars

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from . import _core


class Column:
    """One column of a table. `pl.Series(column)` and `pa.array(column)` take it as it is."""

    def __init__(self, core: _core.Rows) -> None:
        self._core = core

    @property
    def name(self) -> str:
        """The column's name."""
        return self._core.columns[0]

    @property
    def type(self) -> str:
        """The column's Arrow type, such as `"int64"`."""
        return self._core.types[0]

    def to_list(self) -> list[Any]:
        """Give plain Python values, None where there is none: see `Rows.to_dicts`."""
        return self._core.values(0)

    def to_pandas(self) -> pd.Series[Any]:
        """Give a pandas Series, with the types of `Rows.to_pandas`."""
        from ._pandas import to_pandas

        return to_pandas(self._core)[self.name]

    def to_polars(self) -> pl.Series:
        """Give a polars Series."""
        return to_polars(self._core)[self.name]

    def to_arrow(self) -> pa.ChunkedArray:
        """Give a pyarrow ChunkedArray."""
        return to_arrow(self._core).column(0)

    def __eq__(self, other: object) -> bool:
        """Tell whether the other column has the same name, type and values, in this order."""
        return self._core.equals(other._core) if isinstance(other, Column) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    if not TYPE_CHECKING:  # which knows by itself what there is not

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(told_of_column(name, dir(type(self))))

    def __len__(self) -> int:
        return len(self._core)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_list())

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> Column: ...
    def __getitem__(self, key: int | slice) -> Any:
        """Give a value by its number, or a part of the column by a slice."""
        if isinstance(key, slice):
            return Column(self._core.slice(*part(key, len(self))))
        return self._core.slice(place(key, len(self), "value"), 1, 1).values(0)[0]

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Hand the values over by Arrow's PyCapsule protocol."""
        return laid_out(self._core).column_c_array(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Hand the type over by Arrow's PyCapsule protocol."""
        return laid_out(self._core).column_c_array(None)[0]

    def __repr__(self) -> str:
        return f"Column({self.name!r}, {printable(self.type)}, {counted(len(self), 'value')})"

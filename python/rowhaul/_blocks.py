"""The blocks of a pandas DataFrame: one for all columns of numbers of a type, and one for each other column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pandas as pd


class Blocks:
    """Collects the columns of a DataFrame in the form that pandas holds them in.

    Its constructor would look at every column several times over, and give each column of numbers a block of its own,
    of which pandas warns where they are many. A frame is there to be written to, so numbers are copied into their
    block.
    """

    def __init__(self, pandas: Any, rows: int) -> None:
        self._pandas, self._rows = pandas, rows
        self._arrays: dict[int, Any] = {}
        self._numbers: dict[Any, dict[int, Callable[[], np.ndarray]]] = {}

    def __contains__(self, at: int) -> bool:
        """Say whether an array was added for the column that stands there."""
        return at in self._arrays

    def add(self, at: int, array: Any) -> None:
        """Add a column that is an array of pandas."""
        # Exactly this type: text without pyarrow is one of its kind, but not an array of numpy.
        is_numpy = type(array) is self._pandas.arrays.NumpyExtensionArray
        self._arrays[at] = array.to_numpy().reshape(1, -1) if is_numpy else array

    def add_numbers(self, at: int, dtype: Any, read: Callable[[], np.ndarray]) -> None:
        """Add a column of numpy. It is read when its block is there, so that one at a time is held twice."""
        self._numbers.setdefault(dtype, {})[at] = read

    def frame(self, names: list[str]) -> pd.DataFrame:
        """Give the DataFrame."""
        import numpy as np
        from pandas.api.internals import create_dataframe_from_blocks

        blocks = [(array, np.array([at])) for at, array in self._arrays.items()]
        for dtype, columns in self._numbers.items():
            block = np.empty((len(columns), self._rows), dtype)
            for row, read in zip(block, columns.values(), strict=True):
                row[:] = read()
            blocks.append((block, np.array(list(columns))))
        pandas = self._pandas
        labels = pandas.Index(names, dtype="str") if names else pandas.RangeIndex(0)
        return create_dataframe_from_blocks(blocks, pandas.RangeIndex(self._rows), labels)

"""The columns of a table, by name and type."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from ._described import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from . import _core


class Schema(Mapping[str, str]):
    """The columns of a table: a mapping from name to Arrow type, such as `"int64"`, in the order of the columns."""

    def __init__(self, core: _core.Rows) -> None:
        self._core = core
        self._types = dict(zip(core.columns, core.types, strict=True))

    def __getitem__(self, name: str) -> str:
        if isinstance(name, str) and name not in self._types:
            with suppress(UnicodeEncodeError):
                self._core.select([name])  # says which column may be meant
        return self._types[name]

    def __contains__(self, name: object) -> bool:
        return name in self._types

    def __iter__(self) -> Iterator[str]:
        return iter(self._types)

    def __len__(self) -> int:
        return len(self._types)

    def __arrow_c_schema__(self) -> object:
        """Hand the schema over by Arrow's PyCapsule protocol."""
        return self._core.__arrow_c_schema__()

    def __repr__(self) -> str:
        return (
            "Schema(" + ", ".join(f"{printable(name)}: {printable(kind)}" for name, kind in self._types.items()) + ")"
        )

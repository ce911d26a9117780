"""What the decoder has to say about a table."""

from __future__ import annotations

from dataclasses import dataclass

from . import _html
from ._counted import counted


@dataclass(frozen=True)
class Note:
    """Something the decoder did that a reader of the table should know.

    Attributes
    ----------
    column : the column it is about (a dotted path for nested ones), or None for the table as a whole
    message : what was done, and why

    """

    column: str | None
    message: str


class Notes(tuple[Note, ...]):
    """The notes of a table: a tuple that shows itself as a list to read."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = [note.message if note.column is None else f"{note.column}: {note.message}" for note in self]
        return "\n".join([counted(len(self), "note"), *lines])

    def _repr_html_(self) -> str:
        return _html.notes(self) or f"<p>{counted(0, 'note')}</p>"

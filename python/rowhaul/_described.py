"""What rows and their columns are called in a line of text."""

from __future__ import annotations

from ._counted import counted


def described(rows: int, names: list[str]) -> str:
    """Say how many rows and columns there are, and what the first are called."""
    shown = ", ".join(map(printable, names[:8])) + (", …" if len(names) > 8 else "")  # noqa: PLR2004
    return f"{counted(rows, 'row')} × {counted(len(names), 'column')}" + (f": {shown}" if names else "")


def printable(name: str) -> str:
    """Give a name in which nothing moves the cursor of a terminal, or turns the text around."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)

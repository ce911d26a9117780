"""How many there are of something, in words."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Say `1 row`, `0 rows`, `12,345 rows`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

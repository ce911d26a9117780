"""Secrets on their way into the core."""

from __future__ import annotations


class Hidden:
    """A key, or an address that may hold one: nothing that shows values shows it, a traceback with its locals neither.

    Whoever takes a secret as an argument hides it, and overwrites the argument, before anything can fail.
    """

    __slots__ = ("text",)

    def __init__(self, text: str | None) -> None:
        self.text = text

    def __repr__(self) -> str:
        return "<hidden>"

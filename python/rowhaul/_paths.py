"""Paths as callers give them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike


def in_home(path: str | PathLike[str]) -> str:
    """Give the path with `~` as the user's directory."""
    return str(Path(path).expanduser())

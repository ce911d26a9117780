"""Paths as callers give them."""

from __future__ import annotations

import os


def in_home(path: str | os.PathLike[str]) -> str:
    """Give the path with `~` as the user's directory, where it begins so, and else as it is."""
    return os.path.expanduser(os.fspath(path))  # noqa: PTH111 -- a `Path` would drop a slash at the end

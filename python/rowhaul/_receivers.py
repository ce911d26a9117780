"""The libraries that take rows: imported when they are asked for, named when they are missing."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from . import _core

Core = TypeVar("Core", "_core.Rows", "_core.Stream")

#: Those whose own text is Arrow's views: in any other layout they would copy it.
_WITH_VIEWS = ("polars", "duckdb")


def wanted(name: str) -> Any:
    """Import a library, or say how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(f"this needs {name}, which is not installed: pip install {name}", name=name) from None


def laid_out(core: Core) -> Core:
    """Give the rows with text in the layout that suits the library which calls the method that calls this.

    Arrow's protocol does not say who asks. Anyone unknown gets offsets, which everybody reads.
    """
    caller = sys._getframe(2).f_globals.get("__name__", "")  # noqa: SLF001 -- the module of a frame has no public door
    return core.with_text("view") if caller.partition(".")[0] in _WITH_VIEWS else core


def present(name: str) -> Any:
    """Import a library, or give None."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None

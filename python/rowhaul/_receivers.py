"""The libraries that take rows: imported when they are asked for, named when they are missing or too old."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from . import _core

Core = TypeVar("Core", "_core.Rows", "_core.Stream")

#: The library whose own text is Arrow's views: in any other layout it would copy it. DuckDB takes both, and offsets are
#: there.
_WITH_VIEWS = "polars"

#: What is older has not what is used here.
OLDEST = {"pandas": (3, 0), "polars": (1, 34), "pyarrow": (20, 0)}

#: How many frames back a library is looked for: the method itself, methods that wrap it, and whoever calls those.
_FRAMES = 4


def wanted(name: str) -> Any:
    """Import a library, or say how to get it."""
    try:
        return _new_enough(name, import_module(name))
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(f"this needs {name}, which is not installed: pip install {name}", name=name) from None


def _new_enough(name: str, library: Any) -> Any:
    version = str(getattr(library, "__version__", ""))
    # One that was built from a folder may not know its own.
    release = re.match(r"(\d+)\.(\d+)", version)
    if release and tuple(map(int, release.groups())) < OLDEST.get(name, (0, 0)):
        needed = ".".join(map(str, OLDEST[name])).removesuffix(".0")
        raise ImportError(
            f"this needs {name} {needed} or newer, and {version} is installed: pip install -U {name}", name=name
        )
    return library


def to_polars(core: _core.Rows) -> pl.DataFrame:
    """Give a DataFrame: see `Rows.to_polars`."""
    frame: pl.DataFrame = wanted("polars").DataFrame(core.with_text("view"))
    return frame


def to_arrow(core: _core.Rows) -> pa.Table:
    """Give a Table: see `Rows.to_arrow`."""
    return wanted("pyarrow").table(core)


def laid_out(core: Core) -> Core:
    """Give the rows with text in the layout that suits the library that asks for them.

    Arrow's protocol does not say who asks; the frames nearby do. Anyone unknown gets offsets, which everybody reads,
    and so does a thread without a frame of Python.
    """
    frame = sys._getframe().f_back  # noqa: SLF001 -- the module of a frame has no public door
    for _ in range(_FRAMES):
        if frame is None:
            break
        asks = frame.f_globals.get("__name__")
        if isinstance(asks, str) and asks.partition(".")[0] == _WITH_VIEWS:
            return core.with_text("view")
        frame = frame.f_back
    return core


def present(name: str) -> Any:
    """Import a library, or give None."""
    try:
        return _new_enough(name, import_module(name))
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None

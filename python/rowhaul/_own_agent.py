"""Agents of one's own in a local service: what a function asks for, and how the rows it gives are taken."""

from __future__ import annotations

import asyncio
import enum
import inspect
import itertools
import json
import threading
import types
import typing
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from importlib import import_module
from operator import attrgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ._receivers import wanted
from .errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from . import _core

# What stands for a type of parameter in Python.
_TYPES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    tuple: "array",
    dict: "object",
}

# What becomes of values that JSON has no word for, or that only look as if it had one.
_PLAIN: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (enum.Enum, attrgetter("value")),
    (str, str.__str__),
    (int, int),
    (float, float),
    (UUID, str),
    (Mapping, dict),
    (PurePath, str),
)

# How often a coroutine that is being waited for looks whether its job was cancelled.
_LOOK = 0.05


class Failure(Exception):
    """Why a job has failed, in the words that are shown."""


class RawRow(str):
    """A row that is JSON text already."""

    __slots__ = ()


def parameters_of(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """Read the parameters of an agent off its function: the types from annotations, required where there is no default."""
    try:
        signature = inspect.signature(function, eval_str=True)
    except NameError:
        signature = inspect.signature(function)
    declared = []
    for name, parameter in signature.parameters.items():
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            raise ConfigError(
                f"the parameter {str(parameter)!r} of {function.__qualname__} cannot be given by name: declare parameters="
            )
        told: dict[str, Any] = {"name": name, "type": _type(parameter.annotation)}
        if parameter.default is parameter.empty:
            told["required"] = True
        elif parameter.default is not None:
            told["default"] = parameter.default
        declared.append(told)
    return declared


def declared(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Read declared parameters: from the name to a type of Python, or to a mapping of what there is to say."""
    return [
        {"name": name, **{key: _type(value) if key == "type" else value for key, value in told.items()}}
        if isinstance(told, Mapping)
        else {"name": name, "type": _type(told), "required": True}
        for name, told in parameters.items()
    ]


def as_text(name: str, parameters: list[dict[str, Any]]) -> str:
    """Give the parameters to the core."""
    try:
        return json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"agent `{name}`: a parameter's default must be a JSON value: {error}") from None


def begin(function: Callable[..., Any], params: str, feed: _core.Feed) -> None:
    """Set a function to work on a thread of its own."""
    begin_with_feed(lambda given, _: function(**given), params, feed)


def begin_with_feed(function: Callable[[dict[str, Any], _core.Feed], Any], params: str, feed: _core.Feed) -> None:
    """Set to work, on a thread of its own, what looks by itself whether anybody still wants the rows."""
    threading.Thread(target=_work, args=(function, params, feed), name="rowhaul-agent", daemon=True).start()


def parquet_rows(path: Path) -> Callable[..., Any]:
    """Give the function of an agent whose rows are those of a Parquet file, which is read batch by batch."""
    wanted("pyarrow")
    parquet = import_module("pyarrow.parquet")
    parquet.ParquetFile(path).close()

    def rows(maxResults: int = 0) -> Iterator[dict[str, Any]]:  # noqa: N803 - the name on the wire
        with parquet.ParquetFile(path) as file:
            every = (row for batch in file.iter_batches(1000) for row in batch.to_pylist())
            yield from itertools.islice(every, maxResults or None)

    return rows


def told(error: BaseException) -> str:
    """Say an exception in one line."""
    return f"{type(error).__name__}: {error}"


def plain(value: Any) -> Any:
    """Give what JSON can say instead of a value."""
    for kind, convert in _PLAIN:
        if isinstance(value, kind):
            return convert(value)
    if type(value).__name__ == "NaTType":
        return None
    if type(value).__module__ == "numpy" and value.dtype.kind in "mM":
        return _moments(value)
    # Dates and times of the standard library and pandas; arrays and scalars of numpy.
    for name in ("isoformat", "tolist", "item"):
        method = getattr(value, name, None)
        # What gives something else, such as a mock, which has every method, is none of these.
        if callable(method) and isinstance(converted := method(), str | int | float | list | None):
            return converted
    raise TypeError(f"{type(value).__name__} is nothing that JSON has a word for")


def _moments(value: Any) -> Any:
    """Give the dates and times of numpy, one or an array of them, as ISO 8601 texts: `tolist` makes numbers of some units."""
    if value.dtype.kind == "m":
        raise TypeError("timedelta64 is nothing that JSON has a word for: give a number, such as its seconds")
    return _without_nat(value.astype(str).tolist())


def _without_nat(texts: Any) -> Any:
    if isinstance(texts, list):
        return [_without_nat(text) for text in texts]
    return None if texts == "NaT" else texts


def _type(annotation: Any) -> str:
    """Name the type of an annotation; `any` where it is none of JSON's."""
    if isinstance(annotation, str):
        return annotation
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        named = {_type(member) for member in typing.get_args(annotation) if member is not type(None)}
        return named.pop() if len(named) == 1 else "any"
    return _TYPES.get(typing.get_origin(annotation) or annotation, "any")


def _work(function: Callable[[dict[str, Any], _core.Feed], Any], params: str, feed: _core.Feed) -> None:
    try:
        given = function(json.loads(params), feed)
        if inspect.isawaitable(given) or isinstance(given, AsyncIterable):
            is_wanted = asyncio.run(_awaited(given, feed))
        else:
            is_wanted = _taken(given, feed)
        if is_wanted:
            feed.finish()
        else:
            feed.fail("the job was cancelled")
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is why the job has failed
        feed.fail(str(error) if isinstance(error, Failure) else told(error))


def _taken(rows: Any, feed: _core.Feed) -> bool:
    """Take rows as they come; false when nobody wants them any more."""
    if rows is None:
        return True
    if isinstance(rows, Mapping):
        rows = [rows]
    elif isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise Failure(f"an agent gives dicts, not {type(rows).__name__}")
    return all(_row(row, feed) for row in rows)


def _row(row: Any, feed: _core.Feed) -> bool:
    try:
        return feed.text(row) if isinstance(row, RawRow) else feed.row(row, plain)
    except (TypeError, ValueError) as error:
        raise Failure(str(error)) from None


async def _awaited(given: Any, feed: _core.Feed) -> bool:
    """Wait for a coroutine, or for the rows of an async generator, until the job is cancelled."""
    work = asyncio.ensure_future(_rows_of(given, feed))
    while not work.done():
        await asyncio.wait({work}, timeout=_LOOK)
        if feed.is_stopped():
            work.cancel()
    if work.cancelled() and feed.is_stopped():
        return False
    # An agent that cancels itself has failed.
    return await work


async def _rows_of(given: Any, feed: _core.Feed) -> bool:
    if isinstance(given, AsyncIterable):
        async for row in given:
            if not _row(row, feed):
                return False
        return True
    return _taken(await given, feed)

"""What a client does, told to `logging` as `rowhaul.client`: each request as DEBUG, each that is sent again, and why, as INFO."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Called with the counters of an operation: the job's state, polls, rows, bytes.
    Watcher = Callable[[str | None, int, int, int], object]

_logger = logging.getLogger("rowhaul.client")
#: What the core was told last.
_level = logging.CRITICAL


def is_logged() -> bool:
    """Tell the core from which level on somebody listens, and say whether anybody does."""
    global _level  # noqa: PLW0603
    level = next(filter(_logger.isEnabledFor, (logging.DEBUG, logging.INFO)), logging.CRITICAL)
    if level != _level:
        _core.log_from(level)
        _level = level
    return level <= logging.INFO


def log() -> None:
    """Log what the client has done since; a handler that fails takes nothing with it that was paid for."""
    for level, line in _core.logged():
        with contextlib.suppress(Exception):
            _logger.log(level, "%s", line)


def logging_too(watcher: Watcher | None) -> Watcher:
    """Log whenever the watcher is told, and then tell it."""

    def watch(state: str | None, polls: int, rows: int, size: int) -> None:
        log()
        if watcher is not None:
            watcher(state, polls, rows, size)

    return watch

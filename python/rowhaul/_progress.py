"""Waiting for an operation: what is shown meanwhile, and what an interrupt carries away."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._core import Pending

T = TypeVar("T")

#: A run that is over sooner shows nothing.
_PATIENCE = 0.5


def waited(pending: Pending[T], *, progress: bool | None = False) -> T:
    """Block until it is done."""
    with _followed(pending, progress=progress):
        return pending.wait()


async def awaited(pending: Pending[T], *, progress: bool | None = False) -> T:
    """Await it; cancelling the task cancels the work."""
    with _followed(pending, progress=progress):
        return await pending


@contextmanager
def _followed(pending: Pending[Any], *, progress: bool | None) -> Iterator[None]:
    bar = _Bar() if progress or (progress is None and _is_watched()) else None
    if bar is not None:
        pending.watch(bar.show)
    try:
        yield
    except BaseException as interrupt:
        # An interrupt or a cancellation; errors say it themselves. (Naming asyncio's class would import asyncio.)
        note = None if isinstance(interrupt, Exception) else _left_behind(pending)
        if note is not None:
            interrupt.add_note(note)
        raise
    finally:
        if bar is not None:
            bar.close()


def _left_behind(pending: Pending[Any]) -> str | None:
    """Say what goes on, or may go on, at the service."""
    job_id = pending.job_id()
    if job_id is not None:
        return f"job {job_id!r} was started and goes on: client.job({job_id!r}) takes it up again"
    if pending.is_starting():
        return (
            "a start was on its way and its answer was not waited for: a run may have been started, and will then be "
            "billed; see client.balance() or the service's list of jobs before starting it again"
        )
    return None


def _is_watched() -> bool:
    """Whether a person looks: a notebook, or a terminal."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel") or (sys.stderr is not None and sys.stderr.isatty())


class _Bar:
    """A line of tqdm's, made when the wait turns out to be one; nothing where tqdm is missing."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._line: Any = None

    def show(self, state: str | None, polls: int, rows: int, size: int) -> None:
        if self._line is None:
            if time.monotonic() - self._since < _PATIENCE:
                return
            try:
                # Not its notebook form, which wants widgets and complains where they are missing.
                from tqdm.std import tqdm
            except ImportError:
                self._line = False
                return
            self._line = tqdm(leave=False, bar_format="{desc} [{elapsed}]")
        if self._line is not False:
            told = f"{rows:,} rows, {size / 1e6:.1f} MB" if size else f"asked {polls} times"
            self._line.set_description_str(f"{state or 'starting'}: {told}")

    def close(self) -> None:
        if self._line is not None and self._line is not False:
            self._line.close()

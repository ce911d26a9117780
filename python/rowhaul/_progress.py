"""Waiting for an operation: what is shown meanwhile, and what an interrupt carries away."""

from __future__ import annotations

import operator
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ._core import Pending
    from ._outcome import Outcome

    #: Called with the counters of an operation: the job's state, polls, rows, bytes.
    Watcher = Callable[[str | None, int, int, int], object]

T = TypeVar("T")

#: A run that is over sooner shows nothing.
_PATIENCE = 0.5


def waited(pending: Pending[T], *, progress: bool | None = False, watcher: Watcher | None = None) -> T:
    """Block until it is done; a watcher is told of the counters meanwhile."""
    with _followed(pending, watcher, progress=progress):
        return pending.wait()


async def awaited(pending: Pending[T], *, progress: bool | None = False, watcher: Watcher | None = None) -> T:
    """Await it; cancelling the task cancels the work."""
    with _followed(pending, watcher, progress=progress):
        return await pending


@contextmanager
def _followed(pending: Pending[Any], watcher: Watcher | None, *, progress: bool | None) -> Iterator[None]:
    bar = _Bar() if _is_shown(progress=progress) else None
    watcher = watcher if bar is None else bar.show
    if watcher is not None:
        pending.watch(watcher)
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
        return f"job {job_id!r} was started and goes on: client.job({job_id!r}).wait().rows() takes it up again"
    if pending.is_starting():
        return (
            "a start was on its way and its answer was not waited for: a run may have been started, and will then be "
            "billed. If an answer comes, the ledger has it (client.jobs()); else see client.reconcile() or "
            "client.balance() before starting it again"
        )
    return None


def _is_shown(*, progress: bool | None) -> bool:
    """Whether to show progress; where nobody says, whether a person looks: a notebook, or a terminal."""
    if progress is not None:
        return progress
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel") or (sys.stderr is not None and sys.stderr.isatty())


class _Line:
    """A line of tqdm's, made when the wait turns out to be one; nothing where tqdm is missing."""

    def __init__(self, **options: Any) -> None:
        self._since = time.monotonic()
        self._options = options
        self._line: Any = None

    def made(self) -> Any:
        """Give tqdm's line, or None while there is none."""
        if self._line is None:
            if time.monotonic() - self._since < _PATIENCE:
                return None
            try:
                # Not its notebook form, which wants widgets and complains where they are missing.
                from tqdm.std import tqdm
            except ImportError:
                self._line = False
            else:
                self._line = tqdm(leave=False, **self._options)
        return None if self._line is False else self._line

    def close(self) -> None:
        if self._line is not None and self._line is not False:
            self._line.close()


class _Bar:
    """How far one operation is."""

    def __init__(self) -> None:
        self._line = _Line(bar_format="{desc} [{elapsed}]")

    def show(self, state: str | None, polls: int, rows: int, size: int) -> None:
        line = self._line.made()
        if line is not None:
            told = f"{rows:,} rows, {size / 1e6:.1f} MB" if size else f"asked {polls} times"
            line.set_description_str(f"{state or 'starting'}: {told}")

    def close(self) -> None:
        self._line.close()


class RunsBar:
    """How many of many runs have ended."""

    def __init__(self, requests: Iterable[Any], *, progress: bool | None) -> None:
        total = operator.length_hint(requests, 0) or None
        self._line = _Line(total=total, unit="run") if _is_shown(progress=progress) else None
        self._ended = self._failed = self._rows = 0

    def count(self, outcome: Outcome) -> None:
        """Count one that has ended."""
        self._ended += 1
        self._failed += not outcome.ok
        self._rows += 0 if outcome.rows is None else len(outcome.rows)
        self.show()

    def show(self, *_counters: object) -> None:
        """Draw the line as things are now."""
        line = None if self._line is None else self._line.made()
        if line is not None:
            line.set_postfix_str(f"{self._rows:,} rows, {self._failed} failed", refresh=False)
            line.update(self._ended - line.n)
            line.refresh()

    def close(self) -> None:
        """Take the line away."""
        if self._line is not None:
            self._line.close()

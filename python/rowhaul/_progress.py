"""Waiting for an operation: what is shown meanwhile, and what an interrupt carries away."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeVar

from ._counted import counted
from ._line import Line, is_looked_at
from ._logging import is_logged, log, logging_too

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._core import Pending
    from ._logging import Watcher
    from ._outcome import Outcome

T = TypeVar("T")


# Both say the same but for the `await`: what they share as a context manager would be made anew for each poll.


def waited(pending: Pending[T], *, progress: bool | None = False, watcher: Watcher | None = None) -> T:
    """Block until it is done; a watcher is told of the counters meanwhile."""
    logs = is_logged()
    shown = _watched(pending, watcher, progress=progress, logs=logs)
    try:
        return pending.wait()
    except BaseException as interrupt:
        _tell_left_behind(pending, interrupt)
        raise
    finally:
        if shown is not None:
            shown.close()
        if logs:
            log()


async def awaited(pending: Pending[T], *, progress: bool | None = False, watcher: Watcher | None = None) -> T:
    """Await it; cancelling the task cancels the work."""
    logs = is_logged()
    shown = _watched(pending, watcher, progress=progress, logs=logs)
    try:
        result = await pending
        if logs:
            log()
    except BaseException as interrupt:
        pending.give_up()
        _tell_left_behind(pending, interrupt)
        raise
    else:
        # Not where a cancellation came together with the answer and took its place: nobody has the rows then.
        pending.handed_over()
        return result
    finally:
        if shown is not None:
            shown.close()
        if logs:
            log()


def _watched(pending: Pending[Any], watcher: Watcher | None, *, progress: bool | None, logs: bool) -> _Progress | None:
    """Have it watched; what is given is to be closed in the end."""
    shown = _Progress(is_asked_for=progress is not None) if _is_shown(progress=progress) else None
    watcher = watcher if shown is None else shown.show
    if logs:
        watcher = logging_too(watcher)
    if watcher is not None:
        pending.watch(watcher)
    return shown


def _tell_left_behind(pending: Pending[Any], interrupt: BaseException) -> None:
    """Add to an interrupt or a cancellation what goes on; errors say it themselves."""
    # Naming asyncio's class would import asyncio.
    note = None if isinstance(interrupt, Exception) else _left_behind(pending)
    if note is not None:
        interrupt.add_note(note)


def _left_behind(pending: Pending[Any]) -> str | None:
    """Say what goes on, or may go on, at the service."""
    job_id, state = pending.job_id(), pending.progress()[0]
    if pending.is_reused() or state in {"failed", "cancelled"}:
        return None
    if job_id is not None and state == "completed":
        return f"job {job_id!r} is completed and billed: client.job({job_id!r}).rows() fetches its rows"
    if job_id is not None:
        return f"job {job_id!r} was started and goes on: client.job({job_id!r}) takes it up again"
    if pending.is_starting():
        return (
            "a start was on its way and its answer was not waited for: a run may have been started, and will then be "
            "billed. Before starting it again see client.jobs() and client.reconcile(), or client.balance() where the "
            "client keeps no ledger"
        )
    return None


def _is_shown(*, progress: bool | None) -> bool:
    return is_looked_at() if progress is None else progress


class _Progress:
    """How far one operation is."""

    def __init__(self, *, is_asked_for: bool) -> None:
        self._line = Line(is_asked_for=is_asked_for)

    def show(self, state: str | None, polls: int, rows: int, size: int) -> None:
        told = f"{counted(rows, 'row')}, {size / 1e6:.1f} MB" if size else f"asked {counted(polls, 'time')}"
        self._line.draw(f"{state or 'starting'}: {told}")

    def close(self) -> None:
        self._line.close()


class RunsProgress:
    """How many of many runs have ended."""

    def __init__(self, requests: Iterable[Any], *, progress: bool | None) -> None:
        total = operator.length_hint(requests, 0) or None
        is_asked_for = progress is not None
        self._line = Line(unit="run", total=total, is_asked_for=is_asked_for) if _is_shown(progress=progress) else None
        self._ended = self._failed = self._rows = 0

    def count(self, outcome: Outcome) -> None:
        """Count one that has ended."""
        self._ended += 1
        self._failed += not outcome.ok
        self._rows += 0 if outcome.rows is None else len(outcome.rows)
        self.show()

    def show(self, *_counters: object) -> None:
        """Draw the line as things are now."""
        if self._line is not None:
            self._line.draw(f"{counted(self._rows, 'row')}, {self._failed:,} failed", self._ended)

    def close(self) -> None:
        """Take the line away."""
        if self._line is not None:
            self._line.close()

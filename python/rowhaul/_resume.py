"""Jobs that were taken up again, one by one as they are finished."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from ._progress import awaited, waited

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from . import _core
    from .errors import RowhaulError

    #: The job, its rows, or why there are none.
    Finished: TypeAlias = tuple[_core.Job, _core.Rows | None, RowhaulError | None]


def each(resuming: _core.Resuming) -> Iterator[Finished]:
    """Give each as it is finished, blocking for it."""
    with _told():
        while True:
            waited(resuming.finished())
            finished = resuming.take()
            if finished is None:
                return
            yield finished


async def each_awaited(resuming: _core.Resuming) -> AsyncIterator[Finished]:
    """Give each as it is finished, awaiting it."""
    with _told():
        while True:
            await awaited(resuming.finished())
            # Taken in the same step: what is awaited would be lost with a task that is cancelled.
            finished = resuming.take()
            if finished is None:
                return
            yield finished


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except GeneratorExit:
        # Nobody sees a note on what closes an iterator.
        raise
    except BaseException as interrupt:
        if not isinstance(interrupt, Exception):
            interrupt.add_note("what was not handed over is as unfinished as before: client.resume() takes it up again")
        raise

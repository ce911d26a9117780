"""A line that tells how far something is, drawn again and again in one place and gone at the end.

In a notebook it is a display of text, of which a saved notebook keeps no more than the last. Elsewhere tqdm draws it
where it is installed; without it, a terminal gets a plain line. Where nobody looks nothing is drawn.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from importlib import import_module
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from weakref import WeakSet

from ._counted import counted

if TYPE_CHECKING:
    from typing import TextIO

#: What is over sooner is not shown, in seconds.
_PATIENCE = 0.5

#: What a stream raises that takes no more: one whose terminal is gone, and one that is closed.
_UNDRAWN = (OSError, ValueError)


def is_looked_at() -> bool:
    """Whether a person looks: at a notebook, or at a terminal."""
    return _in_notebook() or _is_terminal(sys.stderr)


class Line:
    """A line that is made when the wait turns out to be one.

    Where it cannot be drawn, as in a terminal that was closed, it is drawn no more: what one waits for is billed and
    goes on.

    One that nobody asked for is drawn only while no other is: two hundred runs that are awaited together show one line.
    """

    #: Those that are drawn.
    _drawn: ClassVar[WeakSet[Line]] = WeakSet()

    def __init__(self, *, unit: str | None = None, total: int | None = None, is_asked_for: bool = True) -> None:
        self._since = time.monotonic()
        self._unit, self._total, self._is_asked_for = unit, total, is_asked_for
        self._pen: _Pen | None = None

    def draw(self, text: str, ended: int = 0) -> None:
        """Draw the line as things are now: a text, and how many units have ended where units are counted."""
        elapsed = time.monotonic() - self._since
        if self._pen is None and (elapsed < _PATIENCE or (self._drawn and not self._is_asked_for)):
            return
        self._drawn.add(self)
        try:
            self._pen = self._pen or _pen(self._unit, self._total)
            self._pen.draw(text, ended, elapsed)
        except _UNDRAWN:
            self._pen = _Plain(_Nowhere(), self._unit, self._total)

    def close(self) -> None:
        """Take the line away."""
        if self._pen is not None:
            with suppress(*_UNDRAWN):
                self._pen.close()
        self._drawn.discard(self)


class _Pen(Protocol):
    """One way to draw."""

    def draw(self, text: str, ended: int, elapsed: float) -> None: ...
    def close(self) -> None: ...


class _Surface(Protocol):
    """Where a plain line stands."""

    def put(self, line: str) -> None: ...


def _pen(unit: str | None, total: int | None) -> _Pen:
    if _in_notebook():
        return _Plain(_Cell(), unit, total)
    try:
        from tqdm.std import tqdm
    except ImportError:
        if _is_terminal(sys.stderr):
            return _Plain(_Terminal(sys.stderr), unit, total)
        return _Plain(_Nowhere(), unit, total)
    return _Tqdm(tqdm, unit, total)


class _Tqdm:
    """A line of tqdm's: a bar where units are counted, else text and time."""

    def __init__(self, tqdm: Any, unit: str | None, total: int | None) -> None:
        options = {"bar_format": "{desc} [{elapsed}]"} if unit is None else {"unit": unit, "total": total}
        self._counts = unit is not None
        self._line = tqdm(leave=False, **options)
        self._last: tuple[str, int, int] | None = None

    def draw(self, text: str, ended: int, elapsed: float) -> None:
        shown = (text, ended, int(elapsed))
        if shown == self._last:
            return
        self._last = shown
        if self._counts:
            self._line.set_postfix_str(text, refresh=False)
            self._line.update(ended - self._line.n)
            self._line.refresh()
        else:
            self._line.set_description_str(text)

    def close(self) -> None:
        self._line.close()


class _Plain:
    """Text and time, put down where they changed."""

    def __init__(self, surface: _Surface, unit: str | None, total: int | None) -> None:
        self._surface, self._unit, self._total = surface, unit, total
        self._last = ""

    def draw(self, text: str, ended: int, elapsed: float) -> None:
        minutes, seconds = divmod(int(elapsed), 60)
        line = f"{self._count(ended)}{text} [{minutes:02}:{seconds:02}]"
        if line != self._last:
            self._surface.put(line)
            self._last = line

    def close(self) -> None:
        self._surface.put("")

    def _count(self, ended: int) -> str:
        if self._unit is None:
            return ""
        return (
            f"{counted(ended, self._unit)}, "
            if self._total is None
            else f"{ended:,} of {counted(self._total, self._unit)}, "
        )


class _Terminal:
    """The line of a terminal that the cursor is in."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._width = 0

    def put(self, line: str) -> None:
        # One column stays free: a line that is full goes on in the next.
        line = line[: get_terminal_size().columns - 1]
        self._stream.write(f"\r{line.ljust(self._width)}" + "\r" * (not line))
        self._stream.flush()
        self._width = len(line)


class _Cell:
    """A display of its own under the cell of a notebook."""

    def __init__(self) -> None:
        display: Any = import_module("IPython.display").display
        self._display = display({"text/plain": ""}, raw=True, display_id=True)

    def put(self, line: str) -> None:
        self._display.update({"text/plain": line}, raw=True)


class _Nowhere:
    """Where progress was asked for and nobody looks."""

    def put(self, line: str) -> None:
        pass


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except _UNDRAWN:
        return False


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")

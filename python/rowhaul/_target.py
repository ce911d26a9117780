"""Where rows are written: to a path, or into a file that the caller has open."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ._paths import in_home

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Writable(Protocol):
        """A file opened in binary mode."""

        def write(self, piece: bytes, /) -> object: ...

    #: What rows are written to.
    Target = str | os.PathLike[str] | Writable

#: Bytes that an open file is given at a time.
CHUNK = 1 << 20


def write_to(target: Target, write: Callable[[str], None]) -> None:
    """Have a path written; an open file gets what was written elsewhere, from where it stands, once that is whole."""
    given: object = target
    if isinstance(given, io.TextIOBase):
        raise TypeError("rows are written as bytes; open the file in binary mode")
    # Some open files tell their path, too.
    if isinstance(given, str | os.PathLike) and not isinstance(given, io.IOBase):
        write(in_home(given))
        return
    if not hasattr(given, "write"):
        raise TypeError(f"rows are written to a path or an open file, not to {type(given).__name__}")
    with TemporaryDirectory(prefix="rowhaul-") as folder:
        path = Path(folder) / "rows"
        try:
            write(str(path))
        except OSError as error:
            if error.errno is not None:
                raise
            # It is the rows and not the disk: nobody asked for this path.
            raise OSError(str(error).removeprefix(f"{path}: ")) from None
        with path.open("rb") as file:
            while piece := file.read(CHUNK):
                _write_all(given, piece)


def _write_all(file: Any, piece: bytes) -> None:
    if not isinstance(file, io.RawIOBase):
        file.write(piece)
        return
    # What is not buffered may take less than it is given.
    while piece:
        if not (written := file.write(piece)):
            raise BlockingIOError(errno.EAGAIN, "the file takes no more")
        piece = piece[written:]

"""Peak memory beyond the interpreter, each peer in a fresh process.

Counted is the resident memory from the moment a peer's libraries are loaded and used once, so the body itself counts:
who is handed the body as bytes holds at least that. Only Linux tells; elsewhere there is nothing to show.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def can_tell() -> bool:
    """Whether this system says what a process took at most, and lets it start over."""
    return CLEAR.exists()


class Peak:
    """How much more memory the process took at some moment within the block than before it, in `bytes`."""

    bytes: int

    def __enter__(self) -> Self:
        CLEAR.write_text("5")  # the highest is now what there is
        self._before = _kilobytes("VmRSS")
        return self

    def __exit__(self, *_: object) -> None:
        self.bytes = (_kilobytes("VmHWM") - self._before) * 1024


def _kilobytes(field: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1])

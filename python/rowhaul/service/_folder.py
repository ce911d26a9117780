"""Where the clients of a local service write down what they start, for as long as somebody holds it."""

from __future__ import annotations

import os
import weakref
from pathlib import Path


class Folder:
    """A temporary folder for a ledger. It goes away with the last who holds this, in the process that made it."""

    def __init__(self) -> None:
        import tempfile

        path = tempfile.mkdtemp(prefix="rowhaul-")
        self.ledger = str(Path(path) / "ledger.sqlite")
        weakref.finalize(self, _remove, path, os.getpid())


def _remove(path: str, pid: int) -> None:
    if os.getpid() == pid:
        import shutil

        shutil.rmtree(path, ignore_errors=True)

"""One peer in a process of its own: it imports, then does what each line of its input says and answers in a line of JSON.

`check` reads the body once and compares the result, which also warms the peer up; `time` reads it again and says how
long it takes; `peak` says how much memory one reading takes, and only means something as the first thing asked.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

from .correct import verdict
from .memory import Peak
from .prepared import Sample
from .ways import WAYS


class Work:
    """What a worker can be told to do."""

    def __init__(self, *, peer: str, threads: int, source: str, tiny: str, sample: str, turn: float) -> None:
        self._peer = next(way for way in WAYS if way.name == peer)
        self._threads, self._source, self._tiny, self._sample = threads, source, tiny, sample
        self._turn, self._body = turn, None

    def check(self) -> dict[str, Any]:
        """Compare the result with the sample."""
        self._body = self._open(self._source)
        table = self._peer.read(self._body, self._threads)
        return verdict(table, Sample.read(Path(self._sample)), json_text=self._peer.json_text).as_dict()

    def time(self) -> dict[str, Any]:
        """Take the mean time of the readings that fill a turn, at least one; letting go of the table is not part of it."""
        gc.collect()
        taken: list[float] = []
        while not taken or sum(taken) < self._turn:
            start = perf_counter()
            table = self._peer.read(self._body, self._threads)
            taken.append(perf_counter() - start)
            del table
        return {"seconds": fmean(taken)}

    def peak(self) -> dict[str, Any]:
        """Take the peak of memory over opening and reading, beyond what the process takes once it has read a tiny body."""
        self._peer.read(self._open(self._tiny), self._threads)
        gc.collect()
        with Peak() as peak:
            table = self._peer.read(self._open(self._source), self._threads)
        del table
        return {"bytes": peak.bytes}

    def _open(self, source: str) -> Any:
        return source if self._peer.form.endswith(("file", "url")) else Path(source).read_bytes()


def main() -> None:
    """Serve until the input ends. Only answers go to the output: whatever else a library prints is put aside."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    work = Work(**json.loads(sys.argv[1]))
    for line in sys.stdin:
        try:
            answer = getattr(work, line.strip())()
        except BaseException as error:  # noqa: BLE001 -- the panics of polars are no `Exception`s, and one peer's are not ours
            answer = {"failure": _in_words(error)}
        print(json.dumps(answer), file=answers, flush=True)


def _in_words(error: BaseException) -> str:
    text = re.sub(r"/\S*/", "", " ".join(str(error).split()))  # folders differ from run to run
    return f"{type(error).__name__}: {text[:90]}{'…' if len(text) > 90 else ''}"


if __name__ == "__main__":
    main()

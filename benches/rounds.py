"""All peers in turn, again and again, each in its own process that waits between its turns.

So what the machine does besides hits all of them alike, and a ratio is taken within a round, where it means something.
The order is another in each round: with a fixed one, each would always pay for the state its predecessor leaves the
machine in. One reading a turn is what a user does; with a longer turn (`--turn`) a peer reads again and again and gets
back the memory it has just let go of, which can be twice as fast, so the two are not to be mixed.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any, Self

from .correct import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .peers import Peer
    from .prepared import Prepared

#: A peer that needs longer than this for one body is out.
PATIENCE = 90
ROOT = Path(__file__).parent.parent


@dataclass
class Result:
    """What one peer did with one body: its verdict, the seconds of each round, or the peak of its memory."""

    peer: Peer
    threads: int
    verdict: Verdict = field(default_factory=Verdict)
    seconds: list[float] = field(default_factory=list)
    peak: int = 0

    @property
    def name(self) -> str:
        """Say which peer, and with how many threads if it was told."""
        return f"{self.peer.name} ×{self.threads}" if len(self.peer.threads) > 1 else self.peer.name

    @property
    def outcome(self) -> str:
        """Say whether its table is right, if there is one."""
        return str(self.verdict) if self.verdict.failure or self.peer.is_table else "no table, rows counted"

    def speed(self, size: int) -> float:
        """Say how many megabytes of body it read in a second."""
        return size / 1e6 / median(self.seconds)

    def slower_than(self, other: Result) -> tuple[float, float, float]:
        """Say how many times the other's time it took: the median of all rounds, the least and the most."""
        ratios = [mine / theirs for mine, theirs in zip(self.seconds, other.seconds, strict=True)]
        return median(ratios), min(ratios), max(ratios)


def race(
    peers: Sequence[Peer], body: Prepared, tiny: Prepared, *, repetitions: int, url: str = "", turn: float = 0
) -> list[Result]:
    """Check every peer on a body, then take its time in each of the rounds. Who fails, even later, is not timed further."""
    results = [Result(peer, threads) for peer in peers for threads in peer.threads]
    with ExitStack() as stack:
        workers = [stack.enter_context(Worker(result, body, tiny, url, turn)) for result in results]
        for worker in workers:
            worker.result.verdict = Verdict(**worker.ask("check"))
        random = Random(0)
        for _ in range(repetitions):
            for worker in random.sample(workers, len(workers)):
                if not worker.result.verdict.failure:
                    worker.take("seconds", worker.ask("time"))
    return results


def peaks(peers: Sequence[Peer], body: Prepared, tiny: Prepared, url: str = "") -> list[Result]:
    """Take the peak of each peer's memory, one thread, one after the other."""
    results = [Result(peer, peer.threads[0]) for peer in peers]
    for result in results:
        with Worker(result, body, tiny, url) as worker:
            worker.take("peak", worker.ask("peak"))
    return results


class Worker:
    """A peer's process."""

    def __init__(self, result: Result, body: Prepared, tiny: Prepared, url: str, turn: float = 0) -> None:
        self.result = result
        form, threads = result.peer.form, str(result.threads)
        where = form.removesuffix(" file")
        task = {
            "peer": result.peer.name,
            "threads": result.threads,
            "source": f"{url}/{body.name}" if url else str(body.path(where)),
            "tiny": f"{url}/{tiny.name}" if url else str(tiny.path(where)),
            "sample": str(body.path("sample")),
            "turn": turn,
        }
        limits = {} if url else {"POLARS_MAX_THREADS": threads, "OMP_NUM_THREADS": threads}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benches.worker", json.dumps(task)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=os.environ | limits,
            text=True,
        )

    def ask(self, order: str) -> dict[str, Any]:
        """Have it do something."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(order + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return {"failure": "its process died"}
        if not select.select([self._process.stdout], [], [], PATIENCE)[0]:
            return {"failure": f"not done after {PATIENCE} s"}
        line = self._process.stdout.readline()
        return json.loads(line) if line else {"failure": "its process died"}

    def take(self, what: str, answer: dict[str, Any]) -> None:
        """Put an answer where it belongs."""
        if "failure" in answer:
            self.result.verdict = Verdict(failure=answer["failure"])
            self.result.seconds.clear()
        elif what == "seconds":
            self.result.seconds.append(answer["seconds"])
        else:
            self.result.peak = answer["bytes"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

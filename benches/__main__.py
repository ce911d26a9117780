"""Make the bodies, run each part, and write down what came out."""

from __future__ import annotations

import os
import shlex
import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from . import chart, in_rust, machine, memory, over_http, peers, polls, receivers, rounds, table
from .options import options
from .prepared import prepare, prepare_own
from .server import serving

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from .peers import Peer
    from .prepared import Prepared

READING = (
    "Times are relative to the first line of each table, taken within a round, all peers in turn; in brackets the least and the "
    "most of all rounds. `×1` and `×2` are threads. All peers start from the body as the service sends it, DuckDB from a "
    "cached file. `given lines` are the same peers with the rows put on lines beforehand, which is not timed. "
    "Each peer's process has read the body once before, as in a notebook that runs a cell again."
)

#: Runs over HTTP are raced with a body this many times as large, too: what a run costs beside its rows counts for less
#: there.
TIMES = 4


def main(arguments: list[str]) -> None:
    """Run what is asked for; the text goes to the output as it comes, and whole into `results.md`."""
    chosen = options(arguments)
    chosen.out.mkdir(parents=True, exist_ok=True)
    command = shlex.join(["python", "-m", "benches", *arguments])
    report = ["# Side by side", f"`{command}`", machine.facts(), READING]
    with TemporaryDirectory(prefix="rowhaul-bench-") as name:
        folder = Path(name)
        # Runs are written down as they are everywhere, but not among the user's.
        os.environ["ROWHAUL_LEDGER"] = str(folder / "ledger.sqlite")
        tiny = prepare("comments", folder, rows=3, name="_tiny")
        for part in (_bodies, _rust, _http, _receivers, _memory, _polls):
            if part.__name__.strip("_") in chosen.parts:
                for text in part(chosen, folder, tiny):
                    print(text, end="\n\n", flush=True)
                    report.append(text)
    (chosen.out / "results.md").write_text("\n\n".join(report) + "\n")


def _bodies(chosen: Namespace, folder: Path, tiny: Prepared) -> Iterator[str]:
    """Race body → table, one body after the other."""
    yield "## Body → table"
    by_kind = {}
    for kind in chosen.files or chosen.bodies:
        body = _prepared(chosen, folder, kind)
        results = rounds.race(
            _picked(peers.PEERS, chosen), body, tiny, repetitions=chosen.repetitions, turn=chosen.turn
        )
        by_kind[body.name] = results, body.size
        yield f"### {body.name}: {body.rows:,} rows, {body.size / 1e6:,.1f} MB\n\n{table.speeds(results, body.size)}"
    yield "### All bodies\n\n" + table.summary(by_kind)
    yield "### One thread each\n\n" + table.named(by_kind, threads=1)
    yield "### Two threads each\n\n" + table.named(by_kind, threads=2)
    chart.speeds(by_kind, chosen.out / "bodies.svg")


def _http(chosen: Namespace, folder: Path, tiny: Prepared) -> Iterator[str]:
    """Race service → pandas, and service → polars."""
    yield "## Service → frame, over loopback"
    usual = _prepared(chosen, folder)
    raced = [usual, usual.gzipped()]
    if not chosen.files:
        raced.append(_prepared(chosen, folder, times=TIMES))
    frames = (("pandas", over_http.TO_PANDAS), ("polars", over_http.TO_POLARS))
    panels = {}
    with serving(folder) as url:
        for body, (frame, ways) in product(raced, frames):
            results = rounds.race(
                _picked(ways, chosen), body, tiny, repetitions=chosen.repetitions, url=url, turn=chosen.turn
            )
            sent = " as gzip" if body.is_gzip else ""
            title = f"{usual.name} → {frame}: {body.size / 1e6:,.1f} MB{sent}"
            panels[title] = results, body.size
            yield f"### {title}\n\n{table.speeds(results, body.size)}"
    chart.speeds(panels, chosen.out / "http.svg")


def _rust(chosen: Namespace, _: Path, __: Prepared) -> Iterator[str]:
    """Race the decoder alone."""
    yield "## Body → table in Rust, with one thread and with two"
    if chosen.files:
        yield "This part has bodies of its own only."
        return
    yield in_rust.table(chosen.megabytes, chosen.repetitions)


def _receivers(chosen: Namespace, folder: Path, _: Prepared) -> Iterator[str]:
    """Take the cost of the last step."""
    yield "## Rows → the table of another library"
    body = _prepared(chosen, folder)
    yield receivers.table(receivers.measured(body, chosen.repetitions), body.size)


def _polls(chosen: Namespace, folder: Path, _: Prepared) -> Iterator[str]:
    """Take the cost of a poll."""
    yield "## One poll"
    with serving(folder) as url:
        yield polls.table(polls.measured(url, chosen.repetitions))


def _memory(chosen: Namespace, folder: Path, tiny: Prepared) -> Iterator[str]:
    """Take the peaks of both."""
    yield "## Peak memory beyond the interpreter and its libraries"
    if not memory.can_tell():
        yield "This system does not tell."
        return
    body = _prepared(chosen, folder)
    with serving(folder) as url:
        ways = (*over_http.TO_PANDAS, *over_http.TO_POLARS, over_http.STREAM)
        results = rounds.peaks(_picked(peers.PEERS, chosen), body, tiny)
        over = rounds.peaks(_picked(ways, chosen), body, tiny, url)
    for title, part, name in (("from a body in memory", results, "memory"), ("over HTTP", over, "memory-http")):
        yield f"### {title}, {body.name}, {body.size / 1e6:,.1f} MB\n\n{table.memory(part, body.size)}"
        chart.memory(part, body.size, f"{body.name}, {title}", chosen.out / f"{name}.svg")


def _picked(ways: Sequence[Peer], chosen: Namespace) -> list[Peer]:
    """Leave out what is not installed and what was not asked for, but never the first."""
    return [way for way in ways if way is ways[0] or (way.present and chosen.peers in way.name)]


def _prepared(chosen: Namespace, folder: Path, kind: str | Path = "", times: int = 1) -> Prepared:
    """Write a body of a kind, or the rows of a file; where only one body is raced it is of events, or the first file."""
    if not kind:
        kind = chosen.files[0] if chosen.files else "events"
    if isinstance(kind, Path):
        return prepare_own(kind, folder)
    rows = times * chosen.rows if chosen.rows else None
    name = kind if times == 1 else f"{kind}-{times}"
    return prepare(kind, folder, rows=rows, megabytes=times * chosen.megabytes, name=name)


if __name__ == "__main__":
    main(sys.argv[1:])

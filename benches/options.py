"""What the command line may narrow."""

from __future__ import annotations

import argparse
from pathlib import Path

from .bodies import KINDS
from .prepared import name_of

PARTS = ("bodies", "rust", "http", "receivers", "memory", "polls")


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line; the default takes some twelve minutes on two cores, and the first build in Rust more."""
    parser = argparse.ArgumentParser(prog="python -m benches", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--megabytes", type=float, default=16, help="about the size of each body (default: 16)")
    size.add_argument("--rows", type=int, help="or how many rows each has")
    parser.add_argument("--repetitions", type=int, default=5, help="how many rounds (default: 5)")
    parser.add_argument("--turn", type=float, default=0, help="seconds a turn lasts at least (default: one reading)")
    raced = parser.add_mutually_exclusive_group()
    raced.add_argument("--bodies", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND", help=", ".join(KINDS))
    raced.add_argument(
        "--files",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="rows to race instead: an array, lines, an envelope",
    )
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--peers", default="", help="only peers whose name holds this, beside rowhaul")
    parser.add_argument(
        "--out", type=Path, help="where charts and table go (default: docs/bench, of files target/bench)"
    )
    chosen = parser.parse_args(arguments)
    for path in chosen.files:
        if not path.is_file():
            parser.error(f"--files: there is no file {path}")
    if len({name_of(path) for path in chosen.files}) < len(chosen.files):
        parser.error("--files: the names of two are the same up to the first dot")
    chosen.out = chosen.out or Path("target/bench" if chosen.files else "docs/bench")
    return chosen

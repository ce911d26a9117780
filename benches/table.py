"""Results as Markdown: how fast, how many times rowhaul's time, and whether the values are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .rounds import Result


def speeds(results: Sequence[Result], size: int) -> str:
    """Give one body's peers, the fastest first; times are relative to the first result."""
    first = results[0]
    timed = sorted(
        (result for result in results if result.seconds), key=lambda result: result.speed(size), reverse=True
    )
    rows = [
        (f"**{r.name}**" if r is first else r.name, f"{r.speed(size):,.0f}", _ratio(r, first), r.outcome) for r in timed
    ]
    rows += [(r.name, "–", "–", r.outcome) for r in results if not r.seconds]
    return _markdown(("peer", "MB/s", "time, relative (spread)", "result"), rows)


def summary(by_kind: Mapping[str, tuple[Sequence[Result], int]]) -> str:
    """Give one row a body: rowhaul, the fastest peer whose values are right, and the fastest whatever it gives."""
    rows = []
    for kind, (results, size) in by_kind.items():
        first = results[0]
        others = [r for r in results if r.seconds and r.peer.is_table and not r.name.startswith("rowhaul")]
        others.sort(key=lambda result: result.speed(size), reverse=True)
        right = [result for result in others if result.verdict.right]
        speed = f"{first.speed(size):,.0f}" if first.seconds else str(first.verdict)
        rows.append((kind, f"{size / 1e6:,.1f} MB", speed, _fastest(right, first), _fastest(others, first)))
    return _markdown(("body", "size", "rowhaul, MB/s", "fastest right peer", "fastest peer, right or wrong"), rows)


#: What the README compares rowhaul with, one thread each.
README_PEERS = (
    "pl.read_json ×1",
    "orjson → pyarrow.json ×1",
    "pyarrow.json, given lines ×1",
    "msgspec + pandas",
    "json + pandas",
)


def readme(by_kind: Mapping[str, tuple[Sequence[Result], int]]) -> str:
    """Give one row a body and a column for each of a few peers, short enough for the README."""
    rows = []
    for kind, (results, size) in by_kind.items():
        first, named = results[0], {result.name: result for result in results}
        cells = [_short(named[name], first) if name in named else "–" for name in README_PEERS]
        rows.append((kind, f"{first.speed(size):,.0f} MB/s" if first.seconds else "–", *cells))
    return _markdown(("body", "rowhaul", *(name.removesuffix(" ×1") for name in README_PEERS)), rows)


def memory(results: Iterable[Result], size: int) -> str:
    """Give the peaks, as multiples of the body too."""
    rows = [
        (r.name, "–", r.verdict.failure)
        if r.verdict.failure
        else (r.name, f"{r.peak / 1e6:,.0f}", f"{r.peak / size:.2f} ×")
        for r in results
    ]
    return _markdown(("peer", "peak, MB", "of the body"), rows)


def _fastest(results: Sequence[Result], first: Result) -> str:
    if not results or not first.seconds:
        return "none"
    wrong = "" if results[0].verdict.right else ", **wrong**"
    return f"{results[0].name}: {_ratio(results[0], first)}{wrong}"


def _ratio(result: Result, first: Result) -> str:
    if not first.seconds:
        return "–"
    middle, least, most = result.slower_than(first)
    return "1" if result is first else f"{middle:.1f} × ({least:.1f}–{most:.1f})"


def _short(result: Result, first: Result) -> str:
    if result.verdict.failure or not first.seconds:
        return "fails" if result.verdict.failure else "–"
    return f"{result.slower_than(first)[0]:.1f} ×{'' if result.verdict.right else ', **wrong**'}"


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)

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
        others = _others(results, size)
        right = [result for result in others if result.verdict.right]
        speed = f"{first.speed(size):,.0f}" if first.seconds else str(first.verdict)
        rows.append((kind, f"{size / 1e6:,.1f} MB", speed, _fastest(right, first), _fastest(others, first)))
    return _markdown(("body", "size", "rowhaul, MB/s", "fastest right peer", "fastest peer, right or wrong"), rows)


#: What rowhaul is compared with in short, all from the body as it is sent.
NAMED = ("pl.read_json", "pyarrow.json", "msgspec + pandas", "json + pandas")

#: The last column of that: a peer whose values are right, given whatever form it reads best.
FASTEST = "fastest right peer, given lines or not"


def named(by_kind: Mapping[str, tuple[Sequence[Result], int]], threads: int) -> str:
    """Give one row a body and a column for each of a few peers that have so many threads: short enough for the README."""
    rows = []
    for kind, (results, size) in by_kind.items():
        found = {result.peer.name: result for result in results if result.threads == threads}
        ours, *others = (found.get(name) for name in ("rowhaul", *NAMED))
        speed = f"{ours.speed(size):,.0f} MB/s" if ours and ours.seconds else "–"
        short = [_short(other, ours) if ours and other else "–" for other in others]
        others = _others([result for result in results if result.threads == threads], size)
        right = [result for result in others if result.verdict.right]
        rows.append((kind, speed, *short, _fastest(right, ours) if ours else "–"))
    head = ("body", "rowhaul", *NAMED, FASTEST)
    # What has one thread only is in no table of more.
    kept = [at for at in range(len(head)) if at < 2 or any(row[at] != "–" for row in rows)]
    return _markdown([head[at] for at in kept], [[row[at] for at in kept] for row in rows])


def memory(results: Iterable[Result], size: int) -> str:
    """Give the peaks, as multiples of the body too."""
    rows = [
        (r.name, "–", r.verdict.failure)
        if r.verdict.failure
        else (r.name, f"{r.peak / 1e6:,.0f}", f"{r.peak / size:.2f} ×")
        for r in results
    ]
    return _markdown(("peer", "peak, MB", "of the body"), rows)


def _others(results: Sequence[Result], size: int) -> list[Result]:
    """Give all peers that made a table, the fastest first."""
    others = [r for r in results if r.seconds and r.peer.is_table and not r.name.startswith("rowhaul")]
    return sorted(others, key=lambda result: result.speed(size), reverse=True)


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
    return f"{_ratio(result, first)}{'' if result.verdict.right else ', **wrong**'}"


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)

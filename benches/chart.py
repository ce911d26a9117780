"""Results as pictures: a panel a body, a bar a peer; a bar whose values are wrong is hatched and says so.

The SVG is written by hand: bars and text, some kilobytes, and the same bytes for the same figures, so that one can be
kept.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from .rounds import Result

    #: A result, how long its bar is, and what stands behind it.
    Bar = tuple[Result, float, str]

#: Pixels: a panel's width, that of its names and of its longest bar, the height of a bar's line, and around everything.
PANEL, NAMES, LONGEST, LINE, MARGIN = 520, 235, 190, 16, 12

HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">
<style>
text {{ font: 11px sans-serif; fill: #1f2937 }} .title {{ font-weight: bold; font-size: 12px }} .name {{ text-anchor: end }}
.ours {{ fill: #0f766e }} .right {{ fill: #94a3b8 }} .wrong {{ fill: url(#hatched) }}
</style>
<pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="6" height="6" fill="#fecaca"/><rect width="2" height="6" fill="#b91c1c"/>
</pattern>
<rect width="100%" height="100%" fill="#ffffff"/>
"""


def speeds(by_panel: Mapping[str, tuple[Sequence[Result], int]], path: Path) -> None:
    """Draw megabytes a second; longer is better."""
    panels = {}
    for title, (results, size) in by_panel.items():
        timed = sorted((r for r in results if r.seconds), key=lambda r: r.speed(size), reverse=True)
        bars = [(r, r.speed(size), f"{r.speed(size):,.0f}{_remark(r)}") for r in timed]
        panels[title] = bars + [(r, 0.0, "fails") for r in results if not r.seconds]
    _draw(panels, "MB of body a second: longer is better", path)


def memory(results: Sequence[Result], size: int, title: str, path: Path) -> None:
    """Draw the peaks as multiples of the body; shorter is better."""
    bars = [(r, r.peak / size, "fails" if r.verdict.failure else f"{r.peak / size:.2f} ×") for r in results]
    _draw({title: sorted(bars, key=lambda bar: bar[1])}, "peak memory, in sizes of the body: shorter is better", path)


def _draw(panels: Mapping[str, Sequence[Bar]], label: str, path: Path) -> None:
    across = min(2, len(panels))
    titles = list(panels)
    rows = [titles[at : at + across] for at in range(0, len(titles), across)]
    tops = [MARGIN]
    for row in rows:
        tops.append(tops[-1] + LINE * (2 + max(len(panels[title]) for title in row)))
    width, height = PANEL * across + MARGIN, tops[-1] + LINE + MARGIN
    lines = [HEAD.format(width=width, height=height).rstrip()]
    for row, (top, _) in zip(rows, pairwise(tops), strict=True):
        for at, title in enumerate(row):
            lines.append(f'<g transform="translate({at * PANEL} {top})">')
            lines += _panel(title, panels[title])
            lines.append("</g>")
    lines.append(_text("", width // 2 - NAMES // 2, height - MARGIN, label))
    path.write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="utf-8")


def _panel(title: str, bars: Sequence[Bar]) -> Iterator[str]:
    longest = max((length for _, length, _ in bars), default=0) or 1
    yield _text("title", NAMES, LINE - 4, title)
    for at, (result, length, text) in enumerate(bars, start=1):
        drawn, base = round(length / longest * LONGEST), (at + 1) * LINE - 4
        yield _text("name", NAMES - 6, base, result.name)
        yield f'<rect class="{_kind(result)}" x="{NAMES}" y="{base - 10}" width="{drawn}" height="12"/>'
        yield _text("", NAMES + drawn + 4, base, text)


def _text(kind: str, across: int, base: int, text: str) -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return f'<text{of_kind} x="{across}" y="{base}">{escape(text)}</text>'


def _remark(result: Result) -> str:
    if not result.peer.is_table:
        return "  no table"
    return "" if result.verdict.right else "  wrong"


def _kind(result: Result) -> str:
    if "rowhaul" in result.peer.needs:
        return "ours"
    return "right" if result.verdict.right else "wrong"

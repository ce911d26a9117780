"""Results as pictures: a panel a body, a bar a peer; a bar whose values are wrong is hatched and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from .rounds import Result

OURS, RIGHT, WRONG, INK = "#0f766e", "#94a3b8", "#fecaca", "#1f2937"


def speeds(by_panel: Mapping[str, tuple[Sequence[Result], int]], path: Path) -> None:
    """Draw megabytes a second; longer is better."""
    panels = {}
    for title, (results, size) in by_panel.items():
        timed = sorted((r for r in results if r.seconds), key=lambda r: r.speed(size), reverse=True)
        bars = [(r, r.speed(size), f"{r.speed(size):,.0f}" + ("" if r.verdict.right else "  wrong")) for r in timed]
        panels[title] = bars + [(r, 0.0, "fails") for r in results if not r.seconds]
    _draw(panels, "MB of body a second: longer is better", path)


def memory(results: Sequence[Result], size: int, title: str, path: Path) -> None:
    """Draw the peaks as multiples of the body; shorter is better."""
    bars = [(r, r.peak / size, "fails" if r.verdict.failure else f"{r.peak / size:.2f} ×") for r in results]
    _draw({title: sorted(bars, key=lambda bar: bar[1])}, "peak memory, in sizes of the body: shorter is better", path)


def _draw(panels: Mapping[str, list[tuple[Result, float, str]]], label: str, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "rowhaul", "font.size": 9, "text.color": INK, "hatch.color": "#b91c1c"})
    across = min(2, len(panels))
    down = -(-len(panels) // across)
    tallest = max(len(bars) for bars in panels.values())
    figure, axes = plt.subplots(
        down, across, figsize=(5.6 * across, down * (0.24 * tallest + 0.7)), squeeze=False, layout="constrained"
    )
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, (title, bars) in zip(axes.flat, panels.items(), strict=False):
        _panel(axis, title, bars)
    figure.supxlabel(label, fontsize=9)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _panel(axis: Any, title: str, bars: Sequence[tuple[Result, float, str]]) -> None:
    drawn = axis.barh(
        [r.name for r, *_ in bars], [length for _, length, _ in bars], color=[_colour(r) for r, *_ in bars]
    )
    for bar, (result, *_) in zip(drawn, bars, strict=True):
        bar.set_hatch("" if result.verdict.right else "////")
    axis.bar_label(drawn, [text for *_, text in bars], padding=3, fontsize=8)
    axis.set_title(title, loc="left", fontweight="bold", fontsize=10)
    axis.invert_yaxis()
    axis.margins(x=0.18)
    axis.spines[["top", "right", "left"]].set_visible(False)
    axis.tick_params(left=False)


def _colour(result: Result) -> str:
    if "rowhaul" in result.peer.needs:
        return OURS
    return RIGHT if result.verdict.right else WRONG

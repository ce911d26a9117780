"""The decoder without Python beside what Rust offers: `benches/decode`, whose table is taken as it is printed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent


def table(megabytes: float, rounds: int) -> str:
    """Run it; without Rust there is nothing to show."""
    if not shutil.which("cargo"):
        return "There is no `cargo` here."
    options = ["--megabytes", str(max(1, round(megabytes))), "--rounds", str(rounds)]
    command = ["cargo", "bench", "--quiet", "--locked", "--features", "allocator", "--bench", "decode", "--", *options]
    return subprocess.run(command, stdout=subprocess.PIPE, cwd=ROOT, check=True, text=True).stdout.strip()

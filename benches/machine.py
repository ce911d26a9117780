"""What the figures were taken on. No date: figures of the same machine and versions should not differ by one."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = (
    *("rowhaul", "pandas", "polars", "pyarrow", "duckdb", "orjson", "msgspec", "pysimdjson"),
    *("requests", "httpx", "aiohttp"),
)


def facts() -> str:
    """Name cores, processor, Python and libraries in a paragraph."""
    versions = ", ".join(f"{name} {_version(name)}" for name in LIBRARIES)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores ({_processor()}), {platform.system()}, Python {platform.python_version()}; {versions}."


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())

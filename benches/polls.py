"""What one poll costs the client: time of the processor, all threads of the process, the call from Python included.

`alone`: one `Job.refresh()` after the other. `together`: as many of `AsyncJob.refresh()` at once as there are jobs. A
process of its own polls a service in another one, so that only the client's work counts.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

from .over_http import HEADERS, KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Jobs polled at once, how often in a round, and polls in a row: a round takes some time that can be measured.
AT_ONCE, TIMES, IN_A_ROW = 100, 10, 200
#: Microseconds a poll may cost at most.
BOUNDS = {"alone": 200, "together": 80}
ROOT = Path(__file__).parent.parent


def measured(url: str, rounds: int) -> dict[str, list[float]]:
    """Poll a job of the service at `url`, and give the microseconds for a poll of each round."""
    command = [sys.executable, "-m", "benches.polls", url, str(rounds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, cwd=ROOT, check=True)
    figures: dict[str, list[float]] = json.loads(done.stdout)
    return figures


def alone(client: Any, rounds: int) -> Iterator[float]:
    """Poll one job again and again."""
    job = client.job("job")
    job.refresh()
    for _ in range(rounds):
        start = process_time()
        for _ in range(IN_A_ROW):
            job.refresh()
        yield (process_time() - start) / IN_A_ROW * 1e6


async def together(client: Any, rounds: int) -> list[float]:
    """Poll many jobs at once; their connections are open before the first round."""
    jobs = [client.job("job") for _ in range(AT_ONCE)]
    taken = []
    for n in range(rounds + 1):
        start = process_time()
        for _ in range(TIMES):
            await asyncio.gather(*(job.refresh() for job in jobs))
        taken += [(process_time() - start) / (AT_ONCE * TIMES) * 1e6] if n else []
    return taken


def with_requests(origin: str, rounds: int) -> Iterator[float]:
    """Poll with `requests`, one after the other, as a measure of the machine."""
    import requests

    with requests.Session() as session:
        session.headers.update(HEADERS)
        for n in range(rounds + 1):
            start = process_time()
            for _ in range(IN_A_ROW):
                session.get(f"{origin}/api/v1/jobs/job", timeout=60).json()
            if n:
                yield (process_time() - start) / IN_A_ROW * 1e6


def table(figures: dict[str, list[float]]) -> str:
    """Give the middle of all rounds in Markdown, and what is aimed at."""
    names = {
        "alone": "`Job.refresh()`, one after the other",
        "together": f"`AsyncJob.refresh()`, {AT_ONCE} at once",
        "requests": "`requests`, one after the other",
    }
    lines = ["| poll | µs of the processor, each (spread) | at most |", "| --- | --- | --- |"]
    for key, taken in figures.items():
        spread = f"{median(taken):.0f} ({min(taken):.0f}–{max(taken):.0f})"
        lines.append(f"| {names[key]} | {spread} | {BOUNDS.get(key, '–')} |")
    return "\n".join(lines)


def main() -> None:
    """Poll the service whose address and number of rounds are given."""
    import rowhaul

    origin, rounds = sys.argv[1].split("/api/v1/")[0], int(sys.argv[2])

    async def many() -> list[float]:
        async with rowhaul.AsyncClient(base_url=origin, api_key=KEY) as client:
            return await together(client, rounds)

    with rowhaul.Client(base_url=origin, api_key=KEY) as client:
        figures = {"alone": list(alone(client, rounds))}
    figures |= {"together": asyncio.run(many()), "requests": list(with_requests(origin, rounds))}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()

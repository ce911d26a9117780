"""Recorded runs of a real service: how they are written down, and how they are answered from."""

from __future__ import annotations

import json
import tempfile
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rowhaul import _core
from rowhaul._request import Request
from rowhaul.errors import ConfigError, JobFailed, RowhaulError

from ._function import Failure, RawRow, told
from ._values import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from rowhaul._client import Client
    from rowhaul._job import Job

_HEAD = {"cassette": 1}

# How often it is looked whether a job that a real one is waited for was cancelled, in seconds.
_LOOK = 0.05

# Python refuses to read integers of more digits than some thousands.
_LONGEST_INT = 600


@dataclass(frozen=True)
class Run:
    """A recorded run, and where in the file its rows begin."""

    path: Path
    params: dict[str, Any]
    error: str | None
    rows: int
    offset: int


class Cassette:
    """A file of recorded runs that is being added to."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()

    @classmethod
    def opened(cls, path: str | PathLike[str]) -> Cassette:
        """Begin a cassette, or take one up to which runs are added."""
        place = Path(path).expanduser()
        if place.exists() and place.stat().st_size:
            for _ in cls.read(place):
                pass
        else:
            place.write_text(json.dumps(_HEAD) + "\n", encoding="utf-8")
        return cls(place)

    @staticmethod
    def read(path: str | PathLike[str]) -> Iterator[tuple[str, Decimal, list[Run]]]:
        """Give each agent with its price and its runs: of equal ones the last that completed, else the last."""
        agents: dict[str, tuple[Decimal, dict[str, Run]]] = {}
        place = Path(path).expanduser()
        with place.open("rb") as file:
            if _line(place, file.readline()) != _HEAD:
                raise ConfigError(f"{place} is not a cassette of recorded runs")
            while text := file.readline():
                head = _head(place, _line(place, text))
                run = Run(place, head["params"], head["error"], head["rows"], file.tell())
                for _ in range(run.rows):
                    if not isinstance(_line(place, file.readline()), dict):
                        raise ConfigError(f"{place} is damaged: a row of {head['agent']} is not an object")
                runs = agents[head["agent"]][1] if head["agent"] in agents else {}
                known = runs.get(_same(run.params))
                if run.error is None or known is None or known.error is not None:
                    runs[_same(run.params)] = run
                agents[head["agent"]] = (Decimal(str(head["price_per_1k_usd"])), runs)
        for name, (price, runs) in agents.items():
            yield name, price, list(runs.values())

    def recorder(
        self, client: Client, agent: str, price: Decimal | int
    ) -> Callable[[dict[str, Any], _core.Feed], list[RawRow]]:
        """Give what runs an agent with what it is asked for at the real service."""

        def forward(params: dict[str, Any], feed: _core.Feed) -> list[RawRow]:
            # What goes wrong on the way there says nothing about the run, and is not recorded.
            job = client.start(Request(agent, params))
            try:
                with _cancelling(job, feed):
                    job.wait()
            except JobFailed:
                if job.refresh().status == "failed":
                    self._add(client, agent, params, price, [], error=_said(client, job))
                raise
            try:
                rows = _fetched(job)
                self._add(client, agent, params, price, rows, error=None)
            except Exception as error:
                raise Failure(f"{job.id} completed at the real service, and was not recorded: {told(error)}") from error
            return [RawRow(row) for row in rows]

        return forward

    def _add(
        self,
        client: Client,
        agent: str,
        params: dict[str, Any],
        price: Decimal | int,
        rows: Sequence[str],
        *,
        error: str | None,
    ) -> None:
        head = {
            "agent": agent,
            "params": params,
            "price_per_1k_usd": price,
            "status": "completed" if error is None else "failed",
            "error": error,
            "rows": len(rows),
        }
        lines = "".join(line + "\n" for line in (_core.json_text(head, plain), *rows))
        lines = client._core.redacted(lines)  # noqa: SLF001
        with self._lock, self._path.open("ab") as file:
            begin = file.tell()
            try:
                file.write(lines.encode())
                file.flush()
            except OSError:
                # What is there stays readable.
                file.truncate(begin)
                raise


def replayer(runs: Sequence[Run]) -> Callable[..., Iterator[RawRow]]:
    """Give the function of an agent that answers from recorded runs."""
    recorded = {_same(run.params): run for run in runs}

    def replay(**params: Any) -> Iterator[RawRow]:
        run = recorded[_same(params)]
        if run.error is not None:
            raise Failure(run.error)
        with run.path.open("rb") as file:
            file.seek(run.offset)
            for _ in range(run.rows):
                yield RawRow(file.readline().decode())

    return replay


@contextmanager
def _cancelling(job: Job, feed: _core.Feed) -> Iterator[None]:
    """Cancel a real job as soon as nobody wants its rows any more."""
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(_LOOK):
            if feed.is_stopped():
                # Where the service does not cancel, the job is waited for, and recorded: it is paid for.
                with suppress(RowhaulError):
                    job.cancel()
                return

    watcher = threading.Thread(target=watch, name="rowhaul-recorder", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()


def _fetched(job: Job) -> list[str]:
    """Give the rows of a completed job, each as the text it came as."""
    with tempfile.TemporaryDirectory() as folder:
        body = Path(folder) / "body.json"
        job.download(body)
        return _core.raw_rows(body)


def _said(client: Client, job: Job) -> str:
    """Say why a job failed in the service's words, without its address."""
    return (job.error or "the job failed").replace(urlsplit(client.base_url).netloc, "[address]")


def _same(params: dict[str, Any]) -> str:
    """Give equal parameters one text, whatever their order."""
    return json.dumps(params, sort_keys=True)


def _line(place: Path, text: bytes) -> Any:
    """Read a line, whatever the numbers in it."""
    if not text.endswith(b"\n"):
        what = "is cut off: its last line lacks its end" if text else "is not a cassette of recorded runs, or cut off"
        raise ConfigError(f"{place} {what}")
    try:
        return json.loads(text.decode(), parse_int=_int, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise ConfigError(f"{place} is not a cassette of recorded runs, or damaged") from None


def _int(digits: str) -> int | str:
    return int(digits) if len(digits) < _LONGEST_INT else digits


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _head(place: Path, head: Any) -> dict[str, Any]:
    """Refuse what is not the first line of a run."""
    kinds: dict[str, Any] = {
        "agent": str,
        "params": dict,
        "price_per_1k_usd": (int, float),
        "error": (str, type(None)),
        "rows": int,
    }
    if (
        not isinstance(head, dict)
        or not all(
            name in head and isinstance(head[name], kind) and not isinstance(head[name], bool)
            for name, kind in kinds.items()
        )
        or head["rows"] < 0
    ):
        raise ConfigError(f"{place} is damaged: a run lacks one of {', '.join(kinds)}")
    return head

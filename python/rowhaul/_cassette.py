"""Recorded runs of a real service: how they are written down, and how they are answered from."""

from __future__ import annotations

import json
import tempfile
import threading
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from ._own_agent import Failure, plain, told
from ._request import Request
from .errors import ConfigError, RowhaulError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from ._client import Client

_HEAD = {"cassette": 1}


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
        """Give each agent with its price and its runs, of equal ones the last."""
        agents: dict[str, tuple[Decimal, dict[str, Run]]] = {}
        place = Path(path).expanduser()
        with place.open("rb") as file:
            if _line(place, file.readline()) != _HEAD:
                raise ConfigError(f"{place} is not a cassette of recorded runs")
            while text := file.readline():
                head = _line(place, text)
                run = Run(place, head["params"], head["error"], head["rows"], file.tell())
                if not all(file.readline().endswith(b"\n") for _ in range(run.rows)):
                    raise ConfigError(f"{place} is cut off: a recorded run of {head['agent']} lacks rows")
                runs = agents[head["agent"]][1] if head["agent"] in agents else {}
                runs[_same(run.params)] = run
                agents[head["agent"]] = (Decimal(str(head["price_per_1k_usd"])), runs)
        for name, (price, runs) in agents.items():
            yield name, price, list(runs.values())

    def recorder(self, client: Client, agent: str, price: Decimal | int) -> Callable[..., list[dict[str, Any]]]:
        """Give the function of an agent that runs what it is asked for at the real service."""

        def forward(**params: Any) -> list[dict[str, Any]]:
            try:
                rows = _fetched(client, agent, params)
            except RowhaulError as error:
                self._add(client, agent, params, price, [], error=told(error))
                raise
            self._add(client, agent, params, price, rows, error=None)
            return rows

        return forward

    def _add(
        self,
        client: Client,
        agent: str,
        params: dict[str, Any],
        price: Decimal | int,
        rows: Sequence[dict[str, Any]],
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
        lines = "".join(_core.json_text(line, plain) + "\n" for line in (head, *rows))
        lines = client._core.redacted(lines)  # noqa: SLF001
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(lines)


def replayer(runs: Sequence[Run]) -> Callable[..., Iterator[dict[str, Any]]]:
    """Give the function of an agent that answers from recorded runs."""
    recorded = {_same(run.params): run for run in runs}

    def replay(**params: Any) -> Iterator[dict[str, Any]]:
        run = recorded[_same(params)]
        if run.error is not None:
            raise Failure(run.error)
        with run.path.open("rb") as file:
            file.seek(run.offset)
            for _ in range(run.rows):
                yield json.loads(file.readline(), parse_float=Decimal)

    return replay


def _fetched(client: Client, agent: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    """Run an agent and give its rows with every value as it came."""
    job = client.start(Request(agent, params))
    job.wait()
    with tempfile.TemporaryDirectory() as folder:
        body = Path(folder) / "body.json"
        job.download(body)
        with body.open("rb") as file:
            data = json.load(file, parse_float=Decimal)["data"]
    return list(data)


def _same(params: dict[str, Any]) -> str:
    """Give equal parameters one text, whatever their order."""
    return json.dumps(params, sort_keys=True)


def _line(place: Path, text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise ConfigError(f"{place} is not a cassette of recorded runs, or damaged") from None

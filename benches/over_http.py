"""Service → table, end to end over loopback: start a run, fetch its results, make a table.

What people write today, with each of the HTTP libraries, beside `Client.run`. Threads are left as they come. A client
or a session is made once and kept, as in a notebook; what a client costs that is made for each run is shown as well.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING, Any

from .peers import PANDAS, POLARS, Peer, pyarrow

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = "bench"
PARAMS = {"searchQueries": ["bench"]}
HEADERS = {"Authorization": f"Bearer {KEY}"}


def rowhaul_pandas(url: str, _: int) -> Any:
    """Run and hand over to pandas."""
    return _run(url).to_pandas()


def rowhaul_anew_pandas(url: str, _: int) -> Any:
    """Make a client for the run: its connection and its ledger are opened, and closed again."""
    return _run_anew(url).to_pandas()


def rowhaul_polars(url: str, _: int) -> Any:
    """Run and hand over to polars."""
    return _run(url).to_polars()


def rowhaul_anew_polars(url: str, _: int) -> Any:
    """Make a client for the run, and hand over to polars."""
    return _run_anew(url).to_polars()


def rowhaul_stream(url: str, _: int) -> int:
    """Take the rows batch by batch and let go of each; only their number is left."""
    origin, agent = _parts(url)
    return sum(len(batch) for batch in _client(origin).start(agent, PARAMS).stream())


def requests_pandas(url: str, _: int) -> Any:
    """Take `requests` and its `json()`."""
    import pandas as pd

    return pd.DataFrame(_requests(url).json()["data"])


def requests_polars(url: str, _: int) -> Any:
    """Take `requests` and its `json()`; polars looks at all rows, or it would drop columns."""
    import polars as pl

    return pl.DataFrame(_requests(url).json()["data"], infer_schema_length=None)


def requests_orjson_pandas(url: str, _: int) -> Any:
    """Take `requests`, and orjson instead of `json()`."""
    import orjson
    import pandas as pd

    return pd.DataFrame(orjson.loads(_requests(url).content)["data"])


def requests_pyarrow_pandas(url: str, _: int) -> Any:
    """Take `requests`, and pyarrow's reader with all its threads, as is the default."""
    return pyarrow(_requests(url).content, 2).to_pandas()


def requests_read_json(url: str, _: int) -> Any:
    """Take `requests`, cut the array out of the envelope, and have polars read it, all rows for the schema."""
    import polars as pl

    body = _requests(url).content
    return pl.read_json(body[body.index(b"[") : -1], infer_schema_length=None)


def httpx_pandas(url: str, _: int) -> Any:
    """Take `httpx`."""
    import pandas as pd

    session = _httpx_client()
    job = session.post(f"{url}/run", json={"params": PARAMS}).json()["job_id"]
    return pd.DataFrame(session.get(_results(url, job)).json()["data"])


def aiohttp_pandas(url: str, _: int) -> Any:
    """Take `aiohttp`."""
    import pandas as pd

    async def fetch() -> Any:
        session = _aiohttp_session()
        async with session.post(f"{url}/run", json={"params": PARAMS}) as answer:
            job = (await answer.json())["job_id"]
        async with session.get(_results(url, job)) as answer:
            return await answer.json()

    return pd.DataFrame(_runner().run(fetch())["data"])


def _run(url: str) -> Any:
    origin, agent = _parts(url)
    return _client(origin).run(agent, PARAMS)


def _run_anew(url: str) -> Any:
    import rowhaul

    origin, agent = _parts(url)
    with rowhaul.Client(base_url=origin, api_key=KEY) as client:
        return client.run(agent, PARAMS)


@cache
def _client(origin: str) -> Any:
    import rowhaul

    return rowhaul.Client(base_url=origin, api_key=KEY)


def _requests(url: str) -> Any:
    session = _requests_session()
    job = session.post(f"{url}/run", json={"params": PARAMS}, timeout=60).json()["job_id"]
    return session.get(_results(url, job), timeout=60)


@cache
def _requests_session() -> Any:
    import requests

    session = requests.Session()
    session.headers.update(HEADERS)
    return session


@cache
def _httpx_client() -> Any:
    import httpx

    return httpx.Client(headers=HEADERS)


@cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner()


@cache
def _aiohttp_session() -> Any:
    import aiohttp

    return aiohttp.ClientSession(headers=HEADERS)


def _results(url: str, job: str) -> str:
    return f"{_parts(url)[0]}/api/v1/jobs/{job}/results"


def _parts(url: str) -> tuple[str, str]:
    origin, agent = url.split("/api/v1/agents/")
    return origin, agent


def _peer(name: str, needs: tuple[str, ...], read: Callable[[str, int], Any]) -> Peer:
    return Peer(name, needs, "url", read, threads=(0,))


#: The first is what the others are compared with.
TO_PANDAS = (
    _peer("Client.run → pandas", PANDAS, rowhaul_pandas),
    _peer("a Client for each run → pandas", PANDAS, rowhaul_anew_pandas),
    _peer("requests.json() + pandas", ("requests", "pandas"), requests_pandas),
    _peer("httpx .json() + pandas", ("httpx", "pandas"), httpx_pandas),
    _peer("aiohttp .json() + pandas", ("aiohttp", "pandas"), aiohttp_pandas),
    _peer("requests + orjson + pandas", ("requests", "orjson", "pandas"), requests_orjson_pandas),
    _peer("requests + pyarrow.json + pandas", ("requests", "pyarrow", "pandas"), requests_pyarrow_pandas),
)
TO_POLARS = (
    _peer("Client.run → polars", POLARS, rowhaul_polars),
    _peer("a Client for each run → polars", POLARS, rowhaul_anew_polars),
    _peer("requests.json() + polars", ("requests", "polars"), requests_polars),
    _peer("requests + pl.read_json", ("requests", "polars"), requests_read_json),
)
STREAM = _peer("Job.stream", ("rowhaul",), rowhaul_stream)
PEERS = (*TO_PANDAS, *TO_POLARS, STREAM)

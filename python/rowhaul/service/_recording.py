"""Runs of a real service that a local service records, and answers from."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from rowhaul._client import Client

from ._cassette import Cassette, replayer
from ._declared import Declared
from ._function import begin, begin_with_feed

if TYPE_CHECKING:
    from os import PathLike

    from rowhaul._core import LocalService


class Recording:
    """The part of a local service that records a real one, and replays it."""

    _core: LocalService

    def record(self, client: Client, path: str | PathLike[str]) -> None:
        """Forward runs to a real service through its client, and record what they bring.

        From now on a run of any agent that the real service lists, started here, is started there with the same
        parameters, waited for, and billed there by its rules; here it is free, so that nothing paid for is lost for
        want of money. Each run that completed, or that the real service says has failed, is added to the file as a
        whole; what goes wrong on the way there fails the run and is not recorded. A run that is cancelled here is
        cancelled there. `replay` answers from the file.

        The file is a cassette of newline-delimited JSON: `{"cassette": 1}`, then for each run a line with `agent`,
        `params`, `price_per_1k_usd`, `status`, `error` and `rows` (their number), and after it each row on a line of
        its own, as it came. Headers and addresses are never in it; the client's key is taken out wherever the service
        repeats it. Rows and parameters are there as they are: look through them before you share the file.

        Parameters
        ----------
        client : a client of the real service. It is used, not closed
        path : the cassette; one that is there is added to

        Raises
        ------
        ConfigError : the file is something else, damaged or cut off
        RowhaulError : the real service does not list its agents

        """
        if not isinstance(client, Client):
            raise TypeError(f"`client` must be a Client of the real service, not {type(client).__name__}")
        cassette = Cassette.opened(path)
        for agent in client.agents():
            price = agent.price_per_1k_usd or 0
            told = Declared(
                name=agent.id,
                title=agent.name or agent.slug,
                description=agent.description or "",
                unit="rows",
                price_per_1k_usd=str(price),
                parameters="[]",
                columns=[],
                takes="anything",
            )
            self._core.add_agent(told, partial(begin_with_feed, cassette.recorder(client, agent.id, price)))

    def replay(self, path: str | PathLike[str]) -> None:
        """Answer runs from what `record` recorded, without the real service.

        A run with the agent and the parameters of a recorded one brings its rows, or fails as it did, at its price;
        where it was recorded several times, as it was the last time it completed. Ids and times are this service's own,
        so a job goes through the same states as any here. A run of a recorded agent with other parameters is refused
        with 404, `not_recorded`; agents that were not recorded are as they are.

        Raises
        ------
        ConfigError : the file is not a cassette, damaged or cut off
        OSError : it cannot be read

        """
        for name, price, runs in Cassette.read(path):
            told = Declared(
                name=name,
                title=name.rpartition("/")[2],
                description="Recorded runs.",
                unit="rows",
                price_per_1k_usd=str(price),
                parameters=json.dumps([run.params for run in runs]),
                columns=[],
                takes="recorded",
            )
            self._core.add_agent(told, partial(begin, name, replayer(runs)))

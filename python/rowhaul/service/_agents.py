"""Functions and files that a local service offers as agents."""

from __future__ import annotations

import inspect
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ._declared import Declared
from ._function import begin, parquet_rows
from ._parameters import as_text, declared, parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from decimal import Decimal
    from os import PathLike

    from rowhaul._core import LocalService

F = TypeVar("F", bound="Callable[..., Any]")


class OwnAgents:
    """The part of a local service that takes agents of one's own."""

    _core: LocalService

    def agent(
        self,
        name: str,
        *,
        price_per_1k_usd: Decimal | float | str = 1,
        parameters: Mapping[str, Any] | None = None,
        columns: Sequence[str] = (),
        title: str | None = None,
        description: str | None = None,
        unit: str = "rows",
    ) -> Callable[[F], F]:
        """Offer a function as an agent: a decorator.

        The function is called with the parameters of a run by name, on a thread of its own, and gives rows as dicts: it
        is a generator, or returns an iterable, or is the async form of either. An exception in it makes the job
        `failed`, with its text as the error, and nothing is charged; the logger `rowhaul.service` has its traceback.
        After a cancellation the rows it gives are dropped; an async function is cancelled, any other ends at its next
        row. At most 32 runs are at work at a time; the others wait for their turn.

        Rows are billed as those of any agent, as they come; a run that the balance cannot pay for fails. With a
        `data_dir` they are kept with the job; the function has to be offered anew by each process.

        In rows, dates and times become ISO 8601 texts, a `Decimal` a number of the same digits, scalars and arrays of
        numpy their values. NaN, infinities and anything JSON has no word for fail the job, by row and key.

        Parameters
        ----------
        name : `"group/slug"`; one of the specification's names takes that agent's place
        price_per_1k_usd : USD for 1000 rows
        parameters : from each parameter's name to its type (`str`, `int`, `float`, `bool`, `list`, `dict`, or `object`
            for anything; it is then required), or to a dict with any of `type`, `required`, `default`, `options`,
            `minimum`, `maximum`, `title`, `description`. Default: taken from the function's signature (annotated types,
            and the texts of a `Literal` as options; element types of lists and dicts are ignored). Invalid parameters
            get a 422
        columns : the keys of each row, in order; what a row lacks is null, and a key that is not among them fails the
            job. Default: rows are taken as they come
        title, description : as shown to people; default: the slug, and the function's docstring
        unit : the name of the row kind

        Raises
        ------
        ConfigError : the declaration contradicts itself

        >>> import rowhaul as rh
        >>> with rh.LocalService() as service:
        ...     @service.agent("shop/prices", price_per_1k_usd=2)
        ...     def prices(skus: list, currency: str = "EUR"):
        ...         for sku in skus:
        ...             yield {"sku": sku, "price": 9.5, "currency": currency}
        ...     service.client().run("shop/prices", {"skus": ["a", "b"]}).to_dicts()
        [{'sku': 'a', 'price': 9.5, 'currency': 'EUR'}, {'sku': 'b', 'price': 9.5, 'currency': 'EUR'}]

        """
        if not isinstance(name, str):
            raise TypeError('an agent is offered under a name: `@service.agent("group/slug")`')

        def offer(function: F) -> F:
            asked = parameters_of(function) if parameters is None else declared(parameters)
            told = Declared(
                name=name,
                title=title or name.rpartition("/")[2],
                description=description if description is not None else inspect.getdoc(function) or "",
                unit=unit,
                price_per_1k_usd=str(price_per_1k_usd),
                parameters=as_text(name, asked),
                columns=list(columns),
            )
            self._core.add_agent(told, partial(begin, name, function))
            return function

        return offer

    def agent_from_file(
        self,
        name: str,
        path: str | PathLike[str],
        *,
        price_per_1k_usd: Decimal | float | str = 1,
        title: str | None = None,
        description: str | None = None,
        unit: str = "rows",
    ) -> None:
        """Offer the rows of a file as an agent.

        It takes one parameter, `maxResults`: at most so many rows; 0 or none means all. The file is read anew by each
        run.

        Parameters
        ----------
        name : `"group/slug"`
        path : newline-delimited JSON objects (`.ndjson`, `.jsonl`); CSV with a header (`.csv`), whose cells are texts
            and, where empty, null; or Parquet (`.parquet`), which needs pyarrow
        price_per_1k_usd, title, description, unit : as those of `agent`

        Raises
        ------
        OSError : the file cannot be opened, or its name has another ending

        """
        path = Path(path).expanduser()
        told = Declared(
            name=name,
            title=title or name.rpartition("/")[2],
            description=description if description is not None else f"The rows of {path.name}.",
            unit=unit,
            price_per_1k_usd=str(price_per_1k_usd),
            parameters=as_text(name, [{"name": "maxResults", "type": "integer", "minimum": 0}]),
            columns=[],
        )
        if path.suffix.lower() == ".parquet":
            self._core.add_agent(told, partial(begin, name, parquet_rows(path)))
        else:
            self._core.add_file(told, path)

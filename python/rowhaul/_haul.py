"""What many runs brought together."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _html
from ._counted import counted
from ._outcome import Outcomes
from ._read import concat

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from ._outcome import Outcome
    from ._rows import Rows


class Haul:
    """What `run_many` brings: the rows of all runs as one table, and what failed. It pickles; jobs stay behind.

    A haul has as many items as there were requests: iterating gives an `Outcome` for each, in the order of the
    requests.
    """

    def __init__(self, outcomes: tuple[Outcome, ...]) -> None:
        self._outcomes = Outcomes(outcomes)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What became of each request, in the order of the requests."""
        return self._outcomes

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The outcomes without rows, each with its `number`, its request and its error, in the order of the requests."""
        return Outcomes(outcome for outcome in self._outcomes if not outcome.ok)

    @cached_property
    def rows(self) -> Rows:
        """One table of all rows, in the order of the requests; columns and types are widened as by `rowhaul.concat`."""
        return concat(outcome.rows for outcome in self._outcomes if outcome.rows is not None)

    @property
    def cost_usd(self) -> Decimal | None:
        """What all runs cost in USD, or None while that of one of them is not known; never a guess."""
        costs = [outcome.cost_usd for outcome in self._outcomes]
        known = [cost for cost in costs if cost is not None]
        return sum(known, Decimal(0)) if len(known) == len(costs) else None

    def raise_first(self) -> Self:
        """Raise the error of the first request that failed; if none did, the result is the haul itself."""
        for outcome in self._outcomes:
            if outcome.error is not None:
                raise outcome.error
        return self

    def __len__(self) -> int:
        return len(self._outcomes)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._outcomes)

    def __getitem__(self, number: int) -> Outcome:
        return self._outcomes[number]

    def _count(self) -> int:
        return sum(len(outcome.rows) for outcome in self._outcomes if outcome.rows is not None)

    def __repr__(self) -> str:
        cost = "cost unknown" if self.cost_usd is None else f"{self.cost_usd} USD"
        return (
            f"Haul({counted(len(self), 'run')}, {len(self.failures):,} failed, {counted(self._count(), 'row')}, {cost})"
        )

    def _repr_html_(self) -> str:
        return _html.haul(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Haul, (tuple(self._outcomes),))

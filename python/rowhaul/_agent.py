"""What the service says of its agents, and what a run may cost."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _html
from ._counted import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal
    from typing import Self

    from . import _core


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """What the service says of one parameter (section 2.1 of the specification).

    Attributes
    ----------
    type : such as `"array"` or `"integer"`, or None where the service does not say, as for all others
    required : whether the service asks for it
    name, description : its display name and what it means
    default, options : where the service names them; the options are a tuple

    """

    type: str | None = None
    required: bool = False
    name: str | None = None
    description: str | None = None
    default: Any = None
    options: tuple[Any, ...] = ()

    @classmethod
    def _read(cls, descriptor: Any) -> Parameter:
        """Read a descriptor; what it lacks, or has of a wrong type, is absent."""
        told = descriptor if isinstance(descriptor, dict) else {}
        texts = {key: told[key] for key in ("type", "name", "description") if isinstance(told.get(key), str)}
        options = told.get("options")
        return cls(
            **texts,
            required=told.get("required") is True,
            default=told.get("default"),
            options=tuple(options) if isinstance(options, list) else (),
        )


@dataclass(frozen=True, kw_only=True)
class AgentSummary:
    """One agent in a list.

    Attributes
    ----------
    group, slug : its name is `"group/slug"`
    name, description : as shown to people, or None
    price_per_1k_usd : USD for 1000 rows, or None where the service names no price

    """

    group: str
    slug: str
    name: str | None = None
    description: str | None = None
    price_per_1k_usd: Decimal | None = None

    @property
    def id(self) -> str:
        """What `run` takes: `"group/slug"`."""
        return f"{self.group}/{self.slug}"

    @classmethod
    def _of(cls, core: _core.AgentSummary, **details: Any) -> Self:
        return cls(
            group=core.group,
            slug=core.slug,
            name=core.name,
            description=core.description,
            price_per_1k_usd=core.price_per_1k_usd,
            **details,
        )


class Agents(list[AgentSummary]):
    """The agents of a service: a list that shows itself as one to read."""

    def __repr__(self) -> str:
        width = max((len(agent.id) for agent in self), default=0)
        lines = [f"{agent.id:<{width}}  {agent.description or agent.name or ''}".rstrip() for agent in self]
        return "\n".join([counted(len(self), "agent"), *lines])

    def _repr_html_(self) -> str:
        return _html.agents(self)


@dataclass(frozen=True, kw_only=True, repr=False)
class Agent(AgentSummary):
    """An agent as the service describes it (section 2.1 of the specification).

    Attributes
    ----------
    unit : the name of the row kind, such as `"events"`, or None
    parameters : from the parameter's name to what the service says of it, in the service's order

    """

    unit: str | None = None
    parameters: Mapping[str, Parameter]

    @classmethod
    def _of_details(cls, core: _core.AgentDetails) -> Agent:
        described = json.loads(core.parameters).items()
        parameters = {name: Parameter._read(descriptor) for name, descriptor in described}  # noqa: SLF001
        return cls._of(core.summary, unit=core.unit, parameters=parameters)

    def __repr__(self) -> str:
        price = "price unknown" if self.price_per_1k_usd is None else f"{self.price_per_1k_usd} USD for 1000 rows"
        return f"Agent({self.id!r}, {price}, parameters: {', '.join(self.parameters)})"

    def _repr_html_(self) -> str:
        return _html.agent(self)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What a run may cost at most.

    Attributes
    ----------
    max_rows : the most rows it can bring, or None where that is unbounded or unknown
    price_per_1k_usd : USD for 1000 rows, or None where the service names no price
    max_cost_usd : the product of both, or None where one is None; never a guess
    balance_usd : what the account has

    """

    max_rows: int | None
    price_per_1k_usd: Decimal | None
    max_cost_usd: Decimal | None
    balance_usd: Decimal | None

    @classmethod
    def _of(cls, core: _core.Estimate) -> Estimate:
        return cls(
            max_rows=core.max_rows,
            price_per_1k_usd=core.price_per_1k_usd,
            max_cost_usd=core.max_cost_usd,
            balance_usd=core.balance_usd,
        )

    def _repr_html_(self) -> str:
        return _html.estimate(self)

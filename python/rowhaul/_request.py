"""What to run, as a value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from . import _core
from ._frozen import frozen
from .errors import InvalidParams

#: The integers that a JSON number of the contract can carry without loss.
_INTEGERS = range(-(2**63), 2**64)


class Request:
    """One run of one agent: its name and its parameters, checked when built. Sends nothing.

    A request is a value: it does not change, equal requests are equal and hash alike, and it pickles.

    Parameters
    ----------
    agent : `"group/slug"`, where the group is a placeholder's name (`events`, `video`, `retail`) or the service's own
    params : the parameters under the service's own names (section 4.7 of the specification). For its nine agents,
        defaults are filled in, one string stands for a list of one, a string stands for a URL object, and product
        addresses are reduced to domain plus `/dp/<ASIN>`. The parameters of any other agent are sent as they are.

    Raises
    ------
    InvalidParams : a parameter breaks a rule, or the name is not `group/slug`; `.field` and `.reason` say which

    >>> import rowhaul as rh
    >>> request = rh.Request("events/events", {"searchQueries": "jazz berlin", "maxResults": 5})
    >>> request.params
    {'searchQueries': ['jazz berlin'], 'maxResults': 5}
    >>> request == rh.agents.Events(search_queries=["jazz berlin"], max_results=5)
    True

    """

    __slots__ = ("_agent", "_params", "_text")

    _agent: str
    _params: Mapping[str, Any]
    _text: str

    def __init__(self, agent: str, params: Mapping[str, Any] | None = None) -> None:
        self._build(agent, params or {})

    def _build(self, agent: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Check and complete the parameters, keep them, and return them completed."""
        if not isinstance(agent, str):
            raise TypeError(f"an agent is named by a string, `group/slug`, not by {type(agent).__name__}")
        plain = {name: _plain(name, value) for name, value in _items(params)}
        completed = json.loads(_core.complete(agent, json.dumps(plain)))
        object.__setattr__(self, "_agent", agent)
        object.__setattr__(self, "_params", frozen(completed))
        object.__setattr__(self, "_text", json.dumps(completed, sort_keys=True))
        return dict(completed)

    @property
    def agent(self) -> str:
        """The agent, `"group/slug"`."""
        return self._agent

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters, completed, under the service's own names. They do not change."""
        return self._params

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a request does not change; build another one to set `{name}`")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a request does not change; `{name}` stays")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Request):
            return NotImplemented
        return (self._agent, self._text) == (other._agent, other._text)

    def __hash__(self) -> int:
        return hash((self._agent, self._text))

    def __repr__(self) -> str:
        # One that was refused may be looked at, too: in a traceback.
        return f"Request({self._agent!r}, {dict(self._params)!r})" if hasattr(self, "_params") else "Request()"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Request, (self._agent, dict(self._params)))


class AgentRequest(Request):
    """What the dataclasses of `rowhaul.agents` have in common: their fields are parameters under snake_case names."""

    _agent_name: ClassVar[str]
    #: From field to the service's name of the parameter.
    _names: ClassVar[Mapping[str, str]]

    def __post_init__(self) -> None:
        given = {wire: getattr(self, field) for field, wire in self._names.items()}
        given = {
            wire: value
            for wire, value in given.items()
            if value is not None and not (isinstance(value, tuple) and not value)
        }
        completed = self._build(self._agent_name, given)
        for field, wire in self._names.items():
            if wire in completed:
                object.__setattr__(self, field, _field(completed[wire]))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), {field: getattr(self, field) for field in self._names}))


def _rebuild(cls: type[AgentRequest], fields: dict[str, Any]) -> AgentRequest:
    return cls(**fields)


def _field(value: Any) -> Any:
    """Give what a dataclass shows of a parameter: tuples of texts, an address for a URL object."""
    if isinstance(value, list):
        return tuple(item["url"] if isinstance(item, dict) else item for item in value)
    return value


def as_request(request: Request | str, params: Mapping[str, Any] | None) -> Request:
    """Take what `run`, `start` and `estimate` take: a request, or an agent's name and its parameters."""
    if not isinstance(request, Request):
        return Request(request, params)
    if params is not None:
        raise TypeError("a request has its parameters; `params` goes with an agent's name only")
    return request


def _items(params: Mapping[str, Any]) -> Any:
    if not hasattr(params, "items"):
        raise TypeError(f"parameters are a mapping, not {type(params).__name__}")
    for name, value in params.items():
        if not isinstance(name, str):
            raise InvalidParams(f"a parameter is named by a string, not by {name!r}", field=str(name), reason="name")
        yield name, value


def _plain(field: str, value: Any) -> Any:
    """Make JSON of what Python programs use for it: tuples and other sequences are lists."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(field, value)
    if isinstance(value, int | float):
        return _number(field, value)
    if isinstance(value, Mapping):
        return {name: _plain(field, item) for name, item in _items(value)}
    if isinstance(value, bytes | bytearray) or not hasattr(value, "__iter__"):
        return _scalar(field, value)
    if isinstance(value, set | frozenset):
        raise _invalid(field, "a set has no order, so that no two runs of it would be alike; make a list of it")
    if hasattr(value, "columns"):
        raise _invalid(field, "a table is no list; take one of its columns")
    return [_plain(field, item) for item in value]


def _text(field: str, value: str) -> str:
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise _invalid(field, "half of a surrogate pair is no text")
    return value


def _number(field: str, value: float) -> float:
    if isinstance(value, int):
        if value not in _INTEGERS:
            raise _invalid(field, "an integer beyond 64 bits cannot be sent")
        return int(value)
    if value - value != 0:
        raise _invalid(field, f"{value!r} is not a number of JSON")
    return value


def _scalar(field: str, value: Any) -> Any:
    """Take the scalars of numpy and the like by what they are in Python."""
    # A scalar is `item()` in numpy and `as_py()` in pyarrow.
    for name in ("item", "as_py"):
        plain = getattr(value, name, None)
        if callable(plain):
            return _plain(field, plain())
    raise _invalid(field, f"{type(value).__name__} is not JSON")


def _invalid(field: str, reason: str) -> InvalidParams:
    return InvalidParams(f"parameter `{field}`: {reason}", field=field, reason=reason)

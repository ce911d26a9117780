"""Lists and dicts that do not change: equal to plain ones, hashable, and refusing every change."""

from __future__ import annotations

from typing import Any, NoReturn


def frozen(value: Any) -> Any:
    """Freeze a JSON value all the way down."""
    if isinstance(value, dict):
        return FrozenDict({name: frozen(item) for name, item in value.items()})
    if isinstance(value, list | tuple):
        return FrozenList(frozen(item) for item in value)
    return value


def _refuse(self: Any, *_args: Any, **_kwargs: Any) -> NoReturn:
    raise TypeError(
        f"the parameters of a request do not change; this {'list' if isinstance(self, list) else 'dict'} is part of one"
    )


class FrozenDict(dict[str, Any]):
    """A dict that does not change."""

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (frozen, (dict(self),))


class FrozenList(list[Any]):
    """A list that does not change."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return (frozen, (list(self),))

"""Faults that a local service was asked for: where they happen, how often they were played, how they end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rowhaul.faults import Fault

if TYPE_CHECKING:
    from rowhaul import _core

Operation = Literal["run", "status", "results", "cancel", "jobs", "agents", "agent", "balance", "any"]


class Injection:
    """A fault that a service was asked for, as `LocalService.inject` gives it."""

    def __init__(self, core: _core.Injected, on: str, fault: Fault) -> None:
        self._core = core
        self._on = on
        self._fault = fault

    @property
    def hits(self) -> int:
        """How often it was played so far."""
        return self._core.hits

    def remove(self) -> None:
        """End it, however often it was still to be played. Removing twice does nothing."""
        self._core.remove()

    def __repr__(self) -> str:
        return f"<{self._fault!r} on {self._on}>"


def check(fault: object) -> None:
    """Refuse what is no fault, and say what there is."""
    if not isinstance(fault, Fault):
        known = ", ".join(sorted(kind.__name__ for kind in Fault.__subclasses__()))
        raise TypeError(f"a fault is one of rowhaul.faults, not {fault!r}: {known}")

"""What the core is told of an own agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What the core is told of an own agent."""

    name: str
    title: str
    description: str
    unit: str
    price_per_1k_usd: str
    parameters: str
    columns: list[str]
    takes: Literal["declared", "anything", "recorded"] = "declared"

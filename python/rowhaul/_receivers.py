"""The libraries that take rows: imported when they are asked for, named when they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def wanted(name: str) -> Any:
    """Import a library, or say how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(f"this needs {name}, which is not installed: pip install {name}", name=name) from None


def present(name: str) -> Any:
    """Import a library, or give None."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None

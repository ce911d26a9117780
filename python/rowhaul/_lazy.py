"""Importing at first use, so that a process that has rowhaul and does not need it does not pay for it.

pytest imports the plugin of every installed package. Importing `rowhaul.pytest_plugin` imports `rowhaul`, and that
alone must neither load the core nor take time.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def first_use(package: dict[str, Any], **names: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Give the `__getattr__` and `__dir__` of a package whose names (by module, blanks between them) are imported late.

    What a program sees of the package is what it exports, used or not. Modules that the package exports are imported
    late, too.
    """
    homes = {name: module for module, exported in names.items() for name in exported.split()}

    def load(name: str) -> Any:
        # `service` is no export and a module all the same: `rowhaul.service.Charge` works without an import of its own.
        if name in homes:
            value = getattr(import_module(f".{homes[name]}", package["__name__"]), name)
        elif name in package["__all__"] or name in names:
            value = import_module(f".{name}", package["__name__"])
        else:
            # With both, Python asks about a name that is nearly the same.
            message = f"module {package['__name__']!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=sys.modules[package["__name__"]])
        package[name] = value
        return value

    return load, lambda: sorted(package["__all__"])

"""The whole service on this machine: for trying things out without an account, and for tests.

In reading order: a service runs, things go wrong in it on request, it tells what arrived; functions and files are its
agents, and runs of a real service are recorded in a cassette and replayed from it.
"""

from ._injection import Injection
from ._injection import Operation as Operation
from ._local import Extra as Extra
from ._local import LocalService
from ._log import Charge, LoggedRequest, Start

__all__ = ["Charge", "Injection", "LocalService", "LoggedRequest", "Start"]


def __dir__() -> list[str]:
    """List what is exported, without what it was made with."""
    return __all__

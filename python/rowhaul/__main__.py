"""The command line: `rowhaul` and `python -m rowhaul`."""

import signal
import sys
from typing import NoReturn

from . import _core


def main() -> int:
    """Run the command that the process was started with; the result is its exit code."""
    signal.signal(signal.SIGTERM, _end)
    try:
        return _core.main(["rowhaul", *sys.argv[1:]])
    except KeyboardInterrupt:
        return 130  # as a shell reports a program that Ctrl-C ended


def _end(number: int, _: object) -> NoReturn:
    """End as a shell reports a program that a signal ended, after what runs was stopped in good order."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())

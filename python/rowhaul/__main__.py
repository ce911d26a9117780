"""The command line: `rowhaul` and `python -m rowhaul`."""

import sys

from . import _core


def main() -> int:
    """Run the command that the process was started with; the result is its exit code."""
    return _core.main(["rowhaul", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

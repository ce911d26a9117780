"""The command line: `rowhaul` and `python -m rowhaul`."""

import sys

from . import _core


def main() -> int:
    """Run the command that the process was started with; the result is its exit code."""
    try:
        return _core.main(["rowhaul", *sys.argv[1:]])
    except KeyboardInterrupt:
        return 130  # as a shell reports a program that Ctrl-C ended


if __name__ == "__main__":
    sys.exit(main())

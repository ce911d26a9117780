"""`rowhaul` as a program of its own."""

import subprocess
import sys

ROWHAUL = [sys.executable, "-m", "rowhaul"]


def run(*arguments, **options):
    """Run a command to its end; nothing that it should print goes to the terminal."""
    return subprocess.run([*ROWHAUL, *arguments], capture_output=True, text=True, check=False, timeout=50, **options)

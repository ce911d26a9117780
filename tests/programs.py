"""Python programs that tests start."""

import subprocess
import sys
import textwrap


def start(code, *arguments):
    """Start a Python program that says `ready` when it is."""
    command = [sys.executable, "-u", "-c", textwrap.dedent(code), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

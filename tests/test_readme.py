"""What the README says to type works: its Python blocks one after the other, and the service with its question."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import requests

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_block_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = README.read_text(encoding="utf-8")
    names = {"__name__": "__main__"}
    try:
        for block in BLOCKS.finditer(text):
            line = text.count("\n", 0, block.start()) + 2
            code = "\n" * (line - 1) + block[1]
            exec(compile(code, str(README), "exec"), names)
    finally:
        if "service" in names:
            names["service"].stop()
    assert (tmp_path / "events.parquet").exists()
    assert "['eventName', 'eventUrl', 'eventId', 'description'] 50" in capsys.readouterr().out


def test_the_first_block_is_ten_lines():
    first = BLOCKS.search(README.read_text(encoding="utf-8"))
    assert len(first[1].strip().splitlines()) <= 10


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_commands_that_the_readme_names_exist(target):
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    assert f"make {target}" in README.read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.timeout(1200)
def test_the_commands_that_install_it_do_what_they_say(tmp_path):
    blocks = re.findall(r"^```sh\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    commands = next(block for block in blocks if "make demo" in block).strip().splitlines()
    assert [line.split("#")[0].split() for line in commands] == [["make", "demo"], ["pip", "install", "'.[pandas]'"]]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    plain = {**os.environ, "MAKEFLAGS": "", "PATH": path}
    # The second goes into a folder of its own, by the build tools that are here already.
    apart = {**plain, "PIP_TARGET": str(tmp_path), "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1"}
    for command, environment in zip(commands, (plain, apart), strict=True):
        done = subprocess.run(
            command, shell=True, cwd=README.parent, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "make" not in command or "wrote demo.parquet" in done.stdout
    assert (tmp_path / "rowhaul" / "__init__.py").exists()


def test_the_service_started_as_the_readme_says_answers_as_it_says():
    block = next(
        block
        for block in re.findall(r"^```sh\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        if "rowhaul serve" in block
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    serve, ask = block.replace("8080", port).strip().splitlines()
    words = [sys.executable, "-m", *shlex.split(serve)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert port in program.stdout.readline()
            assert shlex.split(ask)[0] == "curl"
            header, address = shlex.split(ask)[2:]
            name, value = header.split(": ")
            answer = requests.get(f"http://{address}", headers={name: value}, timeout=10)
            assert answer.json() == {"usd_remaining": 100}
        finally:
            program.send_signal(signal.SIGINT)

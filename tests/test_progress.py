"""What is shown while one waits."""

import asyncio
import builtins
import errno
import io
import os
import re

import pytest

import rowhaul as rh
from rowhaul._line import Line
from rowhaul._options import decode_options, run_options

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}


def test_a_long_wait_shows_the_jobs_state_when_asked(drive, held, capsys):
    with pytest.raises(rh.errors.JobTimeout):
        drive(held).run("events/events", EVENTS, timeout=1.2, progress=True)
    assert "queued" in capsys.readouterr().err


def test_nothing_is_shown_where_nobody_looks(drive, held, capsys):
    with pytest.raises(rh.errors.JobTimeout):
        drive(held).run("events/events", EVENTS, timeout=1.2)
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    """A stream that a person looks at."""

    def isatty(self):
        return True

    def lines(self):
        """What stood in the line, one after the other."""
        return [line.rstrip() for line in self.getvalue().split("\r")[1:]]


@pytest.fixture
def without_tqdm(monkeypatch):
    def refuse(name, *arguments, **options):
        if name.startswith("tqdm"):
            raise ImportError(name)
        return original(name, *arguments, **options)

    original = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", refuse)


@pytest.mark.usefixtures("without_tqdm")
def test_without_tqdm_there_is_no_line_and_no_error_where_nobody_looks(held, capsys):
    with pytest.raises(rh.errors.JobTimeout):
        held.client().run("events/events", EVENTS, timeout=1.2, progress=True)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("without_tqdm")
def test_without_tqdm_a_terminal_gets_a_plain_line_that_goes_away(drive, held, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with pytest.raises(rh.errors.JobTimeout):
        drive(held).run("events/events", EVENTS, timeout=1.2)
    *shown, cleared, rest = terminal.lines()
    assert any(re.fullmatch(r"queued: asked \d+ times? \[00:0\d\]", line) for line in shown)
    assert (cleared, rest) == ("", "")


@pytest.mark.usefixtures("without_tqdm")
def test_without_tqdm_the_plain_line_of_many_runs_counts_them(drive, held, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with pytest.warns(rh.RowhaulWarning, match="none of 2 runs"):
        drive(held).run_many([("events/events", EVENTS)] * 2, timeout=1.2)
    assert any(line.startswith("0 of 2 runs, 0 rows, 0 failed [") for line in terminal.lines())


@pytest.mark.usefixtures("without_tqdm")
def test_many_that_are_awaited_together_show_one_line_unless_lines_are_asked_for(held, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)

    async def wait(**options):
        async with held.async_client() as client:
            runs = (client.run("events/events", EVENTS, timeout=1.2, **options) for _ in range(5))
            return await asyncio.gather(*runs, return_exceptions=True)

    for options, lines in (({}, 1), ({"progress": True}, 5), ({}, 1)):
        terminal.truncate(0)
        assert {type(outcome) for outcome in asyncio.run(wait(**options))} == {rh.errors.JobTimeout}
        # Each line is cleared once at its end.
        assert terminal.lines().count("") == 2 * lines


@pytest.mark.usefixtures("without_tqdm")
def test_a_line_is_cut_to_the_terminal(held, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("COLUMNS", "12")
    with pytest.raises(rh.errors.JobTimeout):
        held.client().run("events/events", EVENTS, timeout=1.2)
    assert "queued: ask" in terminal.lines()
    assert max(map(len, terminal.lines())) == 11


class GoneTerminal(Terminal):
    """A terminal that was closed while the program went on."""

    tries = 0

    def write(self, _text):
        self.tries += 1
        raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.usefixtures("without_tqdm")
def test_a_run_gives_its_rows_though_the_terminal_is_gone(drive, monkeypatch):
    terminal = GoneTerminal()
    monkeypatch.setattr("rowhaul._line._PATIENCE", 0)
    monkeypatch.setattr("sys.stderr", terminal)
    with rh.LocalService(job_seconds=0.5) as service:
        assert len(drive(service).run("events/events", EVENTS)) == 3
    assert terminal.tries == 1


@pytest.mark.usefixtures("without_tqdm")
def test_a_line_whose_terminal_is_gone_is_taken_away_without_an_error(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("rowhaul._line._PATIENCE", 0)
    monkeypatch.setattr("sys.stderr", terminal)
    line = Line()
    line.draw("queued")
    terminal.close()
    line.close()


def test_a_stream_that_is_closed_is_looked_at_by_nobody(drive, service, monkeypatch):
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stderr", closed)
    assert len(drive(service).run("events/events", EVENTS)) == 3


def test_what_watching_raises_ends_the_wait(held):
    client = held.client()

    def refuse(*_counters):
        raise ZeroDivisionError

    decode = decode_options(parse_dates=False, schema=None, max_columns=None)
    options = run_options(timeout=30, max_cost_usd=None, reuse=None, decode=decode)
    pending = client._core.run("events/events", '{"searchQueries": ["x"]}', options)
    pending.watch(refuse)
    with pytest.raises(ZeroDivisionError):
        pending.wait()

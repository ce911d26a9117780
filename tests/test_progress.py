"""What is shown while one waits."""

import builtins

import pytest

import rowhaul as rh
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


def test_without_tqdm_there_is_no_line_and_no_error(held, capsys, monkeypatch):
    def refuse(name, *arguments, **options):
        if name.startswith("tqdm"):
            raise ImportError(name)
        return original(name, *arguments, **options)

    original = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(rh.errors.JobTimeout):
        held.client().run("events/events", EVENTS, timeout=1.2, progress=True)
    assert capsys.readouterr().err == ""


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

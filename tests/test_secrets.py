"""The key is in the request header and nowhere else."""

import copy
import logging
import pickle
import traceback

import pytest

import rowhaul as rh
from command_line import run

CANARY = "canary-5f2b9d-canary"


@pytest.fixture
def guarded():
    with rh.LocalService(clock="instant", api_key=CANARY) as service:
        yield service


def everything_about(thing):
    """What a program could print of a thing, one level of attributes deep."""
    yield from (repr(thing), str(thing), f"{thing!a}")
    yield str(getattr(thing, "__dict__", ""))
    if hasattr(thing, "_repr_html_"):
        yield thing._repr_html_()
    for name in dir(thing):
        if name != "api_key":
            try:
                value = getattr(thing, name)
            except Exception as error:  # noqa: BLE001
                value = error
            yield f"{value!r} {value!s}"


def test_no_text_of_a_client_job_or_result_holds_the_key(guarded, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    client = rh.Client(guarded.url, CANARY)
    rows = client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 2})
    things = [client, client._core, rh.AsyncClient(guarded.url, CANARY), rows, rows.job, rows.job._core, guarded]
    for thing in things:
        for text in everything_about(thing):
            assert CANARY not in text, type(thing)
    assert CANARY.encode() not in pickle.dumps(rows)
    assert CANARY not in caplog.text + "".join(capfd.readouterr())
    assert CANARY not in str(guarded.requests) + str(guarded.starts)


def test_no_error_holds_the_key_even_with_its_locals(guarded, monkeypatch):
    monkeypatch.delenv("ROWHAUL_BASE_URL", raising=False)
    client = rh.Client(guarded.url, CANARY)
    failures = [
        lambda: client.run("events/none", {}),
        lambda: client.job("none").refresh(),
        lambda: client.run("events/events", {"searchQueries": ["x"]}, max_cost_usd=1),
        lambda: rh.Client(f"http://user:{CANARY}@127.0.0.1:1", "key-123456"),
        lambda: rh.Client(guarded.url + "?key=" + CANARY, CANARY),
        lambda: rh.Client("ftp://example", CANARY),
        lambda: rh.Client(guarded.url, f"Bearer {CANARY}"),
        lambda: rh.Client(api_key=CANARY),
        lambda: rh.Client(guarded.url, CANARY, timeout="long"),
        lambda: rh.AsyncClient(guarded.url, CANARY, ca_file=7),
        lambda: rh.LocalService(api_key=CANARY, host="bad"),
        lambda: rh.LocalService(api_key=CANARY, balance_usd=-1),
        lambda: rh.LocalService(api_key=CANARY, job_seconds="long"),
        lambda: rh.LocalService(api_key=f"{CANARY} {CANARY}"),
        lambda: pickle.dumps(client),
        lambda: copy.deepcopy(client),
    ]
    for fail in failures:
        with pytest.raises(Exception) as caught:
            fail()
        error = caught.value
        frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), capture_locals=True)
        ours = [frame for frame in frames if "rowhaul" in frame.filename and "tests" not in frame.filename]
        assert ours
        assert CANARY not in str([frame.locals for frame in ours]), ours
        assert CANARY not in f"{error} {error!r} {vars(error)}", error


def test_what_is_only_half_made_can_be_looked_at():
    for kind in (rh.Client, rh.AsyncClient, rh.LocalService):
        assert repr(kind.__new__(kind)) == f"{kind.__name__}()"


def test_the_environment_of_a_child_gets_no_key_from_us(guarded):
    import os

    rh.Client(guarded.url, CANARY).balance()
    assert CANARY not in str(os.environ)


def test_the_key_is_in_no_file_and_no_text_of_the_ledger(guarded, ledger):
    client = rh.Client(guarded.url, CANARY, ledger=ledger, keep_rows=True)
    client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 2})
    with pytest.raises(rh.errors.NotFound):
        client.run("events/none", {})
    jobs = client.jobs()
    for thing in (jobs, jobs[0], jobs[0].job, jobs.to_pandas().to_string()):
        for text in everything_about(thing):
            assert CANARY not in text, type(thing)
    files = [file for file in ledger.parent.rglob("*") if file.is_file() and file.stat().st_size]
    assert {file.name for file in files} >= {"ledger.sqlite", "ledger.sqlite-wal"}
    assert any(file.suffix == ".arrow" for file in files)
    assert all(CANARY.encode() not in file.read_bytes() for file in files)


def test_a_listing_shows_no_key_that_was_among_the_parameters(guarded, ledger, monkeypatch):
    client = rh.Client(guarded.url, CANARY, ledger=ledger)
    client.start("events/events", {"searchQueries": [f"x\u202e\u009b {CANARY}"], "maxResults": 2})
    for name, value in {"BASE_URL": guarded.url, "API_KEY": CANARY, "LEDGER": str(ledger)}.items():
        monkeypatch.setenv(f"ROWHAUL_{name}", value)
    for text in (repr(client.jobs()), client.jobs()._repr_html_(), run("jobs").stdout):
        assert "maxResults" in text
        assert not any(word in text for word in (CANARY, "\u202e", "\u009b"))


def test_the_error_of_a_ledger_holds_no_key(guarded, ledger):
    ledger.write_bytes(b"no ledger")
    with pytest.raises(rh.errors.LedgerError) as caught:
        rh.Client(guarded.url, CANARY, ledger=ledger).start("events/events", {"searchQueries": ["x"], "maxResults": 1})
    assert CANARY not in f"{caught.value!r} {vars(caught.value)}"

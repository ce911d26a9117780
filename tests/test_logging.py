"""What the client tells to `logging`."""

import logging
import os
import subprocess
import sys

import pytest

import rowhaul as rh

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}


def told(caplog):
    return [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "rowhaul.client"]


def test_each_request_and_why_one_is_sent_again_is_logged(drive, service, caplog):
    caplog.set_level(logging.DEBUG, logger="rowhaul")
    service.inject("status", rh.faults.Status(503))
    client = drive(service)
    client.start("events/events", EVENTS).refresh()
    start, lost, again, found = told(caplog)
    assert start[0] == lost[0] == found[0] == "DEBUG"
    assert start[1].startswith("POST /api/v1/agents/events/events/run: 202 after ")
    assert lost[1].startswith("GET /api/v1/jobs/")
    assert ": 503 after " in lost[1]
    assert ": 200 after " in found[1]
    assert again[0] == "INFO"
    assert "(status 503)" in again[1]
    assert "; sent again in " in again[1]


def test_what_is_sent_again_is_logged_alone_where_no_more_is_asked_for(drive, service, caplog):
    caplog.set_level(logging.INFO, logger="rowhaul")
    service.inject("balance", rh.faults.Status(429, retry_after=0))
    drive(service).balance()
    ((level, line),) = told(caplog)
    assert (level, "too many requests" in line) == ("INFO", True)


def test_a_wait_is_logged_while_it_goes_on(drive, held, caplog):
    caplog.set_level(logging.DEBUG, logger="rowhaul")
    seen, logger, handler = [], logging.getLogger("rowhaul.client"), logging.Handler()
    handler.emit = lambda _record: seen.append(len(held.requests))
    logger.addHandler(handler)
    job = drive(held).start("events/events", EVENTS)
    with pytest.raises(rh.errors.JobTimeout):
        job.wait(timeout=1.2)
    logger.removeHandler(handler)
    assert len(set(seen)) > 2


def test_the_key_is_not_logged(scripted, ledger, caplog):
    caplog.set_level(logging.DEBUG)
    answers = iter(
        [(503, b'{"message": "no such key: key-123456"}'), (200, b'{"job_id": "j1", "status": "completed"}')]
    )
    scripted.answers["status"] = lambda answer: answer(*next(answers))
    scripted.client(ledger).job("j1").refresh()
    assert "no such key" in caplog.text
    assert "key-123456" not in caplog.text


def test_the_key_is_not_logged_where_it_is_a_jobs_id(scripted, ledger, caplog):
    caplog.set_level(logging.DEBUG)
    scripted.answers["start"] = lambda answer: answer(202, b'{"job_id": "key-123456", "status": "queued"}')
    scripted.answers["status"] = lambda answer: answer(200, b'{"status": "running"}')
    scripted.client(ledger).start("events/events", EVENTS).refresh()
    assert "GET /api/v1/jobs/[redacted]: 200" in caplog.text
    assert "key-123456" not in caplog.text


def test_a_request_that_is_given_up_is_logged(silent, caplog):
    caplog.set_level(logging.DEBUG)
    address, _ = silent
    with pytest.raises(rh.errors.StartUncertain):
        rh.Client(address, "key-123456", ledger=False, request_timeout=0.2).start("events/events", EVENTS)
    assert "POST /api/v1/agents/events/events/run: given up after " in caplog.text


def test_a_handler_that_fails_takes_no_rows_with_it(drive, service, ledger):
    handler, logger = logging.Handler(), logging.getLogger("rowhaul.client")
    handler.emit = lambda _record: 1 / 0
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        client = drive(service, ledger=ledger)
        rows = client.run("events/events", EVENTS)
        assert (len(rows), client.jobs()[0].is_unfetched) == (3, False)
    finally:
        logger.setLevel(logging.NOTSET)
        logger.removeHandler(handler)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_logs_its_own_lines_alone(service, caplog):
    caplog.set_level(logging.DEBUG)
    client = service.client(ledger=False)
    rh._core.log_from(logging.DEBUG)
    client.balance()
    child = os.fork()
    if child == 0:
        # What the parent holds is not the child's to log.
        os._exit(len(rh._core.logged()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_nothing_is_held_where_nobody_listens(service):
    code = """
        import logging, sys
        import rowhaul as rh
        client = rh.Client(sys.argv[1], sys.argv[2], ledger=False)
        client.balance()
        assert rh._core.logged() == []
        logging.basicConfig(level=logging.DEBUG)
        client.balance()
    """
    lines = "\n".join(line.strip() for line in code.splitlines())
    words = [sys.executable, "-c", lines, service.url, service.api_key]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("DEBUG:rowhaul.client:GET /api/v1/balance: 200 after ")

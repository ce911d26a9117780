"""Many runs that are given up before their end, by a closed iterator, a cancellation, an interrupt or a fork."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time

import pytest

import rowhaul as rh


class Interrupt(BaseException):
    """Stands for Ctrl-C, which event loops treat in their own way."""


def events(query, rows=5):
    return rh.Request("events/events", {"searchQueries": [query], "maxResults": rows})


def is_polled(service):
    """Whether a service was asked for its jobs, so that runs are under way there."""
    return any(request.method == "GET" and request.path.split("?")[0].endswith("/jobs") for request in service.requests)


def in_a_process(code, service, *more):
    """Run a program that is told of a service: a fork of the test's own process would take its threads' locks with it."""
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code), service.url, service.api_key, *more]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)


def test_the_iterator_that_is_closed_early_names_the_jobs_that_go_on(drive, held):
    outcomes = drive(held).iter_many([events("a"), events("b"), events("c")], concurrency=2, timeout=0.3)
    assert isinstance(next(outcomes).error, rh.errors.JobTimeout)
    with pytest.warns(rh.JobsLeftRunning) as caught:
        outcomes.close()
    left = str(caught[0].message)
    assert any(start.job_id in left for start in held.starts)


def test_the_warning_of_jobs_that_go_on_names_the_line_that_closes_the_iterator(held):
    outcomes = held.client().iter_many([events("a"), events("b")], concurrency=2, timeout=0.3)
    next(outcomes)
    with pytest.warns(rh.JobsLeftRunning) as caught:
        outcomes.close()
    assert caught[0].filename == __file__


def test_the_warning_of_jobs_that_go_on_names_the_line_that_left_the_block(held):
    async def left():
        client = held.async_client()
        async with contextlib.aclosing(
            client.iter_many([events("a"), events("b")], concurrency=2, timeout=0.3)
        ) as outcomes:
            await anext(outcomes)

    with pytest.warns(rh.JobsLeftRunning) as caught:
        asyncio.run(left())
    assert caught[0].filename == __file__


def test_cancelling_many_runs_names_their_jobs(held):
    async def cancelled():
        client = held.async_client()
        waiting = asyncio.create_task(client.run_many([events("a"), events("b")]))
        while not is_polled(held):
            await client.balance()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await waiting
        return caught.value.__notes__

    (note,) = asyncio.run(cancelled())
    assert all(start.job_id in note for start in held.starts)


def test_ctrl_c_ends_many_runs_at_once_and_names_their_jobs(held):
    code = """
        import sys, rowhaul as rh
        client = rh.Client(sys.argv[1], sys.argv[2])
        requests = (("events/events", {"searchQueries": [f"q{n}"], "maxResults": 1}) for n in range(1000))
        try:
            client.run_many(requests, concurrency=3)
        except KeyboardInterrupt as interrupt:
            print(interrupt.__notes__, flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), held.url, held.api_key]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        while not is_polled(held):
            assert program.poll() is None
        since = time.monotonic()
        program.send_signal(signal.SIGINT)
        printed = program.stdout.readline()
        answered = time.monotonic() - since
        assert program.wait(timeout=20) == 0
    assert answered < 10, "200 ms on a machine that does nothing else"
    assert len(held.starts) == 3
    assert all(start.job_id in printed for start in held.starts)


def test_an_interrupt_carries_away_what_had_ended(drive, service):
    def requests():
        yield events("a")
        yield events("b")
        raise Interrupt

    with pytest.raises(Interrupt) as caught:
        drive(service).run_many(requests(), concurrency=1)
    assert len(caught.value.haul.rows) == 10
    assert any("2 runs had ended" in note for note in caught.value.__notes__)


def test_an_interrupt_before_anything_has_ended_carries_away_an_empty_haul(drive, service):
    def requests():
        raise Interrupt
        yield

    with pytest.raises(Interrupt) as caught:
        drive(service).run_many(requests())
    assert len(caught.value.haul) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_leaves_its_parents_runs_alone(held):
    code = """
        import gc, os, sys, rowhaul as rh
        client = rh.Client(sys.argv[1], sys.argv[2])
        requests = [("events/events", {"searchQueries": ["x"], "maxResults": 1})] * 3
        outcomes = client.iter_many(requests, concurrency=2, timeout=0.3)
        next(outcomes)
        child = os.fork()
        if child == 0:
            try:
                next(outcomes)
            except rh.errors.ConfigError as error:
                print(error)
            del outcomes
            gc.collect()
            print("the child ends")
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
        print(len(list(outcomes)))
    """
    done = in_a_process(code, held)
    told, ends, rest = done.stdout.splitlines()
    assert "before a fork" in told
    assert (ends, rest) == ("the child ends", "2")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_does_not_spend_its_parents_cap_again(held):
    code = """
        import os, sys, rowhaul as rh
        job = ("events/events", {"searchQueries": ["x"], "maxResults": 1})
        client = rh.Client(sys.argv[1], sys.argv[2], max_cost_usd="0.01")
        client.start(*job)
        child = os.fork()
        if child == 0:
            for start in (client.start, client.run, lambda *job: client.run_many([job]), lambda *job: client.iter_many([job])):
                try:
                    start(*job)
                except rh.errors.ConfigError as error:
                    print(error)
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
    """
    done = in_a_process(code, held)
    assert done.stdout.count("make a client in this process") == 4, done
    assert len(held.starts) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_leaves_what_its_parent_resumes_alone(held):
    code = """
        import os, sys, rowhaul as rh
        client = rh.Client(sys.argv[1], sys.argv[2], ledger=sys.argv[3])
        for _ in range(3):
            client.start("events/events", {"searchQueries": ["x"], "maxResults": 1})
        outcomes = client.resume(timeout=0.3)
        next(outcomes)
        child = os.fork()
        if child == 0:
            try:
                next(outcomes)
            except rh.errors.ConfigError as error:
                print(error)
            print("the child resumes", len(list(client.resume(timeout=0.3))))
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
        print("the parent goes on with", len(list(outcomes)))
    """
    with tempfile.TemporaryDirectory() as folder:
        done = in_a_process(code, held, f"{folder}/ledger.sqlite")
    told, child, parent = done.stdout.splitlines()
    assert "before a fork" in told
    assert (child, parent) == ("the child resumes 3", "the parent goes on with 2")
    assert len(held.starts) == 3


@pytest.mark.parametrize("ticks", range(6))
def test_an_outcome_that_came_while_its_await_was_cancelled_is_handed_over_or_named(service, ticks):
    async def given_up():
        async with service.async_client() as client:
            outcomes = client.iter_many([events(f"q{n}") for n in range(3)], concurrency=3)
            taken = [(await anext(outcomes)).job_id]
            while len(await client.jobs("completed")) < 3:
                pass
            waiting = asyncio.ensure_future(anext(outcomes))
            for _ in range(ticks):
                await asyncio.sleep(0)
            waiting.cancel()
            try:
                taken.append((await waiting).job_id)
            except asyncio.CancelledError as cancelled:
                return taken, str(cancelled.__notes__)
            with pytest.warns(rh.JobsLeftRunning) as caught:
                await outcomes.aclose()
            assert caught[0].filename == __file__
            return taken, str(caught[0].message)

    taken, told = asyncio.run(given_up())
    assert all((start.job_id in taken) != (start.job_id in told) for start in service.starts), (taken, told)


@pytest.mark.parametrize("ticks", range(1, 6))
def test_a_job_that_was_resumed_while_its_await_was_cancelled_is_resumed_again(service, ticks):
    async def given_up():
        async with service.async_client() as client:
            ids = {(await client.start(events("jazz"))).id for _ in range(2)}
            outcomes = client.resume()
            taken = {(await anext(outcomes)).job_id}
            waiting = asyncio.ensure_future(anext(outcomes))
            for _ in range(ticks):
                await asyncio.sleep(0)
            waiting.cancel()
            told = None
            try:
                taken.add((await waiting).job_id)
            except asyncio.CancelledError as cancelled:
                told = str(cancelled.__notes__)
            return ids, taken, {outcome.job_id async for outcome in client.resume()}, told

    ids, taken, again, told = asyncio.run(given_up())
    assert (taken | again, taken & again) == (ids, set())
    assert told is None or "client.resume()" in told

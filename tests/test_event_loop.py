"""The async client in event loops: running, cancelled, two of them, many at once."""

import asyncio
import gc
import os
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import rowhaul as rh

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}


class Timeless(asyncio.SelectorEventLoop):
    """A loop whose timers wait to be called."""

    def __init__(self):
        super().__init__()
        self.timers = []

    def call_later(self, _delay, callback, *_args, **_options):
        self.timers.append(callback)


class Unwatching(asyncio.SelectorEventLoop):
    """A loop that watches no sockets but its own, as that of Windows."""

    def add_reader(self, _fd, _callback, *_args):
        raise NotImplementedError


class Counting(asyncio.SelectorEventLoop):
    """A loop that counts what it is given to watch."""

    watched = 0

    def add_reader(self, fd, callback, *args):
        self.watched += 1
        self.watching = fd
        super().add_reader(fd, callback, *args)


def files_open():
    return len(list(Path("/dev/fd").iterdir()))


on_unix = pytest.mark.skipif(sys.platform == "win32", reason="loops watch no sockets of others here")


def test_the_blocking_client_works_inside_a_running_loop(service):
    async def as_in_a_notebook():
        return len(service.client().run("events/events", EVENTS))

    assert asyncio.run(as_in_a_notebook()) == 3


def test_fifty_runs_at_once_share_one_client(service):
    async def runs():
        async with service.async_client() as client:
            return await asyncio.gather(*(client.run("events/events", EVENTS) for _ in range(50)))

    assert [len(rows) for rows in asyncio.run(runs())] == [3] * 50
    assert len(service.starts) == 50


def test_one_client_serves_one_loop_after_the_other(service):
    client = service.async_client()
    assert asyncio.run(client.balance()) == asyncio.run(client.balance()) == 100


def test_answers_that_come_together_reach_each_its_own_loop_and_task(service):
    client = service.async_client()

    def in_a_loop_of_its_own(_):
        async def many():
            asked = [client.balance() for _ in range(30)]
            return await asyncio.gather(*asked, client.job("nowhere").refresh(), return_exceptions=True)

        return asyncio.run(many())

    with ThreadPoolExecutor(3) as pool:
        for *balances, missing in pool.map(in_a_loop_of_its_own, range(3)):
            assert balances == [100] * 30
            assert isinstance(missing, rh.errors.NotFound)


def test_a_loop_that_watches_no_sockets_hears_answers_too(service):
    client = service.async_client()

    async def many():
        asked = [client.balance() for _ in range(30)]
        return await asyncio.gather(*asked, client.job("nowhere").refresh(), return_exceptions=True)

    with asyncio.Runner(loop_factory=Unwatching) as runner:
        for _ in range(3):
            *balances, missing = runner.run(many())
            assert balances == [100] * 30
            assert isinstance(missing, rh.errors.NotFound)


@on_unix
def test_loops_that_take_turns_watch_one_socket_each_and_close_it_with_themselves(service):
    client = service.async_client()
    asyncio.run(client.balance())
    gc.collect()
    before = files_open()
    with asyncio.Runner(loop_factory=Counting) as one, asyncio.Runner(loop_factory=Counting) as other:
        for runner in (one, other) * 5:
            assert runner.run(client.balance()) == 100
        assert (one.get_loop().watched, other.get_loop().watched) == (1, 1)
    del one, other, runner
    gc.collect()
    assert files_open() == before


@on_unix
def test_a_loop_that_runs_in_many_threads_watches_one_socket(service):
    client = service.async_client()
    with asyncio.Runner(loop_factory=Counting) as runner:
        loop = runner.get_loop()
        for _ in range(20):
            with ThreadPoolExecutor(1) as thread:
                assert thread.submit(loop.run_until_complete, client.balance()).result() == 100
        assert loop.watched == 1


@on_unix
def test_a_loop_that_is_told_to_watch_no_more_hears_answers_too(service):
    async def asked():
        loop = asyncio.get_running_loop()
        asked = [asyncio.ensure_future(client.balance()) for _ in range(3)]
        await asyncio.sleep(0)
        loop.remove_reader(loop.watching)
        return await asyncio.wait_for(asyncio.gather(*asked, client.balance()), 60)

    client = service.async_client()
    with asyncio.Runner(loop_factory=Counting) as runner:
        assert runner.run(asked()) == [100] * 4


def test_thousands_of_loops_one_after_the_other_hear_each_its_own_answers(service):
    client = service.async_client()

    async def soon():
        return await asyncio.wait_for(client.balance(), 60)

    for _ in range(2000):
        assert asyncio.run(soon()) == 100


@on_unix
def test_where_no_more_files_can_be_opened_a_loop_hears_answers_too(service):
    resource = pytest.importorskip("resource")
    client = service.async_client()
    asyncio.run(client.balance())
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with asyncio.Runner(loop_factory=Counting) as runner:
        assert runner.get_loop().watched == 0
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
        try:
            # Over the connection that is open.
            assert runner.run(client.balance()) == 100
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert runner.get_loop().watched == 0


@on_unix
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_loop_that_a_fork_left_behind_hears_what_is_its_own(service):
    client = service.async_client()
    with asyncio.Runner(loop_factory=Counting) as runner:
        runner.run(client.balance())
        child = os.fork()
        if child == 0:
            try:
                balances = [runner.run(service.async_client(ledger=False).balance()) for _ in range(50)]
                os._exit(balances != [100] * 50)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert runner.run(client.balance()) == 100


def test_other_tasks_go_on_while_one_waits(held):
    async def both():
        client = held.async_client()
        waiting = asyncio.create_task(client.run("events/events", EVENTS))
        while not held.starts:
            await client.balance()
        assert not waiting.done()
        held.advance(60)
        return await waiting

    assert len(asyncio.run(both())) == 3


def test_cancelling_a_task_cancels_its_work_and_tells_the_job(held):
    async def cancelled():
        client = held.async_client()
        waiting = asyncio.create_task(client.run("events/events", EVENTS))
        while not [request for request in held.requests if request.method == "GET" and "/jobs/" in request.path]:
            await client.balance()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await waiting
        return caught.value.__notes__

    (note,) = asyncio.run(cancelled())
    assert held.starts[0].job_id in note


def test_cancelling_a_start_on_its_way_says_that_it_may_be_billed(silent):
    url, taken = silent

    async def cancelled():
        starting = asyncio.create_task(rh.AsyncClient(url, "key-123456").start("events/events", EVENTS))
        await asyncio.to_thread(taken.wait)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await starting
        return caught.value.__notes__

    (note,) = asyncio.run(cancelled())
    assert "may have been started" in note


def test_a_deadline_of_asyncio_ends_the_wait(held):
    async def limited():
        async with asyncio.timeout(0.2):
            await held.async_client().run("events/events", EVENTS)

    with pytest.raises(TimeoutError):
        asyncio.run(limited())


def test_methods_are_coroutines_that_do_nothing_until_awaited(service):
    coroutine = service.async_client().start("events/events", EVENTS)
    assert asyncio.iscoroutine(coroutine)
    coroutine.close()
    assert service.starts == []


def test_errors_are_raised_where_it_is_awaited(service):
    async def wrong_key():
        await rh.AsyncClient(service.url, "some-other-key").balance()

    with pytest.raises(rh.errors.AuthenticationError):
        asyncio.run(wrong_key())


def test_a_loop_that_is_closed_in_between_leaves_the_client_usable(held):
    client = held.async_client()
    loop = asyncio.new_event_loop()
    task = loop.create_task(client.run("events/events", EVENTS))
    while not held.starts:
        loop.run_until_complete(client.balance())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(task)
    loop.close()
    assert asyncio.run(client.balance()) == 100


def test_a_loop_that_is_closed_is_not_kept_by_what_was_awaited_there(held):
    client = held.async_client()

    async def wait():
        started.append(await client.start("events/events", EVENTS))
        await started[0].wait()

    loop, started = asyncio.SelectorEventLoop(), []
    task = loop.create_task(wait())
    while not started:
        loop.run_until_complete(asyncio.sleep(0.001))
    closed, task._log_destroy_pending = weakref.ref(loop), False
    loop.close()
    del loop, task
    for _ in range(1000):
        gc.collect()
        if closed() is None:
            break
        assert held.client().balance() == 100
    assert closed() is None


def test_all_that_wait_on_a_loop_share_a_timer_that_ends_with_them(held):
    async def runs(timers):
        client = held.async_client()
        waiting = [asyncio.create_task(client.run("events/events", EVENTS, progress=False)) for _ in range(20)]
        while len(held.starts) < len(waiting):
            await client.balance()
        (beat,) = timers
        beat()
        assert timers == [beat, beat]
        held.advance(60)
        await asyncio.gather(*waiting)
        timers.clear()
        beat()
        assert timers == []

    with asyncio.Runner(loop_factory=Timeless) as runner:
        runner.run(runs(runner.get_loop().timers))


def test_each_loop_has_a_timer_of_its_own(service):
    client = service.async_client()
    with asyncio.Runner(loop_factory=Timeless) as one, asyncio.Runner(loop_factory=Timeless) as other:
        for runner in (one, one, other, one):
            runner.run(client.balance())
        assert (len(one.get_loop().timers), len(other.get_loop().timers)) == (2, 1)
    with asyncio.Runner(loop_factory=Timeless) as later:
        later.run(client.balance())
        assert len(later.get_loop().timers) == 1


def test_what_is_given_up_is_drawn_no_more(held):
    async def closed(timers):
        run = held.async_client().run("events/events", EVENTS, progress=True)
        run.send(None)
        (beat,) = timers
        beat()
        assert timers == [beat, beat]
        run.close()
        timers.clear()
        beat()
        assert timers == []

    with asyncio.Runner(loop_factory=Timeless) as runner:
        runner.run(closed(runner.get_loop().timers))

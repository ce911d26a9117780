"""Many runs at once: one table, one cap, one failure at a time."""

import asyncio
import itertools
import pickle
import threading
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

import rowhaul as rh

OPEN = rh.Request("events/events", {"searchQueries": ["jazz"]})


def events(query, rows=5):
    return rh.Request("events/events", {"searchQueries": [query], "maxResults": rows})


def kinds(service):
    """Count what a service was asked, by kind."""

    def kind(request):
        if request.method == "POST":
            return "start"
        last = request.path.split("?")[0].rsplit("/", 1)[-1]
        return {"jobs": "list", "results": "results", "balance": "balance"}.get(last, "other")

    return Counter(kind(request) for request in service.requests)


def test_many_runs_are_one_table_in_the_order_of_the_requests(client):
    queries = [f"q{number}" for number in range(20)]
    haul = client.run_many([events(query) for query in queries], concurrency=7)
    assert len(haul) == 20
    assert haul.failures == ()
    named = [name for name in haul.rows.columns[29:] if set(queries) == set(haul.rows[name])]
    assert haul.rows[named[0]].to_list() == [query for query in queries for _ in range(5)]
    assert haul.rows.to_dicts() == rh.concat([outcome.rows for outcome in haul.outcomes]).to_dicts()
    assert haul.cost_usd == Decimal(1)
    assert repr(haul) == "Haul(20 runs, 0 failed, 100 rows, 1.00 USD)"
    assert haul.raise_first() is haul


def test_requests_are_pairs_as_well_and_taken_only_as_there_is_room(client):
    taken = []

    def endless():
        for number in itertools.count():
            taken.append(number)
            yield "events/events", {"searchQueries": [f"q{number}"], "maxResults": 2}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rh.JobsLeftRunning)
        outcomes = client.iter_many(endless(), concurrency=3)
        first = list(itertools.islice(outcomes, 10))
        outcomes.close()
    assert all(outcome.ok and len(outcome.rows) == 2 for outcome in first)
    assert len(taken) <= 13


@pytest.mark.parametrize("single", ["events/events", OPEN, {"agent": "events/events"}])
def test_a_single_request_is_not_taken_for_many(client, single):
    with pytest.raises(TypeError, match="put a single one into a list"):
        client.run_many(single)


NO_REQUESTS = [
    (
        ("events/events", {"searchQueries": ["a"], "maxResults": 1}, 3),
        "request, or an agent's name and its parameters, not 3 values",
    ),
    (("events/events", "x"), "parameters are a mapping, not str"),
    (("events/events",), "not 1 value"),
    ((1, {}), "named by a string, `group/slug`, not by int"),
    (None, "named by a string, `group/slug`, not by NoneType"),
]


@pytest.mark.parametrize(("wrong", "message"), NO_REQUESTS)
def test_a_list_with_what_is_no_request_is_refused_before_anything_is_started(service, wrong, message):
    with pytest.raises(TypeError, match=f"request 6: .*{message}"):
        service.client().run_many([events("a")] * 6 + [wrong, events("b")], concurrency=2)
    assert service.starts == []


@pytest.mark.parametrize(("wrong", "message"), NO_REQUESTS)
def test_what_is_no_request_among_those_that_come_one_by_one_stops_no_other(client, wrong, message):
    haul = client.run_many(iter([events("a"), events("b"), wrong, events("c")]), concurrency=2)
    assert [outcome.ok for outcome in haul] == [True, True, False, True]
    [failure] = haul.failures
    assert (failure.request, failure.cost_usd, failure.number) == (None, 0, 2)
    with pytest.raises(rh.errors.InvalidParams, match=f"request 2: .*{message}"):
        raise failure.error


def test_an_async_iterable_of_requests_is_to_be_collected_first(client):
    async def requests():
        yield events("a")

    with pytest.raises(TypeError, match="collect an async one"):
        client.run_many(requests())


def test_no_requests_bring_no_rows(client):
    haul = client.run_many([])
    assert (len(haul), len(haul.rows), haul.cost_usd) == (0, 0, 0)
    assert list(client.iter_many(iter(()))) == []


def test_one_that_fails_stops_no_other(client):
    wrong = rh.Request("nobody/knows-this", {"x": 1})
    haul = client.run_many([events("a"), wrong, ("events/events", {"maxResults": -1}), events("b")])
    assert [outcome.ok for outcome in haul] == [True, False, False, True]
    assert [outcome.request for outcome in haul.failures] == [wrong, None]
    assert [type(outcome.error) for outcome in haul.failures] == [rh.errors.NotFound, rh.errors.InvalidParams]
    assert len(haul.rows) == 10
    assert haul.cost_usd == Decimal("0.1")
    with pytest.raises(rh.errors.NotFound):
        haul.raise_first()


def test_an_outcome_has_its_request_its_job_and_its_rows(client):
    (outcome,) = client.iter_many([events("jazz")])
    assert outcome.request == events("jazz")
    assert outcome.job.status == "completed"
    assert outcome.rows.job is outcome.job
    assert (outcome.job_id, outcome.cost_usd, outcome.error) == (outcome.job.id, Decimal("0.05"), None)
    with pytest.raises(AttributeError):
        outcome.rows = None


def test_outcomes_and_hauls_pickle(client):
    haul = client.run_many([events("jazz"), ("nobody/knows", {})])
    twin = pickle.loads(pickle.dumps(haul))
    assert repr(twin) == repr(haul)
    assert twin.rows.to_dicts() == haul.rows.to_dicts()
    assert [outcome.job for outcome in twin] == [None, None]
    assert [outcome.job_id for outcome in twin] == [outcome.job_id for outcome in haul]
    assert str(twin.failures[0].error) == str(haul.failures[0].error)


def test_equal_requests_are_run_each(client, service):
    haul = client.run_many([events("jazz")] * 3)
    assert len(service.starts) == len(haul) == 3


def test_decoding_is_told_as_for_one_run(client):
    haul = client.run_many([events("a"), events("b")], parse_dates=["startDate"])
    assert haul.rows.schema["startDate"].startswith("timestamp")


def test_one_cap_holds_for_all_and_the_rest_is_refused(client, service):
    haul = client.run_many([events(f"q{number}") for number in range(12)], max_cost_usd="0.52")
    assert len(service.starts) == 10
    assert haul.cost_usd == sum(charge.amount_usd for charge in service.charges) == Decimal("0.5")
    assert {type(outcome.error) for outcome in haul.failures} == {rh.errors.BudgetExceeded}
    assert len(haul.failures) == 2


def test_an_unbounded_one_is_refused_under_a_cap_with_what_to_set(client, service):
    (failure,) = client.run_many([OPEN, events("jazz")], max_cost_usd=5).failures
    assert failure.request == OPEN
    assert "maxResults" in failure.error.hint
    assert len(service.starts) == 1


def test_an_unbounded_run_without_a_cap_works_and_says_so_once(drive, service):
    client = drive(service)
    with pytest.warns(rh.UnboundedCost, match="maxResults"):
        assert len(client.run(OPEN)) > 0
    client.run(OPEN)
    client.run_many([OPEN])
    with pytest.warns(rh.UnboundedCost):
        drive(service).run_many([OPEN])


@pytest.mark.parametrize(
    "run",
    [
        lambda client: client.run(OPEN),
        lambda client: client.start(OPEN),
        lambda client: client.run_many([OPEN]),
        lambda client: next(client.iter_many([OPEN])),
    ],
    ids=["run", "start", "run_many", "iter_many"],
)
def test_the_warning_of_an_unbounded_run_names_the_line_that_runs_it(service, run):
    client = service.client()
    with pytest.warns(rh.UnboundedCost) as caught:
        run(client)
    assert (caught[0].filename, caught[0].lineno) == (__file__, run.__code__.co_firstlineno)


def test_the_warning_of_an_unbounded_run_names_the_line_that_awaits_it(service):
    async def run():
        async with service.async_client() as client:
            await client.run_many([OPEN])
        async with service.async_client() as client:
            async for _ in client.iter_many([OPEN]):
                pass

    with pytest.warns(rh.UnboundedCost) as caught:
        asyncio.run(run())
    first = run.__code__.co_firstlineno
    assert [(told.filename, told.lineno - first) for told in caught] == [(__file__, 2), (__file__, 4)]


def test_under_the_clients_cap_an_unbounded_start_is_refused(drive, service):
    client = drive(service, max_cost_usd=Decimal("0.07"))
    with pytest.raises(rh.errors.BudgetExceeded, match="any number"):
        client.start(OPEN)
    client.start(events("jazz"))
    with pytest.raises(rh.errors.BudgetExceeded, match="neither spent nor held"):
        client.start(events("jazz"))
    assert len(service.starts) == 1


def test_a_start_has_a_cap_of_its_own(client, service):
    with pytest.raises(rh.errors.BudgetExceeded):
        client.start(events("jazz"), max_cost_usd="0.0499")
    assert client.start(events("jazz"), max_cost_usd="0.05").id == service.starts[0].job_id


@pytest.mark.parametrize("amount", ["-1", "much", float("nan")])
def test_a_cap_that_is_no_amount_is_refused(service, amount):
    with pytest.raises(rh.errors.ConfigError, match="max_cost_usd"):
        service.client(max_cost_usd=amount)
    with pytest.raises(rh.errors.ConfigError, match="max_cost_usd"):
        service.client().iter_many([], max_cost_usd=amount)


def test_no_runs_at_a_time_are_too_few(client):
    with pytest.raises(rh.errors.ConfigError, match="concurrency"):
        client.iter_many([], concurrency=0)


def test_sixty_four_threads_under_one_cap_start_no_more_than_it_allows(service):
    client = service.client(max_cost_usd="0.333")

    def run(number):
        try:
            return len(client.run(events(f"q{number}", 1)))
        except rh.errors.BudgetExceeded:
            return 0

    with ThreadPoolExecutor(64) as pool:
        rows = sum(pool.map(run, range(64)))
    spent = sum(charge.amount_usd for charge in service.charges)
    assert spent == Decimal(rows) / 100 <= Decimal("0.333")
    assert len(service.starts) == rows <= 33


def test_an_empty_account_tells_what_is_needed_and_what_there_is(drive):
    none = pytest.warns(rh.RowhaulWarning, match="none of 1 run brought rows")
    with rh.LocalService(clock="instant", balance_usd="0.03") as service, none:
        (failure,) = drive(service).run_many([events("jazz")]).failures
    assert isinstance(failure.error, rh.errors.InsufficientBalance)
    assert "0.05" in str(failure.error)
    assert "0.03" in str(failure.error)


def test_a_wrong_key_starts_nothing_and_every_request_is_among_the_failures(service):
    with pytest.warns(
        rh.RowhaulWarning, match="none of 30 runs brought rows; the first failed with AuthenticationError"
    ):
        haul = rh.Client(service.url, "some-other-key").run_many([events(f"q{n}") for n in range(30)], concurrency=2)
    assert len(haul.failures) == 30
    assert {type(outcome.error) for outcome in haul} == {rh.errors.AuthenticationError}
    assert "not started" in str(haul.outcomes[-1].error)
    assert haul.cost_usd == 0
    assert kinds(service)["start"] < 30


def test_twenty_jobs_within_a_limit_of_sixty_a_minute_need_few_polls(drive):
    with rh.LocalService(clock="manual", requests_per_minute=60) as service:

        def turn():
            while len(service.starts) < 20:
                if over.wait(0.001):
                    return
            while not kinds(service)["list"]:
                if over.wait(0.001):
                    return
            service.advance(30)

        over = threading.Event()
        turner = threading.Thread(target=turn)
        turner.start()
        try:
            haul = drive(service).run_many([events(f"q{number}", 2) for number in range(20)], concurrency=20)
        finally:
            over.set()
            turner.join()
        asked = kinds(service)
    assert haul.failures == ()
    assert (asked["start"], asked["results"]) == (20, 20)
    assert asked["list"] + asked["other"] <= 15, asked


def test_what_the_requests_raise_ends_the_call(held):
    def requests():
        yield events("a")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        held.client().run_many(requests())


def test_one_line_shows_how_many_have_ended(drive, service, capsys, monkeypatch):
    monkeypatch.setattr("rowhaul._line._PATIENCE", 0)
    drive(service).run_many([events("a"), events("b")], progress=True)
    shown = capsys.readouterr().err
    assert "2/2" in shown
    assert "10 rows, 0 failed" in shown


def test_a_job_that_failed_has_cost_what_its_outcome_and_the_ledger_say(service, client):
    service.inject("run", rh.faults.Fail("blocked"))
    with pytest.warns(rh.RowhaulWarning):
        (failure,) = client.run_many([events("jazz")]).failures
    assert (failure.cost_usd, failure.job.cost_usd, client.jobs()[0].cost_usd) == (0, 0, 0)

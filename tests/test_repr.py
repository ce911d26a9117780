"""How values look, at a prompt and in a notebook."""

import asyncio
import re

import pytest

import rowhaul as rh

EVENTS = {"searchQueries": ["jazz"], "maxResults": 3}
ROWS = rh.read_json(b'[{"n": 1, "s": "a"}, {"n": 2, "s": "b"}, {"n": 3, "s": "c"}, {"n": null, "s": null}]')


def test_a_repr_is_short_and_names_the_columns():
    assert repr(ROWS) == "Rows(4 rows × 2 columns: n, s)"
    assert str(ROWS).splitlines()[0].split() == ["n", "s"]
    assert str(ROWS).endswith("4 rows")
    assert repr(rh.read_json(b'[{"n": 1}, {"n": "x"}]')) == "Rows(2 rows × 1 column: n; 1 note)"
    assert repr(ROWS["n"]) == "Column('n', int64, 4 values)"
    assert repr(ROWS.schema) == "Schema(n: int64, s: string)"


def test_html_is_escaped_and_shows_types_and_notes():
    html = rh.read_json(b'[{"<b>": "<script>", "m": 1}, {"m": "x"}]')._repr_html_()
    assert "<script>" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;" in html
    assert "string" in html
    assert "1 note" in html


def test_html_shows_whole_numbers_without_a_fraction():
    html = rh.read_json(b'[{"going": 142.0, "version": "142.0"}, {"going": 1.5}]')._repr_html_()
    assert "<td>142</td><td>142.0</td>" in html
    assert "<td>1.5</td>" in html


def test_jobs_agents_and_estimates_have_html(client, service):
    rows = client.run("events/events", EVENTS)
    assert "3 rows × 30 columns" in rows._repr_html_()
    assert rows.job.id in rows.job._repr_html_()
    agent = client.agent("events/events")
    assert "10 USD for 1000 events" in agent._repr_html_()
    assert "searchQueries" in agent._repr_html_()
    estimate = client.estimate("events/events", {"searchQueries": ["jazz"]})
    assert "unbounded" in estimate._repr_html_()
    assert service.api_key not in rows._repr_html_() + rows.job._repr_html_()


def test_a_printed_table_fits_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    rows = rh.read_json(
        b"[" + b",".join([b'{"a": "%s", "b": "%s", "c": 1, "d": null}' % (b"x" * 90, b"y" * 20)] * 30) + b"]"
    )
    lines = str(rows).splitlines()
    assert len(lines) == 13
    assert max(map(len, lines)) <= 40
    assert lines[-1] == "10 of 30 rows, 3 more columns"
    assert str(rh.read_json(b'[{"a": 1}, {"a": "x"}]')).splitlines()[-1] == "2 rows, 1 note"


def test_a_printed_table_shows_moments_and_nested_values_as_files_have_them():
    rows = rh.read_json(
        b'[{"at": "2026-11-01T10:00:00.5+02:00", "of": {"a": [1]}, "x": 2.0}, {"at": null}]', parse_dates=True
    )
    assert str(rows).splitlines()[2:4] == [
        '2026-11-01T08:00:00.500Z  {"a":[1]}  2',
        "–                         –          –",
    ]


def test_moments_are_shown_to_the_nanosecond():
    rows = rh.read_json(b'[{"at": "2026-11-01T10:00:00.123456789+02:00"}]', parse_dates=True)
    assert "2026-11-01T08:00:00.123456789Z" in str(rows)
    assert "2026-11-01T08:00:00.123456789Z" in rows._repr_html_()


def test_one_of_something_is_not_many():
    one = rh.read_json(b'[{"a": 1}]')
    assert repr(one) == "Rows(1 row × 1 column: a)"
    assert repr(one["a"]) == "Column('a', int64, 1 value)"
    assert "1 row × 1 column" in one._repr_html_()


def test_the_list_of_agents_reads_as_one(client):
    agents = client.agents()
    assert agents == list(agents)
    assert repr(agents).splitlines()[0] == "9 agents"
    assert re.search(r"^events/events +Events by keyword", repr(agents), re.MULTILINE)
    assert "<code>events/events</code></td><td>10</td>" in agents._repr_html_()


def test_outcomes_read_as_a_list_and_only_the_first_of_many_are_shown(client):
    with pytest.warns(rh.RowhaulWarning, match="none of 25 runs brought rows; the first failed with NotFound"):
        haul = client.run_many([("nobody/knows", {})] * 25)
    lines = repr(haul.failures).splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("25 outcomes", "… 5 more", 22)
    assert "25 outcomes; the first 10 shown" in haul.failures._repr_html_()
    assert haul.outcomes == tuple(haul)


def test_a_stream_says_what_is_in_it(service):
    job = service.client().run("events/events", EVENTS).job
    assert repr(job.stream()).startswith("Stream(3 rows × 30 columns: eventName, ")


def test_notes_read_as_a_list():
    notes = rh.read_json(b'[{"m": 1}, {"m": "<x>"}]').notes
    assert repr(notes).splitlines()[0] == "1 note"
    assert repr(notes).splitlines()[1].startswith("m: ")
    assert notes._repr_html_().startswith("<ul><li><code>m</code>: ")
    assert rh.read_json(b'[{"m": 1}]').notes._repr_html_() == "<p>0 notes</p>"


def test_a_haul_shows_what_failed_with_its_job_and_the_first_rows(client, service):
    service.inject("run", rh.faults.Fail("blocked"), agent="retail/product-scraper")
    failing = rh.agents.ProductScraper(category_or_product_urls=["https://shop.example/dp/B0ABCDEFGH"])
    haul = client.run_many([("events/events", EVENTS), ("nobody/knows", {}), failing])
    shown = haul._repr_html_()
    assert "nobody/knows" in shown
    assert haul.failures[1].job_id in shown
    assert "blocked" in shown
    assert "eventName" in shown


def test_a_client_shows_where_it_is_what_it_may_spend_and_which_jobs_it_waits_for(held, tmp_path):
    async def looked_at():
        client = held.async_client(max_cost_usd=5, ledger=tmp_path / "ledger.sqlite")
        waiting = asyncio.create_task(client.run("events/events", EVENTS))
        while not any("/jobs/" in request.path for request in held.requests):
            await client.balance()
        meanwhile = client._repr_html_()
        held.advance(60)
        await waiting
        return meanwhile, client._repr_html_()

    meanwhile, afterwards = asyncio.run(looked_at())
    for shown in (meanwhile, afterwards):
        assert held.url in shown
        assert "<td>5 USD</td>" in shown
        assert "ledger.sqlite" in shown
    assert f"<td>1 job: {held.starts[0].job_id}</td>" in meanwhile
    assert "<th>waits for</th><td>nothing</td>" in afterwards


@pytest.mark.parametrize(("ledger", "shown"), [(False, "none"), (None, "data directory|sqlite")])
def test_a_client_shows_where_it_writes_down_what_it_starts(service, ledger, shown):
    html = rh.Client(service.url, service.api_key, ledger=ledger)._repr_html_()
    assert re.search(f"<th>ledger</th><td>[^<]*({shown})", html)


def test_the_package_lists_what_it_exports_and_nothing_else():
    for module in (rh, rh.agents, rh.errors, rh.faults, rh.service):
        assert dir(module) == sorted(module.__all__)


def test_a_request_among_many_that_could_not_become_one_is_told_by_its_number(service):
    given = [("events/events", EVENTS), ("events/events", {"searchQueries": ["a"], "maxresults": 1})]
    for outcome in service.client().iter_many(given):
        assert outcome.number == given.index(given[1] if outcome.request is None else given[0])
        assert ("request 1, InvalidParams: " in repr(outcome)) == (outcome.request is None)


def test_a_ledger_names_no_end_that_is_over_and_says_what_to_do_about_uncertain_starts():
    with rh.LocalService(clock="instant", extras="none") as service:
        client = service.client()
        job = client.start("events/events", EVENTS)
        job.wait()
        service.inject("run", rh.faults.Reset())
        with pytest.raises(rh.errors.StartUncertain):
            client.start("events/events", EVENTS)
        told = repr(client.jobs())
        assert "1 start may be running and billed: client.reconcile() asks what became of it" in told
        assert "client.reconcile()" in client.jobs()._repr_html_()


def test_text_that_turns_around_what_stands_behind_it_does_not_do_so_in_a_terminal():
    rows = rh.read_json('[{"a\u202ez": "\u202eabc"}, {"a\u202ez": 1}]'.encode())
    assert "\u202e" not in f"{rows}{rows!r}{rows.notes[0].column}"
    assert rows["a\u202ez"][0] == "\u202eabc"

"""Recorded runs: what a real service answered is answered again without it."""

from __future__ import annotations

import contextlib
import json
import time
from decimal import Decimal

import pytest

import rowhaul as rh

KEY = "rh_live_the-key-of-the-real-one"
JAZZ = rh.agents.Events(search_queries=["jazz"], max_results=5)


@pytest.fixture
def real():
    """Give a service that stands for the real one."""
    with rh.LocalService(clock="instant", seed=5, api_key=KEY) as real:
        yield real


@pytest.fixture
def recorded(real, tmp_path):
    """Give a function that runs requests at the real service and gives the cassette."""

    def record(*requests):
        path = tmp_path / "runs.ndjson"
        with rh.LocalService() as service, real.client() as client:
            service.record(client, path)
            for request in requests:
                with contextlib.suppress(rh.errors.JobFailed):
                    service.client().run(request)
        return path

    return record


def test_a_recorded_run_is_answered_without_the_real_service_at_its_price(real, recorded, service):
    path = recorded(JAZZ)
    assert [start.agent for start in real.starts] == ["events/events"]
    rows = real.client().run(JAZZ).to_dicts()
    real.stop()
    service.replay(path)
    assert service.client().run(JAZZ).to_dicts() == rows
    assert service.balance_usd == Decimal("99.95")


def test_what_was_not_recorded_is_refused_and_other_agents_are_as_they_are(recorded, service):
    service.replay(recorded(JAZZ))
    client = service.client()
    with pytest.raises(
        rh.errors.NotFound, match="no run of events/events with these parameters was recorded"
    ) as caught:
        client.run(rh.agents.Events(search_queries=["opera"], max_results=5))
    assert caught.value.code == "not_recorded"
    assert service.starts == []
    request = rh.agents.PincodeScraper(products=["B0ABCDEFGH"], pincodes=["110001"])
    assert len(client.run(request)) == 1


def test_each_value_is_written_as_it_came(real, recorded, service):
    body = {"big": 2**70, "price": Decimal("1.10"), "text": "\u2028 é", "none": None, "nested": [{"a": []}]}
    real.agent("shop/values", price_per_1k_usd=3)(lambda: [body, {"late": True}])
    service.replay(recorded(rh.Request("shop/values", {})))
    job = service.client().start("shop/values", {})
    job.wait()
    job.download(path := recorded().with_name("raw.json"))
    assert '"price":1.10' in path.read_text()
    data = json.loads(path.read_text(), parse_float=Decimal)["data"]
    assert data == [body, {"late": True}]
    assert service.client().agent("shop/values").price_per_1k_usd == 3


def test_a_failure_is_recorded_and_fails_again(real, recorded, service):
    real.agent("shop/bad")(lambda: 1 / 0)
    service.replay(recorded(rh.Request("shop/bad", {})))
    with pytest.raises(rh.errors.JobFailed, match="division by zero"):
        service.client().run("shop/bad", {})
    assert service.charges == []


def test_of_equal_runs_the_last_is_answered_and_a_cassette_is_added_to(real, recorded, service):
    answers = iter(["first", "second"])
    real.agent("shop/turns")(lambda: [{"turn": next(answers)}])
    recorded(rh.Request("shop/turns", {}), JAZZ)
    path = recorded(rh.Request("shop/turns", {}))
    service.replay(path)
    for _ in range(2):
        assert service.client().run("shop/turns", {}).to_dicts() == [{"turn": "second"}]
    assert len(service.client().run(JAZZ)) == 5


def test_no_key_and_no_header_is_in_a_cassette(real, recorded):
    real.agent("shop/echo")(lambda: [{"header": f"Bearer {KEY}", KEY: [KEY]}])
    text = recorded(rh.Request("shop/echo", {}), JAZZ).read_text()
    assert KEY not in text
    assert "[redacted]" in text
    assert real.url.rpartition("/")[2] not in text
    heads = [line for line in map(json.loads, text.splitlines()) if "params" in line]
    assert {frozenset(head) for head in heads} == {
        frozenset({"agent", "params", "price_per_1k_usd", "status", "error", "rows"})
    }


def test_a_key_that_a_row_spells_with_escapes_is_taken_out_and_all_else_is_as_it_came(real, recorded, tmp_path):
    (tmp_path / "rows.ndjson").write_text(
        '{"a": "\\u0072h_live_the\\u002Dkey-of-the-real-one \\u0041\\n", "b": 1.50}\n'
    )
    real.agent_from_file("shop/file", tmp_path / "rows.ndjson")
    row = recorded(rh.Request("shop/file", {})).read_text().splitlines()[-1]
    assert row == '{"a": "[redacted] \\u0041\\n", "b": 1.50}'


def test_rows_with_half_a_surrogate_pair_in_a_name_are_recorded_and_answered_as_they_came(
    real, recorded, service, tmp_path
):
    text = '{"\\ud800": 1, "a": "\\udc00"}'
    (tmp_path / "rows.ndjson").write_text(text + "\n")
    real.agent_from_file("shop/file", tmp_path / "rows.ndjson")
    service.replay(recorded(rh.Request("shop/file", {})))
    job = service.client().start("shop/file", {})
    assert job.wait().rows().to_dicts() == [{"\ufffd": 1, "a": "\ufffd"}]
    job.download(tmp_path / "raw.json")
    assert (tmp_path / "raw.json").read_text().endswith(f"[{text}]}}")


@pytest.mark.parametrize("text", ["", "{}\n", "not json\n", '{"a": 1}\n', '{"cassette": 2}\n'])
def test_a_file_that_is_no_cassette_is_refused_and_left_alone(service, tmp_path, real, text):
    path = tmp_path / "other.ndjson"
    path.write_text(text)
    with pytest.raises(rh.errors.ConfigError, match="not a cassette"):
        service.replay(path)
    if text:
        with real.client() as client, pytest.raises(rh.errors.ConfigError, match="not a cassette"):
            service.record(client, path)
        assert path.read_text() == text


def test_a_cassette_that_is_cut_off_is_refused(recorded, service):
    path = recorded(JAZZ)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(rh.errors.ConfigError, match="cut off"):
        service.replay(path)
    with pytest.raises(FileNotFoundError):
        service.replay(path.with_name("none.ndjson"))


RUN = '{"agent":"a/b","params":{},"price_per_1k_usd":1,"status":"completed","error":null,"rows":1}'


@pytest.mark.parametrize(
    "lines",
    [
        '{"agent":"a/b"}\n',
        "[1]\n",
        f"{RUN}\nno JSON\n",
        f"{RUN}\n[1]\n",
        f'{RUN}\n{{"a":NaN}}\n',
        f'{RUN}\n{{"a":1}}',
        RUN[:-1],
        RUN.replace('"rows":1', '"rows":-1') + "\n",
    ],
)
def test_a_damaged_cassette_is_refused_and_nothing_is_added_to_it(service, tmp_path, real, lines):
    path = tmp_path / "damaged.ndjson"
    path.write_text(text := f'{{"cassette": 1}}\n{lines}')
    with pytest.raises(rh.errors.ConfigError, match=r"damaged|cut off"):
        service.replay(path)
    with real.client() as client, pytest.raises(rh.errors.ConfigError, match=r"damaged|cut off"):
        service.record(client, path)
    assert path.read_text() == text


def test_a_run_that_was_paid_for_is_recorded_whatever_is_in_its_rows_and_whatever_the_balance_here(
    real, tmp_path, service
):
    rows = tmp_path / "rows.ndjson"
    lines = ['{"a":"\\ud800"}', '{"a":1E+400}', '{"a":' + "9" * 5000 + "}"]
    rows.write_text("\n".join(lines) + "\n")
    real.agent_from_file("shop/odd", rows)
    path = tmp_path / "runs.ndjson"
    with rh.LocalService(balance_usd=0, clock="instant") as here, real.client() as client:
        here.record(client, path)
        here.client().start("shop/odd", {}).wait()
        assert [charge.amount_usd for charge in here.charges] == [0]
    assert path.read_text().splitlines()[2:] == lines
    service.replay(path)
    job = service.client().start("shop/odd", {}).wait()
    job.download(path := tmp_path / "raw.json")
    assert all(line in path.read_text() for line in lines)


def test_what_goes_wrong_on_the_way_is_not_recorded_and_a_failure_takes_no_good_run_away(real, tmp_path, service):
    path = tmp_path / "runs.ndjson"
    answers = iter([[{"a": 1}], None])

    @real.agent("shop/once")
    def once():
        return next(answers) or 1 / 0

    with rh.LocalService(clock="instant") as here, real.client() as client:
        here.record(client, path)
        real.inject("run", rh.faults.Status(401))
        with pytest.raises(rh.errors.JobFailed):
            here.client().run("shop/once", {})
        assert len(path.read_text().splitlines()) == 1
        here.client().run("shop/once", {})
        with pytest.raises(rh.errors.JobFailed, match="division by zero"):
            here.client().run("shop/once", {})
    assert '"status":"failed"' in path.read_text()
    assert real.url.rpartition("/")[2] not in path.read_text()
    service.replay(path)
    assert service.client().run("shop/once", {}).to_dicts() == [{"a": 1}]


def test_a_run_that_is_cancelled_here_is_cancelled_at_the_real_service(tmp_path):
    path = tmp_path / "runs.ndjson"
    with rh.LocalService(clock="manual") as real, rh.LocalService() as here, real.client() as client:
        here.record(client, path)
        job = here.client().start(JAZZ)
        at_the_real_one = real.client()
        wait_until(lambda: real.starts)
        job.cancel()
        wait_until(lambda: at_the_real_one.job(real.starts[0].job_id).status == "cancelled")
    assert len(path.read_text().splitlines()) == 1


def wait_until(is_so):
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)

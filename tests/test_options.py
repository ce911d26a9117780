"""Options that cannot be: each is refused by its name, before anything is sent."""

import math

import pytest

import rowhaul as rh

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 5}


@pytest.mark.parametrize(
    ("option", "wanted"),
    [
        ({"timeout": "5"}, "seconds or a timedelta, not str"),
        ({"max_columns": 2.5}, "`max_columns` must be a whole number, not 2.5"),
        ({"parse_dates": [1]}, "the names of columns"),
        ({"parse_dates": 5}, "the names of columns"),
        ({"parse_dates": None}, "the names of columns"),
        ({"parse_dates": {"at": "%d.%m.%Y"}}, "the names of columns"),
        ({"schema": 3}, "an Arrow schema"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_option_of_the_wrong_kind_is_refused_in_words_before_anything_is_sent(client, service, option, wanted):
    with pytest.raises(TypeError, match=wanted):
        client.run("events/events", EVENTS, **option)
    assert service.requests == []


@pytest.mark.parametrize(
    ("option", "wanted"),
    [
        ({"base_url": 5}, "`base_url` must be a string, not int"),
        ({"api_key": b"secret"}, "`api_key` must be a string, not bytes"),
        ({"groups": ["events"]}, "`groups` maps"),
        ({"ledger": 5}, "`ledger` must be a path, not 5"),
        ({"keep_rows": 5}, "`keep_rows` must be a path, not 5"),
        ({"ca_file": 5}, "`ca_file` must be a path, not 5"),
        ({"threads": "2"}, "`threads` must be a whole number"),
        ({"tiemout": 5}, r"^Client\.__init__\(\) got an unexpected keyword argument 'tiemout'"),
        ({"requests_per_minute": "60"}, "`requests_per_minute` must be a number, not str"),
        ({"request_timeout": "5"}, "`request_timeout` must be a number of seconds or a timedelta, not str"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
@pytest.mark.parametrize("kind", [rh.Client, rh.AsyncClient])
def test_a_setting_of_the_wrong_kind_is_refused_by_its_name(kind, option, wanted):
    settings = {"base_url": "http://127.0.0.1:9", "api_key": "canary-0123456789", **option}
    with pytest.raises(TypeError, match=wanted) as refused:
        kind(**settings)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["ledger", "keep_rows", "ca_file"])
def test_an_empty_path_is_not_the_directory_of_the_process(name):
    with pytest.raises(rh.errors.ConfigError, match=f"`{name}` must be a path, and is empty"):
        rh.Client("http://127.0.0.1:9", "canary-0123456789", **{name: ""})


def test_a_run_waits_as_long_as_it_takes_where_it_is_told_so(service):
    client = service.client(timeout=math.inf)
    assert len(client.run("events/events", EVENTS, timeout=math.inf)) == 5
    assert len(client.start("events/events", EVENTS).wait(timeout=math.inf).rows()) == 5


def test_durations_and_counts_below_zero_are_refused_by_their_names(client, service):
    with pytest.raises(rh.errors.ConfigError, match="`max_response_bytes` must be 1 or more, not -1"):
        service.client(max_response_bytes=-1)
    with pytest.raises(rh.errors.ConfigError, match="`timeout` must be a number of seconds, 0 or more, not -5"):
        client.run("events/events", EVENTS, timeout=-5)
    with pytest.raises(rh.errors.ConfigError, match="`limit` must be 0 or more, not -1"):
        client.jobs(limit=-1)
    assert service.requests == []


@pytest.mark.parametrize(
    ("option", "wanted"),
    [
        ({"port": 65_536}, "`port` must be 65535 or less, not 65536"),
        ({"port": -1}, "`port` must be 0 or more"),
        ({"seed": -1}, "`seed` must be 0 or more"),
        ({"seed": 1 << 64}, r"`seed` must be below 2\*\*64"),
        ({"row_cap": 0}, "`row_cap` must be 1 or more"),
        ({"requests_per_minute": 0}, "`requests_per_minute` must be 1 or more"),
    ],
)
def test_a_number_that_a_local_service_cannot_take_is_refused_by_its_name(option, wanted):
    with pytest.raises(rh.errors.ConfigError, match=wanted):
        rh.LocalService(**option)

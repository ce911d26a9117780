"""The clients against a service that does what the specification shows and nothing else."""

import pytest

import rowhaul as rh
from rowhaul.service import Extra

REQUEST = rh.agents.Events(search_queries=["jazz"], max_results=5)


@pytest.fixture(params=["none", *Extra.__args__], ids=lambda extra: extra if extra == "none" else f"without-{extra}")
def lacking(request):
    """Give a service that lacks everything beyond the contract, or one such thing."""
    extras = "none" if request.param == "none" else [extra for extra in Extra.__args__ if extra != request.param]
    with rh.LocalService(clock="instant", extras=extras) as service:
        yield service


def test_a_run_needs_nothing_beyond_the_contract(drive, lacking):
    client = drive(lacking)
    rows = client.run(REQUEST)
    assert len(rows) == 5
    assert rows.job.status == "completed"
    assert len(lacking.charges) == 1
    assert client.balance() == rh.LocalService.__init__.__kwdefaults__["balance_usd"] - lacking.charges[0].amount_usd


def test_agents_are_known_where_the_service_does_not_list_them(drive, lacking):
    client = drive(lacking)
    assert len(client.agents()) == 9
    assert client.groups() == ["video", "retail", "events"]
    assert client.agent("events/events").unit == "events"


def test_a_job_is_waited_for_where_results_that_come_too_early_are_no_error(drive):
    with rh.LocalService(clock="manual", job_seconds=60, extras="none") as service:
        job = drive(service).start(REQUEST)
        with pytest.raises(rh.errors.ResultsNotReady):
            job.rows()
        service.advance(60)
        assert len(job.rows()) == 5


def test_cancelling_what_cannot_be_cancelled_is_unsupported(drive):
    with rh.LocalService(clock="manual", extras="none") as service:
        job = drive(service).start(REQUEST)
        with pytest.raises(rh.errors.Unsupported):
            job.cancel()


def test_errors_are_typed_and_told_whatever_their_body(drive):
    with rh.LocalService(clock="instant", balance_usd=0, extras="none") as service:
        client = drive(service)
        with pytest.raises(rh.errors.InsufficientBalance, match="0 are free"):
            client.run(REQUEST)
        with pytest.raises(rh.errors.NotFound, match="no such job"):
            client.job("nobody").refresh()

"""A start that nobody answered."""

import pytest

import rowhaul as rh

EVENTS = {"searchQueries": ["jazz berlin"], "maxResults": 3}


def uncertain(scripted, ledger):
    """A client with one uncertain start."""
    scripted.answers["start"] = lambda answer: answer(500, b"{}")
    client = scripted.client(ledger)
    client.balance()
    with pytest.raises(rh.errors.StartUncertain):
        client.start("events/events", EVENTS)
    assert [entry.status for entry in client.jobs("uncertain")] == ["uncertain"]
    return client

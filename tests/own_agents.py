"""What the tests of own agents share: rows, a run of an agent, the body of a job's results."""

from __future__ import annotations

import requests

ROWS = [{"sku": "a", "price": 9.5}, {"sku": "b", "price": None}]


def given(service, name, params=None):
    return service.client().run(name, params or {}).to_dicts()


def body(service, job, query=""):
    key = {"Authorization": f"Bearer {service.api_key}"}
    return requests.get(f"{service.url}/v1/jobs/{job}/results{query}", headers=key, timeout=10)

"""The description of the local service, tried against the service by a stranger: schemathesis, with all of its checks."""

import subprocess
import sys
from pathlib import Path

import pytest
import requests

import rowhaul as rh

# All combinations of parameters are thousands of an agent that has many: those of the smaller agents have to do.
TRIES = [
    ["--phases", "examples,fuzzing,stateful"],
    ["--phases", "coverage", "--exclude-path-regex", "/(video|events|retail/(product|reviews)-scraper)/.*run$"],
]


@pytest.mark.timeout(300)
# On a real clock jobs can be cancelled; schemathesis wants a 404 for what was deleted, and a cancelled job is still
# told of.
@pytest.mark.parametrize(("extras", "clock"), [("all", "instant"), ("none", "real")])
def test_the_service_is_what_it_says_it_is(extras, clock, tmp_path):
    # Money for all that is tried, as schemathesis takes no 402 for a valid request, and a cap so that results stay
    # small.
    with rh.LocalService(clock=clock, balance_usd="999999999999", row_cap=1000, extras=extras) as service:
        service.agent(
            "own/brings-one",
            parameters={
                "name": {"type": "string", "required": True},
                "count": {"type": "integer", "minimum": 0, "maximum": 9},
                "share": float,
                "flags": {"type": "array", "default": []},
            },
        )(lambda **_: [{"a": 1}])
        schemathesis = Path(sys.executable).with_name("schemathesis")
        # The seed fixes what is tried.
        command = [schemathesis, "run", f"{service.url}/openapi.json", "--checks", "all", "--no-color"]
        command += ["--max-examples", "3", "--seed", "1", "-H", f"Authorization: Bearer {service.api_key}"]
        for tried in TRIES:
            done = subprocess.run([*command, *tried], capture_output=True, text=True, check=False, cwd=tmp_path)
            assert done.returncode == 0, done.stdout + done.stderr
        assert len(service.requests) > 200
        assert all(request.status is not None and request.status < 500 for request in service.requests)


def test_the_document_is_open_and_says_what_it_is(service):
    answer = requests.get(f"{service.url}/openapi.json", timeout=10)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["openapi"].startswith("3.1.")


def test_a_generator_of_code_finds_the_columns_and_parameters_of_the_agents(service):
    document = requests.get(f"{service.url}/openapi.json", timeout=10).json()
    assert len(document["components"]["schemas"]["EventRow"]["properties"]) == 29
    run = document["paths"]["/api/v1/agents/retail/pincode-scraper/run"]["post"]
    params = run["requestBody"]["content"]["application/json"]["schema"]["properties"]["params"]
    assert params["properties"]["pincodes"]["items"] == {"type": "string", "pattern": "^[0-9]{6}$"}

"""Files that a local service offers as agents."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rowhaul as rh
from own_agents import given


@pytest.mark.parametrize(
    ("name", "write", "first"),
    [
        ("rows.ndjson", lambda p: p.write_text('{"id": "007", "n": 1}\n\n{"id": "008", "n": 2}\n'), 1),
        ("rows.csv", lambda p: p.write_text('id,n\r\n007,1\r\n008,""\r\n'), "1"),
        ("rows.parquet", lambda p: pq.write_table(pa.table({"id": ["007", "008"], "n": [1, 2]}), p), 1),
    ],
)
def test_the_rows_of_a_file_are_an_agent(service, tmp_path, name, write, first):
    path = tmp_path / name
    write(path)
    service.agent_from_file("shop/file", path, price_per_1k_usd=10)
    rows = given(service, "shop/file")
    assert [row["id"] for row in rows] == ["007", "008"]
    assert rows[0]["n"] == first
    assert len(given(service, "shop/file", {"maxResults": 1})) == 1
    assert service.balance_usd == Decimal("99.97")
    with pytest.raises(rh.errors.ApiError, match="maxResults"):
        given(service, "shop/file", {"maxResults": -1})


def test_a_file_that_is_none_is_told_at_once_and_a_torn_one_fails_the_run(service, tmp_path):
    for name in ("none.ndjson", "none.csv", "none.parquet"):
        with pytest.raises(FileNotFoundError):
            service.agent_from_file("shop/file", tmp_path / name)
    (tmp_path / "rows.txt").write_text("")
    with pytest.raises(OSError, match=r"\.ndjson"):
        service.agent_from_file("shop/file", tmp_path / "rows.txt")
    (tmp_path / "torn.ndjson").write_text('{"a": 1}\n{"a": ')
    service.agent_from_file("shop/file", tmp_path / "torn.ndjson")
    with pytest.raises(rh.errors.JobFailed, match="row 1 is not JSON"):
        given(service, "shop/file")


def test_the_command_line_serves_files_as_agents(tmp_path):
    (tmp_path / "rows.ndjson").write_text('{"a": 1}\n{"a": 2}\n')
    words = [sys.executable, "-m", "rowhaul", "serve", "--key", "k", "--agent", "shop/file=rows.ndjson"]
    program = subprocess.Popen([*words, "--agent-price", "5"], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        url = re.search(r"http://\S+", program.stdout.readline())[0]
        with rh.Client(url, "k") as client:
            assert client.run("shop/file", {}).to_dicts() == [{"a": 1}, {"a": 2}]
            assert client.agent("shop/file").price_per_1k_usd == 5
    finally:
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=20)
    done = subprocess.run([*words[:-1], "shop=x"], capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, "group/slug" in done.stderr) == (2, True)

"""The bench on bodies of a few rows, so that it runs on the day it is needed."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import polars as pl
import pytest

from benches import bodies, correct, peers
from benches.prepared import Sample, prepare
from benches.server import serving

ROOT = Path(__file__).parent.parent


@pytest.fixture(params=bodies.KINDS)
def body(request, tmp_path):
    return prepare(request.param, tmp_path, rows=60)


def read(peer, body):
    path = body.path("lines" if peer.form == "file" else peer.form)
    return peer.read(str(path) if peer.form == "file" else path.read_bytes(), 1)


@pytest.mark.parametrize("peer", peers.PEERS, ids=lambda peer: peer.name)
def test_every_peer_reads_rows_that_keep_their_types(peer, tmp_path):
    if not peer.present:
        pytest.skip(f"{peer.name} is not installed")
    body = prepare("events", tmp_path, rows=60)
    table = read(peer, body)
    assert correct.verdict(table, Sample.read(body.path("sample")), json_text=peer.json_text).right


@pytest.mark.parametrize("peer", peers.PEERS[:3], ids=lambda peer: peer.name)
def test_rowhaul_is_right_about_every_body(peer, body):
    verdict = correct.verdict(read(peer, body), Sample.read(body.path("sample")))
    assert verdict.checked > 60
    assert str(verdict) == "right"


def test_bodies_are_the_same_every_time(tmp_path):
    for name in ("first", "second"):
        prepare("sparse", tmp_path, rows=5, name=name)
    assert (tmp_path / "first.envelope.json").read_bytes() == (tmp_path / "second.envelope.json").read_bytes()


def test_a_result_that_lost_changed_or_dropped_something_is_not_called_right():
    rows = [{"id": 2**60 + 1, "name": "a", "late": None}, {"id": None, "name": "b", "late": 1}]
    sample = Sample(2, ["id", "name", "late"], [0, 1], rows)
    assert correct.verdict(pl.DataFrame(rows), sample).right
    assert correct.verdict(pl.DataFrame(rows).with_columns(pl.col("id").cast(float)), sample).changed == 1
    assert correct.verdict(pl.DataFrame(rows).with_columns(name=None), sample).lost == 2
    assert correct.verdict(pl.DataFrame(rows).drop("late"), sample).dropped == 1
    assert correct.verdict(pl.DataFrame(rows), replace(sample, rows=3)).failure == "2 rows of 3"


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        (5, 5.0),
        (5, "5"),
        ({"a": 1, "b": None}, {"a": 1}),
        ({"a": [1]}, '{"a":[1]}'),
        ("2028-03-02T22:00:00Z", pl.Series(["2028-03-02T22:00:00"]).str.to_datetime()[0]),
    ],
)
def test_a_value_that_can_be_had_back_is_kept(sent, found):
    assert correct.same(sent, found)


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        (5, 5.5),
        (2**53 + 1, 2.0**53),
        ("5", 5),
        ("a", '"a"'),
        (True, 1),
        (1, True),
        ([1, 2], [1]),
        ({"a": 1}, {}),
        ("", None),
    ],
)
def test_a_value_that_cannot_be_had_back_is_not_kept(sent, found):
    assert not correct.same(sent, found)


def test_the_whole_bench_writes_its_table_and_charts(tmp_path):
    options = [
        "--rows",
        "30",
        "--repetitions",
        "1",
        "--bodies",
        "drifting",
        "--peers",
        "requests",
        "--out",
        str(tmp_path),
    ]
    subprocess.run([sys.executable, "-m", "benches", *options], cwd=ROOT, check=True, capture_output=True, timeout=50)
    assert {"results.md", "bodies.svg", "http.svg"} <= {path.name for path in tmp_path.iterdir()}
    assert "| **rowhaul** |" in (tmp_path / "results.md").read_text()


def test_the_server_is_gone_with_its_block(tmp_path):
    with serving(tmp_path) as url:
        port = url.split(":")[2].split("/")[0]
        with urlopen(f"http://127.0.0.1:{port}/api/v1/jobs/some-job") as answer:
            assert answer.status == 200
    with pytest.raises(URLError):
        urlopen(f"http://127.0.0.1:{port}/api/v1/jobs/some-job")

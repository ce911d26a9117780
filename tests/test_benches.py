"""The bench on bodies of a few rows, so that it runs on the day it is needed."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from benches import bodies, chart, correct, peers, polls, receivers, table
from benches.prepared import Sample, prepare, prepare_own
from benches.rounds import Result
from benches.server import serving

ROOT = Path(__file__).parent.parent


@pytest.fixture(params=bodies.KINDS)
def body(request, tmp_path):
    return prepare(request.param, tmp_path, rows=60)


def read(peer, body):
    path = body.path(peer.form.removesuffix(" file"))
    return peer.read(str(path) if peer.form.endswith("file") else path.read_bytes(), peer.threads[-1])


@pytest.mark.parametrize("peer", peers.PEERS, ids=lambda peer: peer.name)
def test_every_peer_reads_rows_that_keep_their_types(peer, tmp_path):
    if not peer.present:
        pytest.skip(f"{peer.name} is not installed")
    body = prepare("events", tmp_path, rows=60)
    found = read(peer, body)
    assert isinstance(found, int) != peer.is_table
    assert correct.verdict(found, Sample.read(body.path("sample")), json_text=peer.json_text).right


@pytest.mark.parametrize("peer", peers.PEERS[:3], ids=lambda peer: peer.name)
def test_rowhaul_is_right_about_every_body(peer, body):
    verdict = correct.verdict(read(peer, body), Sample.read(body.path("sample")))
    assert verdict.checked > 60
    assert str(verdict) == "right"


def test_bodies_are_the_same_every_time(tmp_path):
    for name in ("first", "second"):
        prepare("sparse", tmp_path, rows=5, name=name)
    assert (tmp_path / "first.envelope.json").read_bytes() == (tmp_path / "second.envelope.json").read_bytes()


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ('[{"a": 1.50, "t": "\\u00e9"},\n {"a": [1,\n  2]}]\n', '{"a": [1,\n  2]}'),
        ('{"a": 1.50, "t": "\\u00e9"}\r\n\r\n{"a": [1, 2]}\r\n', '{"a": [1, 2]}'),
        (
            '{"status": {"data": [{"x": 1}]}, "d\\u0061ta": [{"a": 1.50, "t": "\\u00e9"}, {"a": [1,\r\n2]}], "row_count": 2}',
            '{"a": [1,\r\n2]}',
        ),
    ],
    ids=["array", "lines", "envelope"],
)
def test_rows_of_ones_own_are_raced_as_they_are_written(text, second, tmp_path):
    path = tmp_path / "my feed.ndjson"
    path.write_bytes(text.encode())
    body = prepare_own(path, tmp_path)
    assert (body.name, body.rows) == ("my-feed", 2)
    assert f'"data":[{{"a": 1.50, "t": "\\u00e9"}},{second}]' in body.path("envelope").read_bytes().decode()
    assert len(body.path("lines").read_text().splitlines()) == 2
    assert Sample.read(body.path("sample")).values == [{"a": 1.5, "t": "é"}, {"a": [1, 2]}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"a":1},2]', "row 2 is no object but 2"),
        ('{"a":1}\n{"a":', "line 2 is no row, nor is the file an array"),
        ('[{"a":1},', "line 1 is no row"),
        ('{"data":[]}', "there are no rows"),
        ("", "there are no rows"),
    ],
)
def test_a_file_of_something_else_than_rows_is_refused_with_the_place(text, told, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(text)
    with pytest.raises(SystemExit, match=re.escape(told)):
        prepare_own(path, tmp_path)


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
        "--parts",
        "bodies",
        "http",
        "memory",
        "--out",
        str(tmp_path),
    ]
    subprocess.run([sys.executable, "-m", "benches", *options], cwd=ROOT, check=True, capture_output=True, timeout=50)
    assert {"results.md", "bodies.svg", "http.svg"} <= {path.name for path in tmp_path.iterdir()}
    assert "| **rowhaul ×1** |" in (tmp_path / "results.md").read_text()


def test_files_are_raced_instead_of_made_up_bodies(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([{"n": n, "text": "é"} for n in range(50)]))
    options = ["--files", str(path), "--repetitions", "1", "--peers", "json + pandas", "--out", str(tmp_path)]
    command = [sys.executable, "-m", "benches", *options, "--parts", "bodies", "rust", "http"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=50)
    report = (tmp_path / "results.md").read_text()
    assert "### mine: 50 rows" in report
    assert "### mine → pandas" in report
    assert "events" not in report


def results():
    """Two peers and what only parses, with speeds of 2, 1 and 4 MB/s; the second one's values are wrong."""
    named = {peer.name: peer for peer in peers.PEERS}
    return [
        Result(named["rowhaul"], 1, seconds=[1.0, 1.0]),
        Result(named["msgspec + pandas"], 1, correct.Verdict(checked=9, changed=3), [2.0, 3.0]),
        Result(named["simdjson, parsed only"], 1, seconds=[0.5, 0.5]),
        Result(named["pl.read_json"], 1, correct.Verdict(failure="an <error>")),
    ]


def test_what_makes_no_table_is_shown_but_wins_no_race():
    shown = table.speeds(results(), 2_000_000)
    assert "| simdjson, parsed only | 4 | 0.5 × (0.5–0.5) | no table, rows counted |" in shown
    assert table.summary({"events": (results(), 2_000_000)}).endswith(
        "| none | msgspec + pandas: 2.5 × (2.0–3.0), **wrong** |"
    )
    head, _, line = table.named({"events": (results(), 2_000_000)}, threads=1).splitlines()
    assert (head, line) == (
        "| body | rowhaul | pl.read_json | msgspec + pandas | fastest right peer, given lines or not |",
        "| events | 2 MB/s | fails | 2.5 × (2.0–3.0), **wrong** | none |",
    )


def test_a_chart_is_small_and_the_same_for_the_same_figures(tmp_path):
    for name in ("first", "second"):
        chart.speeds({"events": (results(), 2_000_000), "sparse": (results(), 2_000_000)}, tmp_path / name)
    drawn = (tmp_path / "first").read_text()
    assert drawn == (tmp_path / "second").read_text()
    assert len(drawn) < 10_000
    shapes = [element.get("class") for element in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}rect")]
    assert shapes.count("ours") == shapes.count("right") == 2
    assert shapes.count("wrong") == 4


def test_the_chart_of_the_readme_is_there():
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", (ROOT / "README.md").read_text())
    assert "docs/bench/bodies.svg" in pictures
    assert all((ROOT / picture).exists() for picture in pictures)


def test_polls_are_measured_one_by_one_and_together(tmp_path):
    with serving(tmp_path) as url:
        figures = polls.measured(url, rounds=1)
    assert {"alone", "together"} <= figures.keys()
    assert all(len(taken) == 1 and taken[0] > 0 for taken in figures.values())
    assert "| `Job.refresh()`, one after the other |" in polls.table(figures)


def test_every_receiver_is_measured_beside_the_decoding(tmp_path):
    body = prepare("comments", tmp_path, rows=20)
    taken = receivers.measured(body, rounds=1)
    assert taken.keys() == receivers.RECEIVERS.keys()
    assert "| `rows.to_polars()` |" in receivers.table(taken, body.size)


def test_the_bodies_in_rust_are_those_in_python_and_have_a_baseline():
    source = (ROOT / "benches/decode/bodies/mod.rs").read_text()
    lists = dict(re.findall(r"const (\w+): \[.*?=\s*\[(.*?)\];", source, re.DOTALL))
    in_rust = {name: re.findall(r'\("(.*?)",', lists[name]) for name in ("KINDS", "MORE_KINDS")}
    assert in_rust["KINDS"] == list(bodies.KINDS)
    counted = json.loads((ROOT / "docs/bench/instructions.json").read_text())["instructions_per_byte"]
    assert counted.keys() == {*in_rust["KINDS"], *in_rust["MORE_KINDS"]}, "make bench-instructions-renew"


def test_make_fuzz_feeds_every_target_there_is():
    there = {path.stem for path in (ROOT / "fuzz/fuzz_targets").iterdir()}
    fed = re.search(r"^FUZZ_TARGETS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    built = re.findall(r'path = "fuzz_targets/(.*?)\.rs"', (ROOT / "fuzz/Cargo.toml").read_text())
    assert set(fed.split()) == there == set(built)


def test_the_server_is_gone_with_its_block(tmp_path):
    with serving(tmp_path) as url:
        port = url.split(":")[2].split("/")[0]
        with urlopen(f"http://127.0.0.1:{port}/api/v1/jobs/some-job") as answer:
            assert answer.status == 200
    with pytest.raises(URLError):
        urlopen(f"http://127.0.0.1:{port}/api/v1/jobs/some-job")

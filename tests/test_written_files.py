"""Rows in files: Parquet, CSV, lines of JSON and Arrow IPC."""

import csv
import errno
import gzip
import io
import json
import os
import re
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import rowhaul as rh

ROWS = rh.read_json(
    b'[{"id": 9007199254740993, "city": "Oslo", "tags": ["a", null], "place": {"lat": 1.5}},'
    b' {"id": 18446744073709551615, "city": "007"}]'
)


def test_files_hold_what_the_rows_hold(tmp_path):
    rows, dicts = ROWS, ROWS.to_dicts()
    rows.write_parquet(tmp_path / "r.parquet")
    assert pq.read_table(tmp_path / "r.parquet").to_pylist() == dicts
    rows.write_ipc(tmp_path / "r.arrow")
    assert pl.read_ipc(tmp_path / "r.arrow").to_dicts() == dicts
    rows.write_ndjson(tmp_path / "r.ndjson")
    assert rh.read_json(tmp_path / "r.ndjson", format="lines").to_dicts() == dicts
    rows.write_csv(tmp_path / "r.csv")
    frame = pd.read_csv(tmp_path / "r.csv", dtype="str")
    assert frame["city"].tolist()[1] == "007"
    assert frame["place"].tolist()[0] == '{"lat":1.5}'
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.arrow", "r.csv", "r.ndjson", "r.parquet"]


class Unbuffered(io.RawIOBase):
    """A file that takes less than it is given."""

    def __init__(self):
        self.taken = bytearray()

    def write(self, piece):
        self.taken += piece[:1000]
        return min(len(piece), 1000)


@pytest.mark.parametrize("form", ["parquet", "csv", "ndjson", "ipc"])
def test_a_file_that_is_open_gets_what_a_path_would(tmp_path, form):
    def write(target):
        getattr(MANY, f"write_{form}")(target)

    write(tmp_path / "rows")
    whole = (tmp_path / "rows").read_bytes()
    memory, unbuffered = io.BytesIO(b"before"), Unbuffered()
    memory.seek(0, io.SEEK_END)
    write(memory)
    assert memory.getvalue() == b"before" + whole
    write(unbuffered)
    assert unbuffered.taken == whole
    with gzip.open(tmp_path / "rows.gz", "wb") as file:
        write(file)
        assert not file.closed
    assert gzip.decompress((tmp_path / "rows.gz").read_bytes()) == whole


class WithPath(io.FileIO):
    """A file that tells its path, as those of fsspec on this machine do."""

    def __fspath__(self):
        return self.name


def test_pandas_reads_large_ids_beside_nulls_as_they_were_sent(tmp_path):
    large = 9_007_199_254_740_993
    # Of each type that pandas would make floats of beside nulls.
    kinds = [
        pa.int8(),
        pa.int16(),
        pa.int32(),
        pa.int64(),
        pa.uint8(),
        pa.uint16(),
        pa.uint32(),
        pa.uint64(),
        pa.bool_(),
    ]
    body = json.dumps(
        [{"id": large, "wide": 2**63 + 1, **{str(kind): 1 for kind in kinds[:-1]}, "bool": True}, {"n": 2}]
    )
    rows = rh.read_json(body.encode(), schema=pa.schema([(str(kind), kind) for kind in kinds]))
    rows.write_parquet(tmp_path / "a.parquet", compression=None)
    rows.write_ipc(tmp_path / "a.arrow")
    for frame in (pd.read_parquet(tmp_path / "a.parquet"), pd.read_feather(tmp_path / "a.arrow")):
        pd.testing.assert_frame_equal(frame, rows.to_pandas())
        assert frame["id"].tolist() + frame["wide"].tolist() == [large, pd.NA, 2**63 + 1, pd.NA]
        assert [str(kind).lower() for kind in frame.dtypes[:8]] == [str(kind) for kind in kinds[:8]]
        assert str(frame["bool"].dtype) == "boolean"


def test_a_cell_of_csv_does_not_depend_on_what_other_rows_made_of_its_column(tmp_path):
    rows = [{"a": {"b": {}}}, {"a": {"b": {}}}]
    texts = []
    for more in ([], [{"a": 1}]):
        rh.read_json(json.dumps(rows + more).encode()).write_csv(tmp_path / "a.csv")
        texts.append(pd.read_csv(tmp_path / "a.csv")["a"][0])
    assert texts == ['{"b":{}}'] * 2


def test_json_text_in_cells_of_csv_is_nested_however_many_there_are(tmp_path):
    wide = {f"m{at}": {"a": [1, {}], "b" * 2000: [1, {}], "c": [1, {}]} for at in range(250)}
    rh.read_json(json.dumps([{"o": wide}]).encode()).write_csv(tmp_path / "a.csv")
    assert json.loads(pd.read_csv(tmp_path / "a.csv")["o"][0]) == wide
    whole = rh.read_json(json.dumps([{"o": wide}, {"o": 5}]).encode())
    parts = [rh.read_json(json.dumps([{"o": value}]).encode()) for value in (wide, 5)]
    assert rh.concat(parts).to_dicts() == whole.to_dicts()


def test_a_file_that_is_open_and_tells_its_path_is_written_to_from_where_it_stands(tmp_path):
    (tmp_path / "rows").write_bytes(b"before\n")
    with WithPath(str(tmp_path / "rows"), "ab") as file:
        ROWS.write_ndjson(file)
    assert (tmp_path / "rows").read_bytes().startswith(b'before\n{"id":')


def test_a_file_that_takes_no_more_is_told():
    (reading, writing) = os.pipe()
    os.set_blocking(writing, False)
    with open(reading, "rb"), open(writing, "wb", buffering=0) as pipe, pytest.raises(BlockingIOError):  # noqa: PTH123
        MANY.write_ndjson(pipe)


def test_rows_are_bytes_to_a_file_that_is_open(tmp_path):
    with (tmp_path / "rows").open("w") as file, pytest.raises(TypeError, match="open the file in binary mode"):
        ROWS.write_csv(file)
    with pytest.raises(TypeError, match="rows are written to a path or an open file, not to int"):
        ROWS.write_csv(5)


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_text_is_compressed_where_the_name_of_its_file_says_so(tmp_path, ending):
    ROWS.write_csv(tmp_path / f"r.csv.{ending}")
    ROWS.write_ndjson(tmp_path / f"r.ndjson.{ending}")
    assert pl.read_csv(tmp_path / f"r.csv.{ending}", infer_schema=False)["city"].to_list() == ["Oslo", "007"]
    assert rh.read_json(tmp_path / f"r.ndjson.{ending}").to_dicts() == ROWS.to_dicts()
    if ending == "gz":
        assert pd.read_csv(tmp_path / "r.csv.gz", dtype="str")["city"].tolist() == ["Oslo", "007"]


def test_text_is_not_called_what_it_is_not(tmp_path):
    for write in (ROWS.write_csv, ROWS.write_ndjson):
        with pytest.raises(ValueError, match=r"compressed as `\.gz` or `\.zst`, not as `\.bz2`"):
            write(tmp_path / "r.csv.bz2")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("keys", [pa.int8(), pa.uint8()], ids=str)
@pytest.mark.parametrize("values", [pa.string(), pa.string_view(), pa.int64(), pa.binary_view()], ids=str)
def test_a_dictionary_of_all_batches_needs_no_more_keys_than_it_has_values(keys, values, tmp_path):
    make, most = int if values == pa.int64() else str, 256 if keys == pa.uint8() else 128
    sent = [{"a": make(n * 7 % most), "n": n} for n in range(200_000)]
    schema = pa.schema([("a", pa.dictionary(keys, values))])
    rows = rh.read_json(json.dumps(sent).encode(), schema=schema)
    assert rows.schema["a"] == f"dictionary<{keys}, {str(values).removesuffix('_view')}>"
    rows.write_ipc(tmp_path / "a.arrow")
    rows.write_parquet(tmp_path / "a.parquet")
    expected = [row["a"].encode() if values == pa.binary_view() else row["a"] for row in sent]
    assert pa.ipc.open_file(tmp_path / "a.arrow").read_all()["a"].to_pylist() == expected
    assert pq.read_table(tmp_path / "a.parquet")["a"].to_pylist() == expected
    assert pa.array(rows["a"]).to_pylist() == expected


def test_a_file_has_one_dictionary_for_all_batches(tmp_path):
    word = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema([("a", word), ("o", pa.struct([("b", word)])), ("l", pa.list_(word))])
    one, other = (
        rh.read_json(json.dumps([{"a": a, "o": {"b": b}, "l": [a, b]}] * 3).encode(), schema=schema)
        for a, b in (("x", "y"), ("z", "x"))
    )
    rows = rh.concat([one, other])
    for form, read in (("ipc", pa.feather.read_table), ("parquet", pq.read_table)):
        getattr(rows, f"write_{form}")(tmp_path / form)
        assert read(tmp_path / form).to_pylist() == rows.to_dicts()
    with pa.OSFile(str(tmp_path / "ipc")) as file:
        assert pa.ipc.open_file(file).num_record_batches == 2


#: They take more than half a megabyte in every form.
MANY = rh.read_json(
    json.dumps([{"id": sha256(bytes([n % 256, n // 256])).hexdigest()} for n in range(20_000)]).encode()
)


@pytest.mark.parametrize("form", ["parquet", "csv", "ndjson", "ipc"])
def test_a_file_that_cannot_be_written_is_an_os_error_and_leaves_nothing(form, tmp_path):
    def refused(path, number, rows=ROWS):
        with pytest.raises(OSError, match=re.escape(os.strerror(number))) as raised:
            getattr(rows, f"write_{form}")(path)
        assert (raised.value.errno, raised.value.filename) == (number, str(path))

    (tmp_path / "file").touch()
    refused(tmp_path / "no" / "r", errno.ENOENT)
    refused(tmp_path / "file" / "r", errno.ENOTDIR)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
        refused(tmp_path / "r", errno.EFBIG)
        # More than is held back: a writer meets the error in the middle.
        refused(tmp_path / "r", errno.EFBIG, MANY)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_tilde_is_the_users_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    rows = rh.read_json(b'[{"a": 1}]')
    rows.write_ndjson("~/rows.ndjson")
    assert rh.read_json("~/rows.ndjson").to_dicts() == rows.to_dicts()
    assert (tmp_path / "rows.ndjson").is_file()
    monkeypatch.chdir(tmp_path)
    rows.write_ndjson("~rows.ndjson")
    assert (tmp_path / "~rows.ndjson").is_file()


def test_a_link_is_followed_and_a_pipe_stays_one(tmp_path):
    link, target, pipe = tmp_path / "link", tmp_path / "target", tmp_path / "pipe"
    link.symlink_to(target)
    ROWS.write_csv(link)
    assert link.is_symlink()
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        piped = pool.submit(pipe.read_text)
        ROWS.write_csv(pipe)
    assert piped.result() == target.read_text() != ""
    assert pipe.is_fifo()


@pytest.mark.parametrize("mode", ["pipe", "w", "a"])
def test_standard_output_gets_rows_between_what_else_is_printed(mode, tmp_path):
    script = (
        "import rowhaul as rh\nprint('before', flush=True)\n"
        "rh.read_json(b'[{\"a\": 1}]').write_csv('/dev/stdout')\nprint('after')"
    )
    out = tmp_path / "out"
    out.write_text("there\n")
    if mode == "pipe":
        told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        assert told == "before\na\n1\nafter\n"
        return
    with out.open(mode) as opened:
        subprocess.run([sys.executable, "-c", script], stdout=opened, check=True)
    assert out.read_text() == ("there\n" if mode == "a" else "") + "before\na\n1\nafter\n"


@pytest.mark.parametrize("begin", [*"=+-@\t\r\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_csv_hides_formulas_when_asked(begin, tmp_path):
    schema = pa.schema([("n", pa.dictionary(pa.int8(), pa.int64()))])
    rows = rh.read_json(json.dumps([{"n": -5, "a": f"{begin}1+1", "b": f"1{begin}"}]).encode(), schema=schema)
    for hides, told in ((True, f"'{begin}1+1"), (False, f"{begin}1+1")):
        rows.write_csv(tmp_path / "r.csv", escape_formulas=hides)
        with (tmp_path / "r.csv").open(newline="") as written:
            assert list(csv.reader(written))[1] == ["-5", told, f"1{begin}"]


def test_parquet_holds_moments_in_units_that_it_has(tmp_path):
    kinds = [pa.timestamp("s"), pa.timestamp("s", "UTC"), pa.time32("s"), pa.date64(), pa.duration("s")]
    schema = pa.schema([(f"c{at}", kind) for at, kind in enumerate(kinds)])
    kind = pa.timestamp("s")
    nested = [pa.list_(pa.struct([("t", kind)])), pa.list_view(kind), pa.large_list_view(kind)]
    for name, wanted in zip("lvwr", [*nested, pa.run_end_encoded(pa.int32(), kind)], strict=True):
        schema = schema.append(pa.field(name, wanted))
    moment = "2024-01-01T00:00:01"
    row = {"c0": moment, "c1": f"{moment}Z", "c2": "01:02:03", "c3": "2024-01-01", "c4": 5, "l": [{"t": moment}]}
    row |= {"v": [moment], "w": [moment], "r": moment}
    rows = rh.read_json(json.dumps([row, {}]).encode(), schema=schema)
    assert rows.notes == ()
    rows.write_parquet(tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == rows.to_dicts()
    frame = pl.read_parquet(tmp_path / "a.parquet")
    # Parquet has no durations, and polars does not look at the Arrow types that are written beside.
    assert frame.drop("c4").to_dicts() == [{k: v for k, v in row.items() if k != "c4"} for row in rows.to_dicts()]
    duckdb = pytest.importorskip("duckdb")
    read = duckdb.sql(f"select c0, c2, c3, l[1].t from '{tmp_path / 'a.parquet'}'").fetchall()
    first = rows.to_dicts()[0]
    assert read[0] == (first["c0"], first["c2"], first["c3"], first["c0"])


@pytest.mark.parametrize("place", [".", "folder", "folder/"])
def test_a_folder_is_no_file_and_is_told_as_such_before_anything_is_fetched(service, client, tmp_path, place):
    (tmp_path / "folder").mkdir()
    job = client.start("events/events", {"searchQueries": ["jazz"], "maxResults": 1}).wait()
    asked = len(service.requests)
    for write in (job.download, ROWS.write_parquet, ROWS.write_csv, ROWS.write_ndjson, ROWS.write_ipc):
        with pytest.raises(IsADirectoryError):
            write(f"{tmp_path}/{place}")
    assert "results" not in [request.operation for request in service.requests[asked:]]


def test_files_do_not_lose_rows_without_columns_silently(tmp_path):
    rows = rh.read_json(b"[{}, {}, {}]")
    for write, kind in [(rows.write_parquet, "Parquet"), (rows.write_csv, "CSV")]:
        with pytest.raises(OSError, match=f"{kind} cannot store rows without columns, and there are 3 such rows"):
            write(tmp_path / "a")
        with pytest.raises(OSError, match=f"^{kind} cannot store rows without columns"):
            write(io.BytesIO())
    assert list(tmp_path.iterdir()) == []
    rh.read_json(b"[]").write_parquet(tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").shape == (0, 0)

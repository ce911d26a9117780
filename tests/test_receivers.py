"""Rows in the libraries that take them: pandas, polars, pyarrow, DuckDB, and plain Python."""

import _thread
import datetime as dt
import json
import queue
import subprocess
import sys
from decimal import Decimal

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rowhaul as rh

BODY = (
    b'[{"id": 9007199254740993, "n": 1, "ok": true, "x": 1.5, "city": "Oslo", "tags": ["a", null], "place": {"lat": 1.5}},'
    b' {"id": 2, "ok": null, "city": null, "tags": [], "place": {"lat": null, "name": "here"}},'
    b' {"id": 18446744073709551615, "n": 3, "ok": false, "x": null, "city": "007"}]'
)
ROWS = rh.read_json(BODY)
DICTS = [
    {
        "id": 9007199254740993,
        "n": 1,
        "ok": True,
        "x": 1.5,
        "city": "Oslo",
        "tags": ["a", None],
        "place": {"lat": 1.5, "name": None},
    },
    {"id": 2, "n": None, "ok": None, "x": None, "city": None, "tags": [], "place": {"lat": None, "name": "here"}},
    {"id": 2**64 - 1, "n": 3, "ok": False, "x": None, "city": "007", "tags": None, "place": None},
]


def test_plain_python_holds_every_value():
    assert ROWS.to_dicts() == DICTS
    assert list(ROWS) == DICTS
    assert [type(value) for value in ROWS[0].values()] == [int, int, bool, float, str, list, dict]


def test_each_library_takes_the_rows_several_times_over():
    for _ in range(2):
        assert pa.table(ROWS).to_pylist() == DICTS
        assert pl.DataFrame(ROWS).to_dicts() == DICTS
        assert pd.DataFrame.from_arrow(ROWS).shape == (3, 7)
        rows = ROWS
        assert duckdb.sql("select id, city, place.name from rows where ok = false").fetchall() == [
            (2**64 - 1, "007", None)
        ], rows


def test_the_named_ways_give_the_same():
    assert ROWS.to_arrow().to_pylist() == DICTS
    assert ROWS.to_polars().to_dicts() == DICTS
    assert pa.schema(ROWS) == ROWS.to_arrow().schema == pa.schema(ROWS.schema)


def test_text_is_laid_out_as_asked():
    assert pa.table(ROWS).schema.field("city").type == pa.large_string()
    views = pa.schema([pa.field("city", pa.string_view())])
    capsule = ROWS[["city"]].__arrow_c_stream__(views.__arrow_c_schema__())
    assert pa.RecordBatchReader._import_from_c_capsule(capsule).read_all().schema == views


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("polars._utils.pycapsule", pa.string_view()),
        ("duckdb", pa.large_string()),
        ("pandas.core.frame", pa.large_string()),
        ("polarstern", pa.large_string()),
    ],
)
def test_a_library_with_views_of_its_own_is_given_views(module, text):
    names = {"__name__": module, "rows": ROWS}
    exec("stream, schema, column = rows.__arrow_c_stream__(), rows.__arrow_c_schema__(), rows['city']", names)
    exec("array = column.__arrow_c_array__()", names)
    table = pa.RecordBatchReader._import_from_c_capsule(names["stream"]).read_all()
    assert table.schema.field("city").type == text
    assert table.schema.field("tags").type.value_type == text
    assert pa.Schema._import_from_c_capsule(names["schema"]) == table.schema
    assert pa.Array._import_from_c_capsule(*names["array"]).type == text
    assert table.to_pylist() == DICTS


@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.string_view()])
def test_nested_text_is_one_type_whatever_a_schema_asks_for(text):
    schema = pa.schema([("tags", pa.list_(text)), ("n", pa.int64())])
    rows = rh.read_json(b'[{"tags": ["abc", null], "n": 2}, {"tags": [], "n": 1}]', schema=schema)
    assert rows.to_arrow().schema.field("tags").type == pa.list_(pa.large_string())
    frame = rows.to_pandas().sort_values("n")
    assert [list(tags) for tags in frame["tags"]] == [[], ["abc", None]]


def test_whoever_wraps_the_rows_does_not_hide_the_library_that_asks():
    class Wrapped(type(ROWS)):
        def __arrow_c_stream__(self, requested_schema=None):
            return super().__arrow_c_stream__(requested_schema)

    names = {"__name__": "polars", "rows": Wrapped(ROWS._core)}
    exec("stream = rows.__arrow_c_stream__()", names)
    table = pa.RecordBatchReader._import_from_c_capsule(names["stream"]).read_all()
    assert table.schema.field("city").type == pa.string_view()


def test_a_thread_without_a_frame_of_python_takes_the_rows():
    taken = queue.SimpleQueue()
    _thread.start_new_thread(list, (map(taken.put, map(pa.table, [ROWS])),))
    assert taken.get(timeout=60).to_pylist() == DICTS


@pytest.mark.parametrize(
    "wish", [pa.large_string(), pa.string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_a_column_comes_in_the_type_that_is_asked_for(wish):
    array = pa.array(ROWS["city"], type=wish)
    assert (array.type, array.to_pylist()) == (wish, [row["city"] for row in DICTS])
    assert pa.array(ROWS["n"], type=pa.float64()).to_pylist() == [1.0, None, 3.0]


def test_a_request_that_cannot_be_met_is_no_error():
    released = pa.schema([("a", pa.int64())]).__arrow_c_schema__()
    pa.Schema._import_from_c_capsule(released)
    for request in (pa.int64().__arrow_c_schema__(), released, pa.array([1]).__arrow_c_array__()[1], 7):
        capsule = ROWS.__arrow_c_stream__(request)
        assert pa.RecordBatchReader._import_from_c_capsule(capsule).read_all().to_pylist() == DICTS
        column = pa.Array._import_from_c_capsule(*ROWS["x"].__arrow_c_array__(request))
        assert column.to_pylist() == [1.5, None, None]


def test_a_schema_that_was_taken_before_is_refused():
    capsule = pa.schema([("a", pa.int64())]).__arrow_c_schema__()
    pa.Schema._import_from_c_capsule(capsule)
    with pytest.raises(ValueError, match="was released"):
        rh.read_json(b"[]", schema=capsule)


def test_a_schema_that_names_a_column_twice_is_refused():
    twice = [("a", pa.int64()), ("a", pa.string())]
    for schema in (pa.schema(twice), pa.schema([("o", pa.list_(pa.struct(twice)))])):
        with pytest.raises(rh.errors.ConfigError, match="`a` twice"):
            rh.read_json(b'[{"a": 1}]', schema=schema)


def test_what_only_a_schema_brings_is_plain_python_too():
    schema = pa.schema(
        [
            ("price", pa.decimal128(10, 2)),
            ("mark", pa.binary()),
            ("opens", pa.time64("us")),
            ("takes", pa.duration("s")),
            ("at", pa.timestamp("ns")),
            ("day", pa.date64()),
            ("prices", pa.list_(pa.decimal128(10, 2))),
            ("moments", pa.list_(pa.timestamp("us"))),
            ("pair", pa.list_(pa.int32(), 2)),
            ("word", pa.dictionary(pa.int32(), pa.string())),
            ("run", pa.run_end_encoded(pa.int32(), pa.int64())),
        ]
    )
    body = (
        b'[{"price": "1.50", "mark": "ab", "opens": 36001500000, "takes": 90, "at": "2026-01-02T03:04:05",'
        b' "day": 1767312000000, "prices": ["0.10", null],'
        b' "moments": ["2026-01-02T03:04:05"], "pair": [1, 2], "word": "x", "run": 7}, {}]'
    )
    rows = rh.read_json(body, schema=schema)
    assert rows.notes == ()
    first = {
        "price": Decimal("1.50"),
        "mark": b"ab",
        "opens": dt.time(10, 0, 1, 500_000),
        "takes": dt.timedelta(seconds=90),
        "at": dt.datetime(2026, 1, 2, 3, 4, 5),  # noqa: DTZ001
        "day": dt.date(2026, 1, 2),
        "prices": [Decimal("0.10"), None],
        "moments": [dt.datetime(2026, 1, 2, 3, 4, 5)],  # noqa: DTZ001
        "pair": [1, 2],
        "word": "x",
        "run": 7,
    }
    assert rows.to_dicts() == [first, dict.fromkeys(first)]
    assert [type(value) for value in rows[0].values()] == [type(value) for value in first.values()]
    assert rows["price"].to_list() == [Decimal("1.50"), None]
    assert str(rows["prices"][0][0]) == "0.10"


def test_pandas_keeps_integers_exact_and_makes_no_objects():
    frame = ROWS.to_pandas()
    flat = {"id": "uint64", "n": "Int64", "ok": "boolean", "x": "float64", "city": "str"}
    assert frame.dtypes.astype(str).to_dict() | flat == frame.dtypes.astype(str).to_dict()
    assert {type(frame[name].dtype) for name in ("tags", "place")} == {pd.ArrowDtype}
    assert object not in set(frame.dtypes)
    assert frame["id"].tolist() == [row["id"] for row in DICTS]
    assert frame["n"].isna().tolist() == [False, True, False]
    assert frame["place"].struct.field("lat").tolist()[0] == 1.5


def test_a_column_without_any_value_is_object_and_a_declared_one_has_its_type():
    declared = pa.schema([("city", pa.string()), ("going", pa.float64())])
    frame = rh.read_json(b'[{"other": null}]', schema=declared).to_pandas()
    assert frame.dtypes.astype(str).to_dict() == {"city": "str", "going": "float64", "other": "object"}
    assert frame["other"].fillna(0).tolist() == [0]


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_pandas_has_its_types_by_name(backend):
    frame = ROWS.to_pandas(dtype_backend=backend)
    expected = {
        "numpy_nullable": ("UInt64", "Float64", "string"),
        "pyarrow": ("uint64[pyarrow]", "double[pyarrow]", None),
    }
    number, real, text = expected[backend]
    assert (str(frame["id"].dtype), str(frame["x"].dtype)) == (number, real)
    assert text is None or str(frame["city"].dtype) == text
    assert frame["city"].isna().tolist() == [False, True, False]
    assert frame["id"].tolist() == [row["id"] for row in DICTS]


def test_columns_are_added_to_a_wide_frame_without_a_warning():
    frame = rh.read_json(json.dumps([{f"column_{at}": at for at in range(150)}] * 2).encode()).to_pandas()
    frame["one more"] = 1  # pandas warns where columns of numbers stand in more than a hundred blocks
    assert frame.shape == (2, 151)
    assert frame.sum().tolist() == [2 * at for at in range(150)] + [2]


def test_nested_columns_become_text_or_objects_when_asked():
    texts = ROWS.to_pandas(nested="json")
    assert texts["place"].tolist()[:2] == ['{"lat":1.5}', '{"name":"here"}']
    assert texts["tags"].tolist()[:2] == ['["a",null]', "[]"]
    objects = ROWS.to_pandas(nested="objects")
    assert objects["place"].tolist() == [row["place"] for row in DICTS]


def test_an_option_that_is_none_is_refused():
    with pytest.raises(ValueError, match="dtype_backend"):
        ROWS.to_pandas(dtype_backend="arrow")
    with pytest.raises(ValueError, match="nested"):
        ROWS.to_pandas(nested="yes")


WRITTEN = """
import sys
if "without" in sys.argv:
    sys.modules["pyarrow"] = None   # as if it were not installed
import pandas as pd
import rowhaul as rh
body = b'[{"i": 1, "u": 18446744073709551615, "f": 1.5, "b": true, "s": "x", "at": "2026-11-01T10:00:00Z"}, '
body += b'{"i": 2, "u": 3, "f": 2.5, "b": false, "s": "y", "at": "2026-11-02T10:00:00Z"}]'
for gap in (b"]", b", {}]"):
    rows = rh.read_json(body[:-1] + gap, parse_dates="without" not in sys.argv)
    before = rows.to_dicts()
    for backend in (None, "numpy_nullable"):
        frame = rows.to_pandas(dtype_backend=backend)
        for column, value in {"i": 7, "u": 8, "f": 9.5, "b": False, "s": "z"}.items():
            frame.loc[0, column] = value
            assert frame[column].tolist()[0] == value, (column, backend)
        if "without" not in sys.argv:
            frame.loc[0, "at"] = pd.Timestamp("2030-01-01", tz="UTC")
        frame.loc[frame["i"] == 2, "f"] = 0
        frame["i"] += 1
        assert rows.to_dicts() == before
"""


@pytest.mark.parametrize("pyarrow", ["with", "without"])
def test_a_frame_is_there_to_be_written_to_and_the_rows_stay_as_they_are(pyarrow):
    done = subprocess.run([sys.executable, "-c", WRITTEN, pyarrow], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None   # as if it were not installed
import rowhaul as rh
rows = rh.read_json(sys.stdin.buffer)
frame = rows.to_pandas()
print(frame.dtypes.astype(str).to_dict())
print(frame["id"].tolist(), frame["n"].isna().tolist(), frame["ok"].tolist()[0], frame["x"].tolist()[0])
print(frame["city"].tolist()[0], frame["place"].tolist()[1])
print(rows.to_pandas(dtype_backend="numpy_nullable").dtypes.astype(str).to_dict()["x"])
try:
    rows.to_arrow()
except ModuleNotFoundError as error:
    print(error)
"""


def test_pandas_works_without_pyarrow():
    done = subprocess.run([sys.executable, "-c", WITHOUT_PYARROW], input=BODY, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode().splitlines()
    types = {
        "id": "uint64",
        "n": "Int64",
        "ok": "boolean",
        "x": "float64",
        "city": "str",
        "tags": "str",
        "place": "str",
    }
    assert lines[0] == str(types)
    assert lines[1] == "[9007199254740993, 2, 18446744073709551615] [False, True, False] True 1.5"
    assert lines[2:4] == ['Oslo {"name":"here"}', "Float64"]
    assert lines[4] == "this needs pyarrow, which is not installed: pip install pyarrow"


HELD_WITHOUT_PYARROW = """
import json, sys, tracemalloc
sys.modules["pyarrow"] = None   # as if it were not installed
import rowhaul as rh
body = json.dumps([{f"c{at}": n * at for at in range(30)} for n in range(5_000)])
rows = rh.read_json(body.encode())
rows.to_pandas()
tracemalloc.start()
frame = rows.to_pandas()
print(tracemalloc.get_traced_memory()[1] / frame.memory_usage(index=False).sum())
"""


def test_pandas_without_pyarrow_holds_one_column_of_numbers_twice_at_a_time():
    done = subprocess.run([sys.executable, "-c", HELD_WITHOUT_PYARROW], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert float(done.stdout) < 1.3


def test_an_empty_result_has_its_columns_everywhere():
    schema = pa.schema([("a", pa.int64()), ("b", pa.large_string()), ("c", pa.list_(pa.int64()))])
    rows = rh.read_json(b"[]", schema=schema)
    assert (len(rows), rows.columns, rows.to_dicts()) == (0, ["a", "b", "c"], [])
    assert pa.table(rows).schema.names == ["a", "b", "c"]
    assert rows.to_pandas().dtypes.astype(str).tolist()[:2] == ["int64", "str"]
    assert rows.to_polars().shape == (0, 3)


def test_rows_without_columns_are_rows_still():
    rows = rh.read_json(b"[{}, {}]")
    assert (len(rows), rows.columns, rows.to_dicts()) == (2, [], [{}, {}])
    assert rows.to_pandas().shape == (2, 0)


def test_dates_arrive_as_times():
    rows = rh.read_json(b'[{"at": "2026-11-01T10:00:00Z", "day": "2026-11-01"}]', parse_dates=True)
    assert rows.schema["at"] == "timestamp[us, UTC]"
    assert rows.schema["day"] == "date32"
    first = rows.to_dicts()[0]
    assert first["at"].isoformat() == "2026-11-01T10:00:00+00:00"
    assert first["day"].isoformat() == "2026-11-01"
    frame = rows.to_pandas()
    assert str(frame["at"].dtype) == "datetime64[us, UTC]"
    assert frame["day"].dt.year.tolist() == [2026]
    assert rh.read_json(b'[{"at": "2026-11-01T10:00:00Z"}]').schema["at"] == "string"


def test_times_with_more_decimals_than_microseconds_have_keep_every_one():
    rows = rh.read_json(b'[{"at": "2026-11-01T10:00:00.1234567Z"}, {"at": "2026-11-01T10:00:00Z"}]', parse_dates=True)
    assert rows.schema["at"] == "timestamp[ns, UTC]"
    assert rows.to_pandas()["at"].dt.nanosecond.tolist() == [700, 0]
    assert rows.to_polars()["at"].dt.nanosecond().to_list() == [123_456_700, 0]
    assert rows.to_arrow()["at"].cast("int64").to_pylist()[0] % 10**9 == 123_456_700
    assert rows.to_dicts()[0]["at"].microsecond == 123_456


def test_nanoseconds_are_cut_off_downwards_before_1970_too():
    rows = rh.read_json(b'[{"at": "1969-12-31T23:59:59.9999999Z"}, {"at": null}]', parse_dates=True)
    assert rows.to_dicts() == [{"at": dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, dt.UTC)}, {"at": None}]


def test_times_of_day_with_nanoseconds_go_to_pandas():
    rows = rh.read_json(b'[{"at": "12:34:56.123456789"}]', schema=pa.schema([("at", pa.time64("ns"))]))
    assert rows.to_pandas()["at"].tolist() == [dt.time(12, 34, 56, 123_456)]


DAYS_WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None   # as if it were not installed
import rowhaul as rh
frame = rh.read_json(b'[{"day": "2026-11-01"}, {"day": null}]', parse_dates=True).to_pandas()
print(frame["day"].dtype, frame["day"].dt.year.tolist())
"""


def test_dates_arrive_as_times_without_pyarrow():
    done = subprocess.run([sys.executable, "-c", DAYS_WITHOUT_PYARROW], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("datetime64[ms] [2026.0, nan]\n", 0), done.stderr


def test_a_name_with_a_nul_in_it_crosses_to_every_library():
    rows = rh.read_json(b'[{"id": 1, "a\\u0000b": "x", "o": {"c\\u0000": 2}}]')
    assert rows.to_dicts() == [{"id": 1, "a\0b": "x", "o": {"c\0": 2}}]
    assert rows.to_arrow().column_names == rows.to_polars().columns == ["id", "a\ufffdb", "o"]
    assert rows.to_arrow()["o"].to_pylist() == [{"c\ufffd": 2}]
    assert list(rows.to_pandas()["id"]) == [1]
    assert duckdb.sql("select id from rows").fetchall() == [(1,)]

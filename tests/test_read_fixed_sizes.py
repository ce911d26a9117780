"""Types of a fixed size, of which nulls take as much memory as values."""

import json

import pyarrow as pa
import pytest

import rowhaul as rh

TOO_LARGE = "its nulls would take more than the 2 GiB that those of a fixed size may take in a table"


def test_members_behind_one_that_is_not_made_are_looked_at():
    large = pa.list_(pa.list_(pa.int64(), 2**29))
    kind = pa.struct([("l", large), ("r", pa.int8()), ("m", pa.list_(pa.int64(), 2**31 - 1))])
    rows = rh.read_json(b'[{"a": {"l": [null], "r": 300, "m": null}}]', schema=pa.schema([("a", kind)]))
    assert rows["a"].to_list() == [{"l": [None], "r": 300, "m": None}]
    assert sorted(note.column for note in rows.notes) == ["a.l[]", "a.m", "a.r"]


@pytest.mark.parametrize("kind", [pa.list_(pa.int64(), 2**31 - 1), pa.struct([("v", pa.list_(pa.float32(), 2**30))])])
def test_nulls_of_a_fixed_size_do_not_take_all_memory(kind):
    rows = rh.read_json(b'[{"a": null}, {"b": 1}]', schema=pa.schema([("a", kind)]))
    assert rows.to_dicts() == [{"a": None, "b": None}, {"a": None, "b": 1}]
    assert TOO_LARGE in rows.notes[0].message


@pytest.mark.parametrize(
    ("value", "kind", "why"),
    [
        ([1], pa.list_(pa.int64(), 2**31 - 1), "such as [1]"),
        ([None], pa.list_(pa.list_(pa.int64(), 2**30), 1), TOO_LARGE),
        ([[1]], pa.list_view(pa.list_(pa.int64(), 2**30)), "such as [[1]]"),
        (None, pa.list_(pa.struct([(f"f{n}", pa.int64()) for n in range(1000)]), 2**20), TOO_LARGE),
        ("x", pa.binary(2**31 - 1), "not every value is known to survive that unchanged"),
    ],
    ids=["short", "within another", "within a view", "of objects", "bytes"],
)
def test_what_is_too_short_for_a_fixed_size_is_not_filled_up_with_all_memory(value, kind, why):
    body = json.dumps([{"a": value}] * 1000).encode()
    rows = rh.read_json(body, schema=pa.schema([("a", kind)]))
    assert rows["a"].to_list() == [value] * 1000
    assert rows.notes[0].message.endswith(why)


def test_a_column_that_is_not_made_takes_no_room_of_others():
    schema = pa.schema([("x", pa.list_(pa.int64(), 2**29)), ("e", pa.list_(pa.float64(), 2)), ("l", pa.binary(1000))])
    rows = rh.read_json(b'[{"x": null, "e": [1.0, 2.0], "l": "x"}, {"x": null, "e": null, "l": null}]', schema=schema)
    assert pa.table(rows).schema.field("e").type == pa.list_(pa.float64(), 2)
    assert rows["e"].to_list() == [[1.0, 2.0], None]
    assert [note.column for note in rows.notes] == ["x", "l"]


def test_what_becomes_of_a_fixed_size_does_not_depend_on_batches():
    schema = pa.schema([("a", pa.list_(pa.int64(), 10_000)), ("b", pa.list_(pa.int64(), 40))])
    rows = [{"a": [1] * 10_000, "b": None}, *({"p": "x" * 100} for _ in range(60_000)), {"b": [1] * 40}]
    body = json.dumps(rows).encode()
    read = [rh.read_json(body, schema=schema, threads=threads) for threads in (1, 2, 4)]
    assert all(table == read[0] and table.notes == read[0].notes for table in read)
    assert pa.table(read[0]).schema.field("b").type == pa.list_(pa.int64(), 40)
    assert [(note.column, TOO_LARGE in note.message) for note in read[0].notes] == [("a", True)]


def test_columns_of_a_fixed_size_share_what_memory_their_nulls_may_take():
    kinds = [(f"a{n}", pa.list_(pa.int64(), 2**26)) for n in range(100)]
    rows = rh.read_json(b"[{}]", schema=pa.schema(kinds))
    assert len(rows.notes) == 100
    assert rows.to_dicts() == [dict.fromkeys(rows.columns)]

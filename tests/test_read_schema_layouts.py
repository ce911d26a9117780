"""The types a caller asks for within others: elements, members and what is encoded, whatever the layout that holds them."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

import rowhaul as rh


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1.5", "2"], pa.float64()),
        (["5.0", "7.25"], pa.decimal128(10, 2)),
        ([0.5, 2.25], pa.decimal128(10, 2)),
        (["2024-01-05", "2024-01-06"], pa.date32()),
        (["2024-01-05T10:00", "2024-01-05T10:00:30"], pa.timestamp("us")),
    ],
    ids=str,
)
def test_elements_convert_alike_in_arrays_of_every_layout(values, kind):
    body = json.dumps([{"a": values}, {"a": None}]).encode()
    expected = rh.read_json(body, schema=pa.schema([("a", pa.list_(kind))]))["a"].to_list()
    for layout in (pa.list_(kind, 2), pa.list_view(kind), pa.large_list(kind), pa.large_list_view(kind)):
        rows = rh.read_json(body, schema=pa.schema([("a", layout)]))
        assert (pa.table(rows).schema.field("a").type, rows.notes) == (layout, ())
        assert rows["a"].to_list() == expected


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1.5", "2.50"], pa.float64()),
        (["5.0", "7.25"], pa.decimal128(10, 2)),
        ([0.5, 2.25], pa.decimal128(10, 2)),
        (["12", "-7"], pa.int64()),
    ],
    ids=str,
)
def test_what_is_encoded_converts_as_it_does_without(values, kind):
    body = json.dumps([{"a": value} for value in [*values, None]]).encode()
    expected = rh.read_json(body, schema=pa.schema([("a", kind)]))["a"].to_list()
    for encoding in (pa.dictionary(pa.int32(), kind), pa.run_end_encoded(pa.int32(), kind)):
        rows = rh.read_json(body, schema=pa.schema([("a", encoding)]))
        assert (pa.table(rows).schema.field("a").type, rows.notes) == (encoding, ())
        assert rows["a"].to_list() == expected


@pytest.mark.parametrize("layout", [pa.list_, pa.large_list, pa.list_view, lambda kind: pa.list_(kind, 1)])
def test_members_of_objects_convert_alike_in_arrays_of_every_layout(layout):
    members = [("n", pa.decimal128(10, 2)), ("at", pa.timestamp("us", "UTC")), ("id", pa.int64()), ("more", pa.int8())]
    body = b'[{"a": [{"at": "2024-01-05T10:00Z", "n": 0.5, "id": "12"}]}, {"a": [{"n": 2, "id": null}]}]'
    kind = layout(pa.struct(members))
    rows = rh.read_json(body, schema=pa.schema([("a", kind)]))
    assert (pa.table(rows).schema.field("a").type, rows.notes) == (kind, ())
    assert rows["a"].to_list() == [
        [{"n": Decimal("0.50"), "at": datetime(2024, 1, 5, 10, tzinfo=UTC), "id": 12, "more": None}],
        [{"n": Decimal("2.00"), "at": None, "id": None, "more": None}],
    ]


def test_a_member_that_a_layout_of_its_own_does_not_name_is_not_lost():
    kind = pa.list_view(pa.struct([("y", pa.int64())]))
    rows = rh.read_json(b'[{"a": [{"x": 1, "y": 2}]}]', schema=pa.schema([("a", kind)]))
    assert rows.to_dicts() == [{"a": [{"y": 2, "x": 1}]}]
    assert len(rows.notes) == 1


def opaque(kind):
    """Types that Arrow's own casts make of a whole value."""
    return (
        pa.run_end_encoded(pa.int32(), kind),
        pa.dictionary(pa.int32(), kind),
        pa.list_view(pa.run_end_encoded(pa.int32(), kind)),
    )


@pytest.mark.parametrize("kind", opaque(pa.struct([("y", pa.binary(3)), ("y", pa.float32())])), ids=str)
def test_a_name_that_stands_twice_is_found_however_deep(kind):
    with pytest.raises(rh.errors.ConfigError, match="`schema` names `y` twice"):
        rh.read_json(b'[{"a": {"y": 300}}, {"a": {"x": 1}}]', schema=pa.schema([("a", kind)]))


@pytest.mark.parametrize("kind", opaque(pa.struct([("x", pa.list_(pa.int64(), 0)), ("y", pa.int8())])), ids=str)
def test_arrays_that_are_always_empty_within_others_are_not_made(kind):
    for number in (1, 300):
        value = {"x": [], "y": number}
        value = [value] if pa.types.is_list_view(kind) else value
        rows = rh.read_json(json.dumps([{"a": value}]).encode(), schema=pa.schema([("a", kind)]))
        assert (rows["a"].to_list(), len(rows.notes) > 0) == ([value], True)

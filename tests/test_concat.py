"""Tables put together: what their notes say, and dictionaries of few keys."""

import io
import json
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest

import rowhaul as rh


def read(rows, **options):
    return rh.read_json(json.dumps(rows).encode(), **options)


def told(rows):
    return [f"{note.column}: {note.message}" if note.column else note.message for note in rows.notes]


def test_a_note_is_not_dropped_because_it_holds_no_more_of_another_column():
    odd = read([{"a": {"b": 1}, "a.b": 1}, {"a": {"b": "x"}, "a.b": "x"}])
    joined = rh.concat([odd, read([{"a": "text", "a.b": "y"}])])
    assert "a.b: text and numbers: kept as text, values other than strings as JSON text" in told(joined)


@pytest.mark.parametrize(
    ("member", "schema"),
    [
        ({"a": 1.5}, pa.struct([pa.field("a", pa.int64())])),
        ({"a": None}, pa.struct([pa.field("a", pa.int64(), nullable=False)])),
        ({"a\0b": 1}, None),
    ],
)
def test_notes_on_members_go_once_there_are_none(member, schema):
    options = {} if schema is None else {"schema": pa.schema([("o", schema)])}
    first = read([{"o": member}], **options)
    assert [note.column.split(".")[0] for note in first.notes] == ["o"]
    joined = rh.concat([first, read([{"o": "text"}])])
    assert told(joined) == ["o: text and objects: kept as text, values other than strings as JSON text"]


def test_what_was_sent_twice_stays_told_whatever_its_name_is():
    twice = rh.read_json(b'[{"c": {"kept as x": {"k": 1, "k": 2}}}]')
    assert told(twice)[0] in told(rh.concat([twice, read([{"c": "t"}])]))


def test_more_notes_than_five_hundred_are_counted_once():
    many = [f"c{n}" for n in range(700)]
    numbers, texts = read([dict.fromkeys(many, 1)]), read([dict.fromkeys(many, "x")])
    joined = rh.concat([numbers, texts])
    assert (len(joined.notes), told(joined)[-1]) == (501, "and 200 more notes")
    others = [name.upper() for name in many]
    again = rh.concat([joined, read([dict.fromkeys(others, 1)]), read([dict.fromkeys(others, "x")])])
    assert (len(again.notes), told(again)[-1]) == (501, "and at least 900 more notes")
    assert pa.table(again).schema.field("C699").metadata[b"rowhaul.note"]


def test_the_note_on_a_decimal_that_became_text_names_what_it_was():
    schema = pa.schema([("a", pa.decimal128(10, 2))])
    joined = rh.concat([read([{"a": 0.1}], schema=schema), read([{"a": 0.5}])])
    assert told(joined) == ["a: decimal128(10, 2) and float64: kept as text"]


def test_units_of_times_and_durations_become_the_finest_and_decimals_the_most_precise():
    def part(kind):
        value = "00:00:05" if pa.types.is_time(kind) else "2024-01-02" if pa.types.is_date(kind) else 5
        return read([{"a": value}], schema=pa.schema([("a", kind)]))

    for coarse, fine in [
        (pa.time32("s"), pa.time32("ms")),
        (pa.time32("ms"), pa.time64("us")),
        (pa.date32(), pa.date64()),
        (pa.decimal128(38, 2), pa.decimal256(50, 2)),
        (pa.time64("us"), pa.time64("ns")),
        (pa.duration("s"), pa.duration("us")),
    ]:
        for kinds in ((coarse, fine), (fine, coarse)):
            joined = rh.concat([part(kind) for kind in kinds])
            assert pa.table(joined).schema.field("a").type == fine
            assert not joined.notes
            assert joined["a"].to_list() == [value for kind in kinds for value in part(kind)["a"].to_list()]


def test_lone_surrogates_of_all_tables_are_counted():
    one, two = (rh.read_json(b'[{"a": "' + rb"\ud800" * count + b'"}]') for count in (1, 2))
    assert told(rh.concat([one, one, two])) == ["4 lone surrogates became U+FFFD"]


def test_notes_on_tables_take_no_room_of_those_on_columns():
    pages = [read([{"a": 1}], parse_dates=[f"no{page}"]) for page in range(600)]
    joined = rh.concat([*pages, read([{"a": "text"}])])
    assert any(note.column == "a" for note in joined.notes)
    assert (len(joined.notes), told(joined)[-1]) == (502, "and 100 more notes")


def test_a_list_of_a_fixed_size_that_is_none_any_more_is_told():
    schema = pa.schema([("a", pa.list_(pa.int64(), 10**6))])
    joined = rh.concat([rh.read_json(b"[]", schema=schema), *[read([{"b": 1}])] * 301])
    assert joined.schema["a"] == "list<int64>"
    assert told(joined) == [
        (
            "a: fixed_size_list<int64, 1000000>, kept as list<int64>: its nulls would take more than the 2 GiB that those "
            "of a fixed size may take in a table"
        )
    ]


def test_dictionaries_have_keys_for_the_values_of_all_tables():
    schema = pa.schema([("a", pa.dictionary(pa.int8(), pa.string()))])
    halves = [read([{"a": f"v{n}"} for n in range(start, start + 100)], schema=schema) for start in (0, 100)]
    joined = rh.concat(halves)
    assert pa.table(joined).schema.field("a").type == pa.dictionary(pa.int32(), pa.string())
    file = io.BytesIO()
    joined.write_ipc(file)
    assert pl.read_ipc(file.getvalue())["a"].to_list() == [f"v{n}" for n in range(200)]
    assert rh.concat([halves[0], halves[0]]).schema == halves[0].schema
    wide = read([{"a": "v0"}], schema=pa.schema([("a", pa.dictionary(pa.int64(), pa.string()))]))
    assert pa.table(rh.concat([halves[0], wide])).schema.field("a").type == pa.dictionary(pa.int64(), pa.string())


def test_of_two_lists_of_a_fixed_size_the_larger_is_given_up_whichever_comes_first():
    for names in (["a", "b"], ["b", "a"]):
        kinds = {"a": pa.list_(pa.int64(), 2_000_000), "b": pa.list_(pa.int64(), 1_000_000)}
        schema = pa.schema([(name, kinds[name]) for name in names])
        joined = rh.concat([rh.read_json(b"[]", schema=schema), read([{"c": 1}] * 200)])
        assert (joined.schema["a"], joined.schema["b"]) == ("list<int64>", "fixed_size_list<int64, 1000000>")


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        (pa.decimal32(5, 2), pa.decimal32(9, 2), pa.decimal32(9, 2)),
        (pa.decimal64(12, 2), pa.decimal128(20, 2), pa.decimal128(20, 2)),
        (pa.decimal256(40, 2), pa.decimal32(5, 2), pa.decimal256(40, 2)),
        (pa.decimal128(10, 2), pa.decimal128(8, 3), pa.decimal128(11, 3)),
        (pa.decimal32(9, 2), pa.decimal32(9, 4), pa.decimal64(11, 4)),
    ],
    ids=str,
)
def test_decimals_are_joined_in_one_with_the_digits_of_both(one, other, joined):
    tables = [read([{"a": 1.25}], schema=pa.schema([("a", kind)])) for kind in (one, other)]
    rows = rh.concat(tables)
    assert (pa.table(rows).schema.field("a").type, rows.notes) == (joined, ())
    assert rows["a"].to_list() == [Decimal("1.25")] * 2


def test_decimals_of_more_digits_than_any_has_are_joined_as_text():
    tables = [
        read([{"a": 1.25}], schema=pa.schema([("a", kind)])) for kind in (pa.decimal256(76, 2), pa.decimal256(76, 9))
    ]
    assert rh.concat(tables).schema["a"] == "string"


def test_times_of_two_zones_are_joined_in_utc():
    kinds = [pa.timestamp("ms", "Europe/Berlin"), pa.timestamp("us", "America/New_York")]
    tables = [read([{"a": "2024-01-05T10:00:00+01:00"}], schema=pa.schema([("a", kind)])) for kind in kinds]
    joined = rh.concat(tables)
    assert (pa.table(joined).schema.field("a").type, joined.notes) == (pa.timestamp("us", "UTC"), ())
    assert [str(time) for time in joined["a"].to_list()] == ["2024-01-05 09:00:00+00:00"] * 2


def test_days_that_become_text_have_no_time_of_day():
    days = rh.read_json(b'[{"a": "2024-02-29"}]', schema=pa.schema([("a", pa.date64())]))
    assert days.notes == ()
    joined = rh.concat([days, rh.read_json(b'[{"a": true}]')])
    assert joined.to_dicts() == [{"a": "2024-02-29"}, {"a": "true"}]

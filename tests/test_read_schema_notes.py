"""What is told of types that were asked for and not given: which notes, of which value, and how many."""

import json

import pyarrow as pa
import pytest

import rowhaul as rh


def test_notes_name_types_as_the_schema_does():
    types = [pa.int16(), pa.timestamp("us", "UTC"), pa.time64("us"), pa.duration("s"), pa.list_(pa.date32())]
    schema = pa.schema([(f"c{at}", kind) for at, kind in enumerate(types)])
    rows = rh.read_json(b'[{"c0": 70000, "c1": "x", "c2": "x", "c3": "x", "c4": ["x"]}]', schema=schema)
    told = dict.fromkeys(
        note.message.split(", kept as")[0] for note in rows.notes if note.message.startswith("asked for")
    )
    expected = ["int16", "timestamp[us, UTC]", "time64[us]", "duration[s]", "date32"]
    assert list(told) == [f"asked for as {name}" for name in expected]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("values", "wanted", "told"),
    [
        (["9.5", "n/a", "?"], pa.float64(), 'JSON text; float64 does not hold "n/a"'),
        ([1, 2, 300], pa.int8(), "not every value is known to survive that unchanged, such as 300"),
        ([0.5, 1e300], pa.decimal128(10, 2), "not every value is known to survive that unchanged, such as 1e300"),
        (["x" * 50], pa.int64(), f'JSON text; int64 does not hold "{"x" * 40}…"'),
        ([9.5, 1, "5.00", "n/a"], pa.float64(), 'JSON text; float64 does not hold "n/a"'),
        (
            ["19.99", "007"],
            pa.float64(),
            'JSON text; "007" is not a JSON number, or float64 cannot hold it exactly',
        ),
    ],
    ids=["text", "integers", "floats", "long text", "mixed", "other spelling"],
)
def test_the_first_value_that_does_not_survive_a_type_is_named(values, wanted, told, threads):
    pad = "x" * (8_000_000 // (20_000 * len(values)))
    body = json.dumps([{"pad": pad, "b": {"c": value}} for value in values for _ in range(20_000)]).encode()
    schema = pa.schema([("b", pa.struct([("c", wanted)]))])
    (note,) = rh.read_json(body, schema=schema, threads=threads).notes
    assert (note.column, note.message[-len(told) :]) == ("b.c", told)


@pytest.mark.parametrize(
    ("values", "wanted", "told"),
    [
        (["2024-01-01T10:00", "n/a"], pa.timestamp("us"), '"n/a" is not an ISO 8601 date or time'),
        (["1.5", "NaN"], pa.float64(), 'float64 does not hold "NaN"'),
        (["1.5", "1e999"], pa.float64(), 'float64 does not hold "1e999"'),
    ],
    ids=["a time", "no number", "too large"],
)
def test_no_value_is_blamed_that_a_type_holds(values, wanted, told):
    body = json.dumps([{"a": value} for value in values]).encode()
    (note,) = rh.read_json(body, schema=pa.schema([("a", wanted)])).notes
    assert note.message.endswith(told)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([5, 2.5], pa.list_(pa.int64())),
        (["1", "x"], pa.list_(pa.int64())),
        (["1", "x"], pa.dictionary(pa.int32(), pa.list_(pa.int64()))),
        ([{"x": 1}], pa.list_view(pa.struct([("x", pa.int64())]))),
    ],
    ids=str,
)
def test_a_type_that_takes_no_such_values_at_all_names_none_of_them(values, kind, threads):
    pad = "x" * (9_000_000 // (400 * len(values)))
    body = json.dumps([{"pad": pad, "a": value} for value in values for _ in range(400)]).encode()
    (note,) = rh.read_json(body, schema=pa.schema([("a", kind)]), threads=threads).notes
    assert not any(word in note.message for word in ("such as", "does not hold", "come out")), note


@pytest.mark.parametrize("value", [lambda n: n // 200, lambda n: n % 1000], ids=["few", "many"])
def test_which_value_is_named_does_not_depend_on_who_reads_it(value):
    rows = [{"pad": "x" * 250, "a": {"x": value(n)}} for n in range(40_000)] + [{"a": {"x": 40_000}}]
    schema = pa.schema([("a", pa.struct([("x", pa.dictionary(pa.int8(), pa.int16()))]))])
    notes = {rh.read_json(json.dumps(rows).encode(), schema=schema, threads=threads).notes for threads in (1, 2, 4)}
    assert len(notes) == 1
    assert "such as 40000" in str(notes)


def test_what_is_converted_within_a_type_is_not_told_to_be_kept():
    for kind in (pa.list_(pa.float64(), 2), pa.list_view(pa.float64()), pa.list_view(pa.string())):
        assert not rh.read_json(b'[{"a": ["1.5", "2.5"]}]', schema=pa.schema([("a", kind)])).notes, kind


def test_notes_on_members_without_a_type_of_their_own_stay_where_others_have_one():
    body = b'[{"s": {"a": 1, "b": 1}}, {"s": {"a": 2, "b": "x"}}]'
    rows = rh.read_json(body, schema=pa.schema([("s", pa.struct([("a", pa.int16())]))]))
    assert rows.schema == {"s": "struct<a: int16, b: string>"}
    (note,) = rows.notes
    assert note.column == "s.b"


def test_notes_on_members_are_the_same_whatever_the_threads_and_whichever_row_comes_first():
    count = 30_000
    rows = [
        {"s": {"a": 2**40 if n > count - 5 else 1, "b": 2**40 if n < 5 else 1}, "pad": "x" * 200} for n in range(count)
    ]
    body = json.dumps(rows).encode()
    schema = pa.schema([("s", pa.struct([("a", pa.int8()), ("b", pa.int8()), ("c", pa.int8())]))])
    one, two = (pa.table(rh.read_json(body, schema=schema, threads=threads)) for threads in (1, 2))
    assert one.num_rows == count
    assert one.schema.equals(two.schema, check_metadata=True)
    assert one.equals(two)
    assert [note.column for note in rh.read_json(body, schema=schema).notes] == ["s.a", "s.b"]


def test_notes_of_one_table_are_not_taken_for_those_of_another_of_its_schema():
    noted = pa.table(rh.read_json(b'[{"a": 1}, {"a": "x"}]'))
    assert b"rowhaul.note" in noted.schema.field("a").metadata
    rows = rh.read_json(b'[{"a": "y"}]', schema=noted.schema)
    assert not rows.notes
    assert pa.table(rows).schema.field("a").metadata is None


def test_a_note_on_a_member_is_not_taken_for_one_on_a_column_that_is_spelled_alike():
    body = b'[{"s": {"b": 1}, "s.b": 5}, {"s": {"b": "x"}, "s.b": 6}]'
    (note,) = rh.read_json(body, schema=pa.schema([("s.b", pa.int8())])).notes
    assert "text" in note.message


def test_thousands_of_members_without_their_types_are_told_in_few_notes():
    names = [f"m{n}" for n in range(5000)]
    body = json.dumps([{"s": dict.fromkeys(names, "x")}]).encode()
    rows = rh.read_json(body, schema=pa.schema([("s", pa.struct([(name, pa.int8()) for name in names]))]))
    assert 500 <= len(rows.notes) <= 1002
    assert rows.notes[-1].message == "and 4500 more notes"
    assert rows["s"].to_list()[0]["m4999"] == "x"


def test_what_needs_no_note_takes_none_from_what_does():
    names = [f"c{n}" for n in range(600)]
    rows = [dict.fromkeys(names, 2**70) | {"z": 1}, {"z": "x"}]
    schema = pa.schema([(name, pa.decimal128(38, 0)) for name in names])
    read = rh.read_json(json.dumps(rows).encode(), schema=schema)
    assert [(note.column, "text and numbers" in note.message) for note in read.notes] == [("z", True)]


def test_what_holds_of_the_table_is_told_however_many_notes_there_are_on_columns():
    names = [f"c{n}" for n in range(600)]
    body = json.dumps([dict.fromkeys(names, 1), dict.fromkeys(names, "x") | {"s": "\ud800"}]).encode()
    told = [note.message for note in rh.read_json(body, parse_dates=["nope"]).notes if note.column is None]
    assert told == ["1 lone surrogate became U+FFFD", "parse_dates: there is no column `nope`", "and 100 more notes"]


def test_notes_on_two_of_one_path_are_both_told():
    schema = pa.schema([("a", pa.struct([("b", pa.int8())])), ("a.b", pa.int8())])
    rows = rh.read_json(b'[{"a": {"b": 300}, "a.b": "x"}]', schema=schema)
    assert [note.column for note in rows.notes] == ["a.b", "a.b"]


def test_thousands_of_columns_that_are_no_dates_are_told_in_few_notes():
    names = [f"c{n}" for n in range(3000)]
    rows = [dict.fromkeys(names, "2024-01-01"), dict.fromkeys(names, "x")]
    read = rh.read_json(json.dumps(rows).encode(), parse_dates=True)
    assert (len(read.notes), read.notes[-1].message) == (501, "and 2500 more notes")


@pytest.mark.parametrize(
    ("values", "kind", "such"),
    [
        ([[1, 2]] * 6 + [None, [7]], pa.list_(pa.int64(), 2), "[7]"),
        ([[1, 2], [3, 4], [5, 6], [7]], pa.list_(pa.int64(), 2), "[7]"),
        ([[1], [300]], pa.list_view(pa.int8()), "[300]"),
        ([{"x": [1]}, {"x": [2, 3]}], pa.struct([("x", pa.list_(pa.int64(), 1))]), "[2,3]"),
    ],
    ids=["behind a null", "behind others", "of a view", "of a member"],
)
def test_the_first_array_that_does_not_survive_a_type_is_named(values, kind, such):
    rows = rh.read_json(json.dumps([{"a": value} for value in values]).encode(), schema=pa.schema([("a", kind)]))
    assert rows["a"].to_list() == values
    assert rows.notes[0].message.endswith(f"such as {such}")


def test_notes_on_two_members_of_one_path_are_both_told():
    of_dots = pa.struct([("b.c", pa.int8()), ("b", pa.struct([("c", pa.int8())]))])
    rows = rh.read_json(b'[{"a": {"b.c": "x", "b": {"c": 300}}}]', schema=pa.schema([("a", of_dots)]))
    assert [note.column for note in rows.notes] == ["a.b.c", "a.b.c"]


def test_names_of_no_columns_take_no_room_of_notes_on_columns():
    rows = rh.read_json(b'[{"a": "x"}]', parse_dates=[*(f"m{n}" for n in range(600)), "a"])
    assert "a" in [note.column for note in rows.notes]
    assert (len(rows.notes), rows.notes[-1].message) == (502, "and 100 more notes")


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ("2024-01-05T00:00:00Z", pa.timestamp("us"), "has an offset, and a timestamp without a zone takes none"),
        ("2024-01-05T00:00:00", pa.timestamp("us", "UTC"), "has no offset, and a timestamp with a zone needs one"),
        ("2024-01-05", pa.timestamp("us", "UTC"), "has no offset, and a timestamp with a zone needs one"),
        ("1066-10-14", pa.timestamp("ns"), "is too far from 1970 to be counted in its unit"),
        ("2024-01-05T00:00:00.5Z", pa.timestamp("s", "UTC"), "is finer than its unit"),
        ("9999-12-31T23:59:59-05:00", pa.timestamp("us", "UTC"), "is not an ISO 8601 date or time"),
        ("01/05/2024", pa.timestamp("us"), "is not an ISO 8601 date or time"),
    ],
)
def test_text_that_is_no_such_time_is_told_with_why_it_is_none(text, kind, why):
    (note,) = rh.read_json(json.dumps([{"a": text}]).encode(), schema=pa.schema([("a", kind)])).notes
    assert note.message.endswith(f'kept as string: "{text}" {why}')


def test_text_that_is_no_date_is_told():
    (note,) = rh.read_json(b'[{"a": "01/05/2024"}]', schema=pa.schema([("a", pa.date32())])).notes
    assert note.message.endswith('not every text is an ISO 8601 date, such as "01/05/2024"')


@pytest.mark.parametrize(
    ("named", "there"), [("start_date", "startDate"), ("EventURL", "eventUrl"), ("lön id", "Lön-ID")]
)
def test_a_column_that_is_called_almost_as_the_schema_says_is_named(named, there):
    body = json.dumps([{there: "x", "id": 1}]).encode()
    schema = pa.schema([(named, pa.string()), ("id", pa.int64())])
    (note,) = rh.read_json(body, schema=schema).notes
    assert note.column == named
    assert f"the rows have `{there}`" in note.message
    (note,) = rh.read_json(body, parse_dates=[named]).notes
    assert note.message == f"parse_dates: there is no column `{named}`; did you mean `{there}`?"


def test_columns_that_are_called_otherwise_are_not_taken_for_misspelt():
    schema = pa.schema([("image1", pa.string()), ("_", pa.string()), ("price", pa.float64())])
    assert rh.read_json(b'[{"image2": "x", "$": 1, "prices": [1]}]', schema=schema).notes == ()
    assert rh.read_json(b'[{"price": 1, "PRICE": 2}]', schema=schema).notes == ()


def test_of_columns_that_are_called_alike_those_with_values_are_told():
    schema = pa.schema([("price", pa.float64()), ("PRICE", pa.float64())])
    (note,) = rh.read_json(b'[{"PRICE": 1, "Price": 2, "pr ice": null}]', schema=schema).notes
    assert (note.column, "the rows have `Price`: was that meant?" in note.message) == ("price", True)
    (note,) = rh.read_json(b'[{"Price": 1, "pr ice": 2}]', schema=schema.remove(1)).notes
    assert "the rows have `Price`, `pr ice`: was one of them meant?" in note.message
    assert rh.read_json(b'[{"Price": null}]', schema=schema.remove(1)).notes == ()


def test_names_of_any_length_make_no_note_of_any_length():
    name = "x" * 100_000
    schema = pa.schema([(name.upper(), pa.int64())])
    (note,) = rh.read_json(b'[{"%s": 1}]' % name.encode(), schema=schema).notes
    assert len(note.message) < 500
    (note,) = rh.read_json(b'[{"a": 1}]', parse_dates=[name]).notes
    assert len(note.message) < 500

"""The types a caller asks for: columns have them where every value survives that, and so have members of objects."""

import json

import pyarrow as pa
import pytest

import rowhaul as rh


@pytest.mark.parametrize(
    ("declared", "number"),
    [
        (pa.timestamp("s"), 2**63 - 1),
        (pa.timestamp("s"), 1_700_000_000_000),
        (pa.time64("us"), 1_700_000_000_000_000),
        (pa.time32("s"), -1),
        (pa.date32(), 20_240_131),
        (pa.date64(), 1_700_000_000),
        (pa.duration("s"), 2**63 - 1),
    ],
)
def test_a_number_that_is_no_moment_is_kept_as_a_number(declared, number):
    rows = rh.read_json(b'[{"a": %d}]' % number, schema=pa.schema([("a", declared)]))
    assert (rows.to_dicts(), len(rows.notes)) == ([{"a": number}], 1)


def test_columns_of_bytes_are_told_to_hold_more_than_text_as_columns_of_text_are():
    body = b'[{"a": "x"}, {"a": 5}, {"a": [1]}]'
    notes = [rh.read_json(body, schema=pa.schema([("a", kind)])).notes for kind in (pa.string(), pa.binary())]
    assert notes[0] == notes[1]
    assert "numbers and arrays" in notes[0][0].message


def test_few_keys_do_for_times_of_any_zone():
    kind = pa.dictionary(pa.int8(), pa.timestamp("s", "Europe/Oslo"))
    rows = rh.read_json(b'[{"a": "2024-01-01T00:00:00Z"}] ', schema=pa.schema([("a", kind)]))
    assert (pa.table(rows).schema.field("a").type, len(rows.notes)) == (kind, 0)


def test_numbers_of_moments_that_there_are_become_those():
    schema = pa.schema([("at", pa.timestamp("s")), ("day", pa.date32()), ("took", pa.duration("ms"))])
    rows = rh.read_json(b'[{"at": 1700000000, "day": 19700, "took": -5}]', schema=schema)
    (row,) = rows.to_dicts()
    assert [str(value) for value in row.values()] == ["2023-11-14 22:13:20", "2023-12-09", "-1 day, 23:59:59.995000"]
    assert len(rows.notes) == 0


def test_text_that_says_it_is_no_number_stays_text_in_a_declared_float_column():
    for text in ("NaN", "inf", "-Infinity"):
        rows = rh.read_json(json.dumps([{"a": text}]).encode(), schema=pa.schema([("a", pa.float64())]))
        assert rows.to_dicts() == [{"a": text}]
        assert rows.notes


@pytest.mark.parametrize("value", ["inf", 10**18], ids=str)
def test_nothing_unsound_gets_in_by_way_of_what_holds_it(value):
    kind = pa.float64() if value == "inf" else pa.timestamp("us")
    holders = [pa.dictionary(pa.int32(), kind), pa.run_end_encoded(pa.int32(), kind)]
    lists = [pa.list_(kind, 1), pa.list_view(kind), pa.large_list_view(kind), pa.list_(pa.struct([("x", kind)]), 1)]
    for wanted in holders + lists:
        sent = value if wanted in holders else [{"x": value}] if wanted is lists[-1] else [value]
        rows = rh.read_json(json.dumps([{"a": sent}]).encode(), schema=pa.schema([("a", wanted)]))
        assert rows.to_dicts() == [{"a": sent}]
        assert rows.notes


def test_nulls_of_values_in_runs_are_nulls_everywhere():
    schema = pa.schema([("a", pa.run_end_encoded(pa.int32(), pa.int64()))])
    rows = rh.read_json(b'[{"a": 5}, {"a": null}]', schema=schema)
    assert rows.to_dicts() == [{"a": 5}, {"a": None}]
    assert rows["a"].to_list() == pa.array(rows["a"]).to_pylist() == [5, None]


def test_a_dictionary_has_keys_for_all_of_its_column_or_is_none_whatever_the_threads():
    schema = pa.schema([("a", pa.dictionary(pa.int8(), pa.string()))])
    for values, data_type in ((128, "dictionary<int8, string>"), (129, "string")):
        body = json.dumps([{"a": f"s{n * values // 60_000}", "pad": "x" * 60} for n in range(60_000)]).encode()
        for threads in (1, 2, 4):
            rows = rh.read_json(body, schema=schema, threads=threads)
            assert (rows.schema["a"], len(rows.notes)) == (data_type, int(data_type == "string"))


@pytest.mark.parametrize(
    "wanted",
    [
        pa.struct([("x", pa.dictionary(pa.int8(), pa.string()))]),
        pa.list_(pa.dictionary(pa.int16(), pa.string())),
        pa.run_end_encoded(pa.int16(), pa.string()),
    ],
    ids=str,
)
def test_types_that_may_be_full_before_the_last_row_are_not_taken_for_some_rows(wanted):
    value = {"x": "t"} if pa.types.is_struct(wanted) else ["t"] if pa.types.is_list(wanted) else "t"
    rows = rh.read_json(json.dumps([{"a": value}]).encode(), schema=pa.schema([("a", wanted)]))
    (note,) = rows.notes
    assert note.column.startswith("a")
    assert "not every value is known to survive" in note.message
    assert rows.to_dicts() == [{"a": value}]


@pytest.mark.parametrize(
    ("value", "wanted", "kept"),
    [
        (7, pa.list_(pa.int64(), 1), "7"),
        ({"x": 7}, pa.list_(pa.string(), 1), '{"x":7}'),
        ([7], pa.list_(pa.list_(pa.int64(), 1), 1), ["7"]),
        ([{"y": 7}], pa.list_(pa.struct([("y", pa.list_(pa.int64(), 1))]), 1), [{"y": "7"}]),
    ],
    ids=str,
)
def test_no_array_is_made_of_a_value_that_is_none(value, wanted, kept):
    rows = rh.read_json(json.dumps([{"a": value}]).encode(), schema=pa.schema([("a", wanted)]))
    assert rows.to_dicts() == [{"a": kept}]
    assert rows.notes


@pytest.mark.parametrize("wanted", [pa.int64(), pa.field("a", pa.int8()), 5], ids=str)
def test_what_is_no_schema_is_told_with_what_is_wanted(wanted):
    with pytest.raises(TypeError, match=r"an Arrow schema is wanted .* not "):
        rh.read_json(b'[{"a": 1}]', schema=wanted)


def test_a_schema_that_cannot_be_read_is_told_with_what_is_wrong_with_it():
    with pytest.raises(ValueError, match=r"(?i)utf-?8"):
        rh.read_json(b'[{"a": 1}]', schema=pa.schema([("a", pa.int64())], metadata={b"k": b"\xff"}))


def test_members_that_a_schema_does_not_name_stay_behind_those_it_does():
    body = b'[{"s": {"b": "x", "a": 1}, "l": [{"z": true, "q": 1.5}]}, {"s": {"a": null}}, {"other": 1}]'
    schema = pa.schema(
        [
            ("s", pa.struct([("a", pa.int32())])),
            ("l", pa.large_list(pa.struct([("q", pa.float32()), ("at", pa.date32())]))),
        ]
    )
    for threads in (1, 2):
        rows = rh.read_json(body, schema=schema, threads=threads)
        assert rows.schema == {
            "s": "struct<a: int32, b: string>",
            "l": "list<struct<q: float32, at: date32, z: bool>>",
            "other": "int64",
        }
        assert rows["s"].to_list() == [{"a": 1, "b": "x"}, {"a": None, "b": None}, None]
        assert rows["l"].to_list() == [[{"q": 1.5, "at": None, "z": True}], None, None]
        assert len(rows.notes) == 0


def test_a_member_whose_values_do_not_survive_its_type_takes_no_other_with_it():
    body = json.dumps(
        [
            {"s": {"small": 1, "large": 2**40, "at": "2024-01-01", "more": [{"n": 1, "m": 300}]}},
            {"s": {"small": 2, "large": 1, "at": "soon", "more": []}},
        ]
    ).encode()
    more = pa.list_(pa.struct([("n", pa.int8()), ("m", pa.int8())]))
    schema = pa.schema(
        [("s", pa.struct([("small", pa.int8()), ("large", pa.int32()), ("at", pa.date32()), ("more", more)]))]
    )
    rows = rh.read_json(body, schema=schema)
    assert rows.schema == {"s": "struct<small: int8, large: int64, at: string, more: list<struct<n: int8, m: int64>>>"}
    assert rows["s"].to_list() == [row["s"] for row in json.loads(body)]
    assert [(note.column, note.message.split(":")[0]) for note in rows.notes] == [
        ("s.large", "asked for as int32, kept as int64"),
        ("s.at", "asked for as date32, kept as string"),
        ("s.more[].m", "asked for as int8, kept as int64"),
    ]


def test_an_object_where_an_array_was_asked_for_stays_what_it_is():
    for value, wanted in (({"a": 1}, pa.list_(pa.int8())), ([1], pa.struct([("a", pa.int8())]))):
        rows = rh.read_json(json.dumps([{"v": value}]).encode(), schema=pa.schema([("v", wanted)]))
        assert json.loads(rows["v"].to_list()[0]) == value
        assert rows.notes


def test_a_member_that_may_not_be_null_and_is_takes_no_other_with_it():
    member = pa.field("a", pa.int8(), nullable=False)
    schema = pa.schema([("s", pa.struct([member, pa.field("b", pa.int16(), nullable=False)]))])
    rows = rh.read_json(b'[{"s": {"a": 1, "b": 2}}, {"s": null}, {"s": {"a": null, "b": 3}}]', schema=schema)
    fields = pa.table(rows).schema.field("s").type
    assert [(field.name, field.type, field.nullable) for field in fields] == [
        ("a", pa.int8(), True),
        ("b", pa.int16(), False),
    ]
    assert rows["s"].to_list() == [{"a": 1, "b": 2}, None, {"a": None, "b": 3}]


def test_a_column_that_is_asked_for_without_nulls_has_none_or_says_so():
    schema = pa.schema([pa.field(name, pa.int64(), nullable=False) for name in ("all", "some", "none")])
    some = b'[{"all": 1, "some": 2}, {"all": 3, "some": null}]'
    for body, nullable in ((some, [False, True, True]), (b'{"data": []}', [False, False, False])):
        rows = rh.read_json(body, schema=schema)
        assert [field.nullable for field in pa.table(rows).schema] == nullable
        assert [note.column for note in rows.notes] == [
            name for name, is_nullable in zip(schema.names, nullable, strict=True) if is_nullable
        ]
        assert all(note.message == "asked for without nulls, but there are some" for note in rows.notes)
    same = rh.concat([rh.read_json(b'[{"all": 1}]', schema=schema.remove(2).remove(1))] * 2)
    assert [field.nullable for field in pa.table(same).schema] == [False]
    assert [field.nullable for field in pa.table(rh.concat([same, rh.read_json(b'[{"other": 1}]')])).schema] == [
        True,
        True,
    ]


def test_metadata_of_a_schema_stays_where_its_type_does():
    unit = pa.field("length", pa.int16(), metadata={"unit": "km"})
    schema = pa.schema([unit, unit.with_name("text"), pa.field("uuid", pa.uuid()), pa.field("json", pa.json_())])
    members = pa.schema([("s", pa.struct(list(schema)))])
    row = {"length": 3, "text": "x", "uuid": "0190", "json": "{}"}
    table = pa.table(rh.read_json(json.dumps([row]).encode(), schema=schema))
    nested = pa.table(rh.read_json(json.dumps([{"s": row}]).encode(), schema=members))
    for fields in (table.schema, nested.schema.field("s").type):
        metadata = [dict(field.metadata or {}) for field in fields]
        assert [told.get(b"unit") for told in metadata] == [b"km", None, None, None]
        assert [field.type for field in fields] == [
            pa.int16(),
            pa.large_string(),
            pa.large_string(),
            pa.large_string(),
        ]


def test_tables_put_together_keep_the_metadata_that_they_agree_on():
    def rows(value, **metadata):
        schema = pa.schema([pa.field("length", pa.int64(), metadata=metadata)])
        return rh.read_json(b'[{"length": %s}]' % value, schema=schema)

    def metadata(*tables):
        return dict(pa.table(rh.concat(tables)).schema.field("length").metadata or {})

    one, other = rows(b"1", unit="km", source="a"), rows(b"2", unit="km", source="b")
    assert metadata(one, other, rh.read_json(b'[{"more": 1}]')) == {b"unit": b"km"}
    assert metadata(one, one) == {b"unit": b"km", b"source": b"a"}
    text = rh.read_json(
        b'[{"length": "far"}]', schema=pa.schema([pa.field("length", pa.string(), metadata={"unit": "km"})])
    )
    assert dict(pa.table(text).schema.field("length").metadata) == {b"unit": b"km"}
    noted = metadata(text, one)
    assert (noted.pop(b"rowhaul.note") != b"", noted) == (True, {})


class Word(pa.ExtensionType):
    """Text of an extension that knows one layout."""

    def __init__(self):
        super().__init__(pa.string(), "rowhaul.tests.word")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, _storage, _serialized):
        return cls()


def test_text_that_is_asked_for_as_an_extension_type_is_there_as_text():
    pa.register_extension_type(Word())
    try:
        fields = {"a": Word(), "s": pa.struct([("a", Word())]), "l": pa.list_(Word())}
        row = {"a": "x", "s": {"a": "yy"}, "l": ["zzz", None]}
        rows = rh.read_json(json.dumps([row] * 5).encode(), schema=pa.schema(fields))
        assert pa.table(rows).to_pylist() == [row] * 5
        assert rows.to_pandas()["a"].tolist() == ["x"] * 5
    finally:
        pa.unregister_extension_type("rowhaul.tests.word")


def test_a_dictionary_that_may_be_full_leaves_the_members_beside_it_their_types():
    kinds = pa.struct([("a", pa.int32()), ("b", pa.dictionary(pa.int8(), pa.string())), ("c", pa.int16())])
    rows = rh.read_json(b'[{"s": {"a": 1, "b": "x", "c": 2}}]', schema=pa.schema([("s", kinds)]))
    assert rows.schema == {"s": "struct<a: int32, b: string, c: int16>"}
    assert [note.column for note in rows.notes] == ["s.b"]


def test_nothing_is_made_a_union_and_no_null_either(tmp_path):
    schema = pa.schema([("c", pa.dense_union([pa.field("a", pa.int8())]))])
    rows = rh.read_json(b'[{"c": null, "k": 1}]', schema=schema)
    assert rows.to_dicts() == [{"c": None, "k": 1}]
    assert "no such values are made" in rows.notes[0].message
    rows.write_parquet(tmp_path / "a.parquet")


def test_objects_without_members_are_asked_for_in_vain_of_no_rows_as_of_any(tmp_path):
    empty = pa.struct([])
    for asked in (empty, pa.list_(empty), pa.list_(empty, 2), pa.struct([("o", empty)])):
        schema = pa.schema([("a", asked)])
        (none, one) = (rh.read_json(body, schema=schema) for body in (b"[]", b'[{"a": null}]'))
        assert none.schema == one.schema
        none.write_parquet(tmp_path / "none.parquet")


def test_a_type_that_nothing_is_made_into_is_told_as_such():
    wanted = pa.schema([("a", pa.map_(pa.string(), pa.int64()))])
    (note,) = rh.read_json(b'[{"a": {"x": 1}}, {"a": {"y": 2}}]', schema=wanted).notes
    assert (
        note.message == "asked for as map<string, int64>, kept as struct<x: int64, y: int64>: no such values are made"
    )


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.timestamp("us"), 2),
        pa.list_view(pa.date32()),
        pa.list_(pa.struct([("t", pa.date32())]), 1),
        pa.list_(pa.list_(pa.date32(), 1), 1),
        pa.list_(pa.decimal128(10, 2), 2),
    ],
    ids=str,
)
def test_a_column_without_a_value_has_the_type_that_was_asked_for(kind):
    for body in (b"[]", b"[{}]", b'[{"a": null}]'):
        rows = rh.read_json(body, schema=pa.schema([("a", kind)]))
        assert (pa.table(rows).schema.field("a").type, rows.notes) == (kind, ())
    rows = rh.read_json(b'[{"a": [null, null]}]', schema=pa.schema([("a", pa.list_(pa.decimal128(10, 2), 2))]))
    assert rows["a"].to_list() == [[None, None]]
    assert pa.table(rows).schema.field("a").type == pa.list_(pa.decimal128(10, 2), 2)


def test_dates_under_a_timestamp_without_a_zone_are_midnights():
    body = b'[{"at": "2024-01-05", "all": ["2024-01-06"]}, {"at": "2024-01-05T10:30:00", "all": []}, {}]'
    for unit in ("s", "ms", "us", "ns"):
        kind = pa.timestamp(unit)
        rows = rh.read_json(body, schema=pa.schema([("at", kind), ("all", pa.list_(kind))]))
        assert (pa.table(rows).schema.field("at").type, rows.notes) == (kind, ())
        assert [at and at.isoformat() for at in rows["at"]] == ["2024-01-05T00:00:00", "2024-01-05T10:30:00", None]
        assert [[at.isoformat() for at in all_] for all_ in rows["all"].to_list()[:2]] == [["2024-01-06T00:00:00"], []]
    (far,) = rh.read_json(b'[{"at": "9999-12-31"}]', schema=pa.schema([("at", pa.timestamp("ns"))])).notes
    assert far.message.endswith('"9999-12-31" is too far from 1970 to be counted in its unit')

"""The numbers a caller asks for: of each type only those that were sent, to the last digit."""

import json
from decimal import Decimal

import pyarrow as pa
import pytest

import rowhaul as rh


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("number", "declared"),
    [
        ("9007199254740990.9", pa.int64()),
        ("4503599627370497.3", pa.int64()),
        ("1.00000000000000000001", pa.int64()),
        ("8.300000000000001", pa.decimal128(38, 15)),
        ("0.30000000000000001", pa.decimal128(38, 17)),
        ("0.12345678901234500001", pa.decimal128(38, 20)),
        ("1e-400", pa.decimal128(10, 2)),
        ("1.0000000000000000001", pa.timestamp("ns")),
    ],
)
def test_a_number_of_which_a_float_does_not_tell_all_becomes_no_exact_one(number, declared, threads):
    # Many rows, so that others read ahead, and only the last one is such.
    body = "[" + '{"a": 2.0, "b": {"c": [2.0]}},' * 200_000 + f'{{"a": {number}, "b": {{"c": [{number}]}}}}]'
    nested = pa.struct([("c", pa.list_(declared))])
    rows = rh.read_json(body.encode(), schema=pa.schema([("a", declared), ("b", nested)]), threads=threads)
    assert rows[-1:].to_dicts() == [{"a": float(number), "b": {"c": [float(number)]}}]
    assert [note.column for note in rows.notes] == ["a", "b.c[]"]
    assert "were rounded to float64" in rows.notes[0].message


def test_zeros_after_a_number_do_not_keep_it_from_being_exact():
    schema = pa.schema([("a", pa.decimal128(38, 20)), ("b", pa.int64())])
    rows = rh.read_json(b'[{"a": 1.50000000000000000000, "b": 12.000000000000000000000}]', schema=schema)
    assert rows.to_dicts() == [{"a": Decimal("1.5"), "b": 12}]
    assert len(rows.notes) == 0


def test_a_rounded_number_bars_only_what_it_is_to_become():
    kind = pa.list_(pa.struct([("n", pa.int64()), ("x", pa.float64())]), 1)
    rows = rh.read_json(b'[{"a": [{"n": 1, "x": 0.30000000000000001}]}]', schema=pa.schema([("a", kind)]))
    assert (pa.table(rows).schema.field("a").type, rows.notes) == (kind, ())


def test_what_was_rounded_before_a_column_became_text_is_told_alike_however_rows_are_cut():
    body = b'[{"a": [0.30000000000000001]},' + b'{"a": [1]},' * 400_000 + b'{"a": "x"}]'
    schema = pa.schema([("a", pa.list_(pa.int64()))])
    one, two = (rh.read_json(body, schema=schema, threads=threads) for threads in (1, 2))
    short = rh.read_json(b'[{"a": [0.30000000000000001]}, {"a": "x"}]', schema=schema)
    assert one.notes == two.notes
    assert [note.message for note in short.notes] == [note.message for note in one.notes]


@pytest.mark.parametrize(
    ("texts", "kind", "expected"),
    [
        (["5.00", "10", "-1.5e2"], pa.float64(), [5.0, 10.0, -150.0]),
        ([4, "4.50"], pa.float64(), [4.0, 4.5]),
        (["5.0", "7.250"], pa.decimal128(10, 2), [Decimal("5.00"), Decimal("7.25")]),
        (["12", "-3"], pa.int8(), [12, -3]),
    ],
    ids=str,
)
def test_text_becomes_numbers_however_they_are_written(texts, kind, expected):
    body = json.dumps([{"a": text} for text in texts]).encode()
    rows = rh.read_json(body, schema=pa.schema([("a", kind)]))
    assert (rows["a"].to_list(), rows.notes) == (expected, ())
    assert pa.table(rows).schema.field("a").type == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("007", pa.int64()),
        ("+1", pa.int64()),
        ("NaN", pa.float64()),
        ("inf", pa.float64()),
        ("9007199254740993", pa.float64()),
        ("0.1000000000000000055", pa.float64()),
        (" 1", pa.float64()),
        ("1.005", pa.decimal128(10, 2)),
    ],
)
def test_text_that_is_no_number_or_would_lose_a_digit_stays_text(text, kind):
    rows = rh.read_json(json.dumps([{"a": "1"}, {"a": text}]).encode(), schema=pa.schema([("a", kind)]))
    assert rows["a"].to_list() == ["1", text]
    assert len(rows.notes) == 1


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        ("1700000000123456789.0", pa.int64()),
        ("123456789012345678e0", pa.int64()),
        ("12345678901234567890.0", pa.uint64()),
        ("9007199254740993.0", pa.int64()),
        ("1700000000123456789.0", pa.timestamp("ns")),
        ("1e17", pa.duration("us")),
    ],
)
def test_a_number_that_is_read_as_a_float_is_no_integer_of_more_digits_than_that_has(number, kind):
    (note,) = (rows := rh.read_json(f'[{{"a": {number}}}]'.encode(), schema=pa.schema([("a", kind)]))).notes
    assert (rows.to_dicts(), note.column) == ([{"a": float(number)}], "a")
    whole = rh.read_json(b'[{"a": 9007199254740991.0}, {"a": -3e2}]', schema=pa.schema([("a", pa.int64())]))
    assert (whole["a"].to_list(), whole.notes) == ([2**53 - 1, -300], ())


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_narrow_float_holds_what_it_holds_to_the_last_digit_be_it_text_or_a_number(quote):
    def kept(number, kind):
        rows = rh.read_json(f'[{{"a": {quote}{number}{quote}}}]'.encode(), schema=pa.schema([("a", kind)]))
        return pa.schema(rows.schema).field("a").type == kind

    assert all(kept(number, pa.float32()) for number in ("0.5", "1.25e2", "16777216", "-3"))
    assert not any(kept(number, pa.float32()) for number in ("0.1", "99999.99", "16777217", "1e20"))
    assert [kept(number, pa.float16()) for number in ("0.25", "0.1")] == [True, False]

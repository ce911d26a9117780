"""Rows themselves: parts of them, their types and notes, how they look, how they travel."""

import copy
import pickle
import re

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import rowhaul as rh
from rowhaul._not_here import _NAMES

ROWS = rh.read_json(b'[{"n": 0, "s": "a"}, {"n": 1, "s": "b"}, {"n": 2}, {"n": 3, "s": 4}]')


def test_a_slice_is_rows():
    assert ROWS[1:3].to_dicts() == [{"n": 1, "s": "b"}, {"n": 2, "s": None}]
    assert [row["n"] for row in ROWS[::-2]] == [3, 1]
    assert len(ROWS[10:]) == 0
    assert [row["n"] for row in ROWS[-2:]] == [2, 3]


def test_a_number_is_a_row():
    assert ROWS[-1] == {"n": 3, "s": "4"}
    with pytest.raises(IndexError):
        ROWS[4]


def test_a_name_is_a_column_that_libraries_take():
    column = ROWS["s"]
    assert (column.name, column.type, len(column)) == ("s", "string", 4)
    assert column.to_list() == list(column) == ["a", "b", None, "4"]
    assert column[1] == "b"
    assert column[1:].to_list() == ["b", None, "4"]
    assert pl.Series(column).to_list() == pa.array(column).to_pylist() == column.to_list()
    assert column.to_pandas().tolist()[:2] == ["a", "b"]
    assert column.to_arrow().to_pylist() == column.to_polars().to_list() == column.to_list()


def test_a_name_is_looked_for_among_the_columns():
    rows = rh.read_json(b'[{"price": 1}]')
    assert "price" in rows
    assert "prices" not in rows
    assert 0 not in rows


def test_names_are_a_table_of_them():
    assert ROWS[["s", "n"]].columns == ["s", "n"]
    with pytest.raises(ValueError, match="the column `s` is asked for twice"):
        ROWS[["s", "n", "s"]]


def test_notes_stay_with_their_columns():
    rows = rh.read_json(b'[{"a": [{"x": 1}], "ab": 1, "c": 1}, {"a": [{"x": "s"}], "ab": "s", "c": 2}]')
    assert [note.column for note in rows.notes] == ["a[].x", "ab"]
    told = [[note.column for note in rows[names].notes] for names in (["a"], ["c", "ab"], ["c"])]
    assert told == [["a[].x"], ["ab"], []]


def test_a_name_that_no_column_has_is_told_with_the_one_that_may_be_meant():
    rows = rh.read_json(b'[{"eventName": "a", "eventUrl": "b"}]')
    with pytest.raises(KeyError, match=r"there is no column `event_name`; did you mean `eventName`\?"):
        rows[["eventUrl", "event_name"]]
    with pytest.raises(KeyError, match="did you mean `Url`"):
        rh.read_json(b'[{"Url": 1, "urn": 2}]')["url"]
    with pytest.raises(KeyError, match=r"there is no column `city`; `\.columns` names those there are"):
        rows["city"]
    with pytest.raises(KeyError, match="did you mean `eventUrl`"):
        rows.schema["eventURL"]
    assert rows.schema.get("city") is rows.schema.get(0) is None
    assert "eventUrl" in rows.schema
    assert "eventURL" not in rows.schema
    assert "\ud800" not in rows.schema
    with pytest.raises(KeyError):
        rows.schema["\ud800"]


def test_the_schema_maps_names_to_types():
    assert dict(ROWS.schema) == {"n": "int64", "s": "string"}
    nested = rh.read_json(b'[{"a": [{"b": 1.5}], "c": null}]')
    assert dict(nested.schema) == {"a": "list<struct<b: float64>>", "c": "null"}


def test_notes_say_what_was_widened():
    assert [note.column for note in ROWS.notes] == ["s"]
    assert isinstance(ROWS.notes, tuple)
    assert rh.read_json(b'[{"a": 1}]').notes == ()


def test_rows_pickle_without_their_job(client):
    rows = client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 3})
    twin = pickle.loads(pickle.dumps(rows))
    assert twin.to_dicts() == rows.to_dicts()
    assert dict(twin.schema) == dict(rows.schema)
    assert twin.notes == rows.notes
    assert rows.job is not None
    assert twin.job is None


def test_tables_are_put_together_by_the_same_widening():
    joined = rh.concat([rh.read_json(b'[{"a": 1}]'), rh.read_json(b'[{"a": "x", "b": true}]')])
    assert joined.to_dicts() == [{"a": "1", "b": None}, {"a": "x", "b": True}]
    assert len(rh.concat([])) == 0


@pytest.mark.parametrize(
    "part",
    [
        slice(None, None, 2),
        slice(None, None, -1),
        slice(9, 2, -3),
        slice(1, 9, 4),
        slice(5, 5, 2),
        slice(-20, None, -1),
        slice(2, None, 2**70),
        slice(6, None, -(2**70)),
    ],
)
def test_a_slice_with_a_step_goes_over_all_batches(part):
    bodies = (
        b'[{"n": 0, "t": ["x"]}, {"n": 1}]',
        b"[]",
        b'[{"n": 2}]',
        b'[{"n": 3}, {"n": 4}, {"n": 5}]',
        b'[{"n": 6}]',
    )
    joined = rh.concat([rh.read_json(body) for body in bodies])
    assert [row["n"] for row in joined[part]] == joined["n"][part].to_list() == list(range(7))[part]
    assert len(joined[[]][part]) == len(joined[part])
    assert len(joined[:0][part]) == 0


def test_a_row_that_is_not_there_is_told_by_its_number():
    with pytest.raises(IndexError, match="there is no row 100: there are 4"):
        ROWS[100]
    assert ROWS[-1] == ROWS[3]
    with pytest.raises(TypeError, match="by its number, not by tuple; several columns are taken by a list"):
        ROWS["n", "s"]


@pytest.mark.parametrize("wrap", [bytearray, memoryview, pa.py_buffer, lambda body: np.frombuffer(body, np.uint8)])
def test_bytes_are_read_from_whatever_holds_them(wrap):
    assert rh.read_json(wrap(b'[{"a": 1}]')).to_dicts() == [{"a": 1}]
    with pytest.raises(TypeError, match="not from ndarray"):
        rh.read_json(np.zeros(3))


def test_names_move_no_cursor_where_they_are_shown():
    rows = rh.read_json(b'[{"a\\u001b[31m\\u202e": {"b\\u001b": 1}}]')
    assert "\x1b" not in str(rows)
    for shown in (repr(rows), repr(rows.schema), repr(rows[rows.columns[0]])):
        assert not {"\x1b", "\u202e"} & set(shown)


def test_json_as_a_str_is_told_from_a_path():
    with pytest.raises(ValueError, match="as bytes"):
        rh.read_json('[{"a": 1}]')


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ([True], "columns are taken by a list of their names"),
        (1.5, "a row is taken by its number, not by float"),
        (np.array([True]), "a row is taken by its number, not by ndarray"),
    ],
)
def test_what_rows_are_not_taken_by_is_said_plainly(key, message):
    with pytest.raises(TypeError, match=message):
        rh.read_json(b'[{"a": 1}]')[key]


def test_only_rows_are_put_together():
    rows = rh.read_json(b'[{"a": 1}]')
    with pytest.raises(TypeError, match="an iterable of Rows, not of Table"):
        rh.concat([rows, rows.to_arrow()])
    with pytest.raises(TypeError, match="an iterable of Rows, not of dict; put a single one into a list"):
        rh.concat(rows)


def test_a_shape_and_the_first_rows_are_had_as_elsewhere():
    assert (ROWS.shape, ROWS.head(2).shape) == ((len(ROWS), len(ROWS.columns)), (2, len(ROWS.columns)))
    assert ROWS.head().to_dicts() == ROWS[:5].to_dicts()
    assert len(ROWS.head(10_000)) == len(ROWS)
    assert ROWS.head(-1).to_dicts() == ROWS[:-1].to_dicts()
    assert ROWS.tail().to_dicts() == ROWS[-5:].to_dicts()
    assert (len(ROWS.tail(10_000)), len(ROWS.tail(0))) == (len(ROWS), 0)
    assert ROWS.tail(-1).to_dicts() == ROWS[1:].to_dicts()


def test_rows_without_a_column_are_shown_without_a_colon():
    assert repr(rh.read_json(b"[]")) == "Rows(0 rows × 0 columns)"


def test_rows_are_equal_where_their_columns_and_values_are():
    body = b'[{"a": 1, "b": {"c": ["x", null]}}, {"a": null, "b": null}, {"a": 3}]'
    rows = rh.read_json(body)
    assert rows == rh.read_json(body)
    assert rows == rh.concat([rows[:1], rows[1:]])
    assert rh.concat([rows[:2], rows[2:]]) == rh.concat([rows[:1], rows[1:]])
    assert rows["b"] == rh.read_json(body)["b"]
    assert not rows[:0].to_dicts()
    assert rows[:0] == rows[3:]
    others = [
        body.replace(b"3", b"4"),
        body.replace(b"3", b"3.0"),
        body.replace(b'"a"', b'"A"'),
        b'[{"b": {}, "a": 1}]',
    ]
    assert [rows == rh.read_json(other) for other in others] == [False] * 4
    assert rows != rows[:2]
    assert rows["a"] != rows["b"]
    assert (rows == rows.to_dicts(), rows["a"] == [1, None, 3]) == (False, False)
    with pytest.raises(TypeError, match="unhashable"):
        hash(rows)


def test_rows_are_equal_however_their_text_lies_in_memory():
    body = b'[{"p": "a", "o": {"t": ["x", null]}, "n": 1}, {"p": null, "n": 2}]'
    rows = rh.read_json(body)
    assert rh.read_json(body, schema=rows.schema) == rows
    for text in (pa.string(), pa.large_string(), pa.string_view()):
        asked = rh.read_json(body, schema=pa.schema([("p", text)]))
        assert asked == rows
        assert asked["p"] == rows["p"]
    assert rh.read_json(body.replace(b'"x"', b'"y"'), schema=rows.schema) != rows
    # What other libraries cannot take is told apart here.
    (nul, replaced) = (rh.read_json(b'[{"o": {"a\\u%s": "x"}}]' % unit) for unit in (b"0000", b"fffd"))
    assert nul != rh.read_json(b'[{"o": {"a\\ufffd": "x"}}]', schema=replaced.schema)
    assert rh.read_json(body, schema=pa.schema([("n", pa.int32())])) != rows


def test_what_a_comparison_gives_is_no_number_of_a_row():
    rows = rh.read_json(b'[{"a": 1}, {"a": 2}]')
    for key in (rows["a"] == "Berlin", True):
        with pytest.raises(TypeError, match="by its number, not by bool; pandas, polars and DuckDB filter"):
            rows[key]
    with pytest.raises(TypeError, match="a value is taken by its number, not by bool"):
        rows["a"][False]


def test_equal_rows_are_found_however_many_batches_they_came_in():
    bodies = [b'{"n": %d}\n' % n for n in range(300)]
    one, many = rh.read_json(b"".join(bodies)), rh.concat(map(rh.read_json, bodies))
    assert one == many
    assert one != rh.concat([many[:299], many[:1]])


@pytest.mark.parametrize(
    ("name", "instead"),
    [("to_csv", "`rows.write_csv(file)`"), ("filter", "`to_pandas()`, `to_polars()`"), ("city", r"`rows['city']`")],
)
def test_what_rows_do_not_have_is_told_with_what_does_it(name, instead):
    rows = rh.read_json(b'[{"city": "Oslo"}]')
    with pytest.raises(AttributeError, match=f"^Rows have no attribute '{name}'; ") as raised:
        getattr(rows, name)
    assert instead in str(raised.value)
    assert not hasattr(rows, "__array_interface__")
    assert not hasattr(rh.Rows.__new__(rh.Rows), name)
    assert copy.copy(rows) == copy.deepcopy(rows) == pickle.loads(pickle.dumps(rows)) == rows


def test_every_name_that_is_told_is_another_than_those_there_are_and_names_what_there_is():
    rows = rh.read_json(b'[{"a": 1}, {"a": 2}]')
    for name, instead in _NAMES.items():
        assert not hasattr(rows, name), name
        for called in re.findall(r"rows\.(\w+)", instead):
            assert hasattr(rows, called), (name, called)


def test_a_slip_of_the_pen_is_asked_about():
    with pytest.raises(AttributeError, match=re.escape("no attribute 'colums'; did you mean `rows.columns`?")):
        rh.read_json(b'[{"a": 1}]').colums  # noqa: B018


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("sum", "what goes beyond holding values pandas, polars and pyarrow do: `to_pandas()`"),
        ("to_lists", "did you mean `to_list`?"),
        ("_x", "a Column has no attribute '_x'"),
    ],
)
def test_what_a_column_does_not_do_is_told_with_who_does(name, told):
    with pytest.raises(AttributeError, match=re.escape(told)):
        getattr(rh.read_json(b'[{"a": 1}]')["a"], name)


def test_a_subclass_of_rows_is_told_of_the_attribute_that_is_missing():
    class Own(rh.Rows):
        @property
        def double(self):
            return self.missing * 2

    with pytest.raises(AttributeError, match="Rows have no attribute 'missing'"):
        Own(rh.read_json(b'[{"_id": 1}]')._core).double  # noqa: B018
    with pytest.raises(AttributeError, match=re.escape("the column is `rows['_id']`")):
        rh.read_json(b'[{"_id": 1}]')._id  # noqa: B018

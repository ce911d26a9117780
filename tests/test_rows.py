"""Rows themselves: parts of them, their types and notes, how they look, how they travel."""

import pickle

import polars as pl
import pyarrow as pa
import pytest

import rowhaul as rh

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


def test_names_are_a_table_of_them():
    assert ROWS[["s", "n"]].columns == ["s", "n"]
    with pytest.raises(KeyError, match="none"):
        ROWS["none"]


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


def test_a_repr_is_short_and_names_the_columns():
    assert repr(ROWS) == "Rows(4 rows × 2 columns: n, s)"
    assert str(ROWS).splitlines()[0].split() == ["n", "s"]
    assert str(ROWS).endswith("4 rows")
    assert repr(ROWS["n"]) == "Column('n', int64, 4 values)"
    assert repr(ROWS.schema) == "Schema(n: int64, s: string)"


def test_html_is_escaped_and_shows_types_and_notes():
    html = rh.read_json(b'[{"<b>": "<script>", "m": 1}, {"m": "x"}]')._repr_html_()
    assert "<script>" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;" in html
    assert "string" in html
    assert "1 note" in html


def test_html_shows_whole_numbers_without_a_fraction():
    html = rh.read_json(b'[{"going": 142.0, "version": "142.0"}, {"going": 1.5}]')._repr_html_()
    assert "<td>142</td><td>142.0</td>" in html
    assert "<td>1.5</td>" in html


def test_jobs_agents_and_estimates_have_html(client, service):
    rows = client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 3})
    assert "3 rows × 30 columns" in rows._repr_html_()
    assert rows.job.id in rows.job._repr_html_()
    agent = client.agent("events/events")
    assert "10 USD for 1000 events" in agent._repr_html_()
    assert "searchQueries" in agent._repr_html_()
    estimate = client.estimate("events/events", {"searchQueries": ["jazz"]})
    assert "unbounded" in estimate._repr_html_()
    assert service.api_key not in rows._repr_html_() + rows.job._repr_html_()


def test_a_printed_table_fits_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    rows = rh.read_json(
        b"[" + b",".join([b'{"a": "%s", "b": "%s", "c": 1, "d": null}' % (b"x" * 90, b"y" * 20)] * 30) + b"]"
    )
    lines = str(rows).splitlines()
    assert len(lines) == 13
    assert max(map(len, lines)) <= 40
    assert lines[-1] == "30 rows, 3 more columns"


def test_a_row_that_is_not_there_is_told_by_its_number():
    with pytest.raises(IndexError, match="there is no row 100: there are 4"):
        ROWS[100]
    assert ROWS[-1] == ROWS[3]
    with pytest.raises(TypeError, match="taken by its number"):
        ROWS[(0, 1)]


def test_json_as_a_str_is_told_from_a_path():
    with pytest.raises(ValueError, match="as bytes"):
        rh.read_json('[{"a": 1}]')

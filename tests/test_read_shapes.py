"""One object that may be results, or a row."""

import gzip
import io
import json

import pytest

import rowhaul as rh


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"id": 7, "status": "paid", "data": [{"sku": 1}]}', "`id` beside `data` in the results object"),
        (
            b'{"e": 1, "data": [{"a": 1}], "d": 1, "c": 1, "b": 1, "status": "ok"}',
            "`b`, `c`, `d` and 1 more beside `data`",
        ),
    ],
)
def test_what_stands_beside_the_rows_is_told_where_nobody_said_that_they_are_results(body, told):
    (note,) = rh.read_json(body).notes
    assert note.message.startswith(told)
    assert 'with `format="lines"` one object is one row' in note.message
    rows = rh.read_json(body, format="lines")
    assert (len(rows), "data" in rows.columns, len(rows.notes)) == (1, True, 0)
    for results in (
        b'{"status": "completed", "next": 2, "data": [{"a": 1}]}',
        b'{"row_count": 1, "next": 2, "data": [{"a": 1}]}',
    ):
        assert not rh.read_json(results).notes


@pytest.mark.parametrize(
    "body", [b'{"status": "open"}', b'{"status": 5}', b'{"row_count": 5}', b'{"data": "x"}', b'{"data": null}']
)
def test_a_row_that_looks_like_results_without_rows_is_refused_with_the_way_to_read_it(body):
    with pytest.raises(rh.errors.DecodeError, match='with `format="lines"` one object is one row'):
        rh.read_json(body)
    assert rh.read_json(body, format="lines").to_dicts() == [json.loads(body)]


def test_whatever_stands_beside_data_its_objects_are_the_rows_where_results_are_asked_for(tmp_path):
    body = b'{"total": 2, "data": [{"a": 1}, {"a": 2}], "page": {"next": null}}'
    as_row = rh.read_json(body)
    assert len(as_row) == 1
    assert 'with `format="results"` the objects in `data` are the rows' in as_row.notes[0].message
    (path := tmp_path / "saved.json").write_bytes(body)
    for source in (body, path, io.BytesIO(body), gzip.compress(body)):
        rows = rh.read_json(source, format="results")
        assert (rows.to_dicts(), len(rows.notes)) == ([{"a": 1}, {"a": 2}], 0)
    # Of whoever they are.
    assert rh.read_json(b'{"success": true, "status": 200, "data": [{"a": 1}]}', format="results").to_dicts() == [
        {"a": 1}
    ]
    # However long it is.
    long = b'{"total": 1, "data": [{"a": "%s"}], "page": 1}' % (b"x" * 100_000)
    assert rh.read_json(long, format="results").columns == ["a"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"status": "running"}', "the results object has no `data`"),
        (b'{"data": null}', "`data` has to be an array of rows"),
        (b'{"data": [{"a": 1}], "row_count": 2}', "`row_count` is 2, but the rows are 1"),
        (b'[{"a": 1}]', "expected the object that results come in"),
        (b'{"data": []}\n{"data": []}', "expected the end of the body, found"),
    ],
)
def test_what_is_no_results_is_refused_where_they_are_asked_for(body, told):
    with pytest.raises(rh.errors.DecodeError, match=told) as raised:
        rh.read_json(body, format="results")
    assert "format=" not in str(raised.value)


def test_a_format_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="format is 'auto', 'results' or 'lines', not 'array'"):
        rh.read_json(b"[]", format="array")

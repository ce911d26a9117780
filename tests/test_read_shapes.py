"""One object that may be results, or a row."""

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

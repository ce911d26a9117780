"""One object that may be results, or a row."""

import gzip
import io
import json

import pyarrow as pa
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


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (b'{"status": 200, "data": [{"a": 1}]}', [{"a": 1}]),
        (b'{"status": null, "data": [{"a": 1}]}', [{"a": 1}]),
        (b'{"status": true, "job_id": 5, "data": []}', []),
    ],
)
def test_the_status_of_any_service_is_taken_as_it_is(body, rows):
    assert rh.read_json(body).to_dicts() == rows


def test_objects_in_another_array_of_one_row_are_pointed_out():
    (note,) = rh.read_json(b'{"results": [{"a": 1}, {"a": 2}], "next": null}').notes
    assert "with `record_path=` and the names that lead to that array" in note.message
    (note,) = rh.read_json(b'{"took": 1, "hits": {"total": {"value": 2}, "hits": [{"_id": 1}, {"_id": 2}]}}').notes
    assert "with `record_path=` and the names that lead to that array" in note.message
    assert not rh.read_json(b'{"a": {"b": [{"c": 1}], "d": "}"}, "e": {"f": 1}}').notes
    (note,) = rh.read_json(b'{"status": "failed", "row_count": 0, "error": "quota"}').notes
    assert "has `status` and `row_count` as results have" in note.message


def test_rows_that_stand_deeper_in_data_are_pointed_out():
    with pytest.raises(
        rh.errors.DecodeError, match=r"with `record_path=\[\"data\", ...\]`, the names that lead to an array"
    ):
        rh.read_json(b'{"data": {"users": [{"id": 1}]}}')


@pytest.mark.parametrize("path", [5, [], [5], [None], b"a"])
def test_a_path_is_made_of_names(path):
    with pytest.raises(ValueError, match=r"record_path is the name of a member, or the names"):
        rh.read_json(b'{"a": []}', record_path=path)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (
            "a.b",
            "which is `a.b`; in the object there is `Items`, `a`; names that lead on from one to the next are a list",
        ),
        (["a", "c"], "which is `a`, then `c`; in `a` there is `b` at"),
        ("items", "which is `items`; in the object there is `Items`, `a`"),
    ],
)
def test_a_path_that_leads_nowhere_is_told_with_what_is_there(path, told):
    with pytest.raises(rh.errors.DecodeError) as raised:
        rh.read_json(b'{"Items": [{"x": 1}], "a": {"b": [{"x": 1}]}}', record_path=path)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'[{"a": "x\n"}]', "line break in a string"),
        (b'[{"a": "x\t"}]', "control character in a string"),
        (b'[{"a": "caf\xe9"}]', "is it Latin-1"),
        ("[{“a”: 1}]".encode(), "a typographic quote begins so"),
        (b'{"a": 1},\n{"a": 2}', "are the lines an array"),
        (b'{"a": 1} {"a": 2}', "each object stands on a line of its own"),
    ],
)
def test_what_is_wrong_is_told_with_what_it_mostly_means(body, told):
    with pytest.raises(rh.errors.DecodeError, match=told):
        rh.read_json(body)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b'{"type": "x", "features": [{"a": 1}, {"a": 2}], "bbox": [{"a": 3}]}', "features"),
        (b'{"hits": {"total": {"hits": 9}, "hits": [{"a": 1}, {"a": 2}]}, "took": 3}', ["hits", "hits"]),
        (b'{"a": {"b": {"c": [{"a": 1}, {"a": 2}]}, "c": []}, "data": 1, "row_count": 7}', ("a", "b", "c")),
        (b'{"d\\u0061ta": [{"a": 1}, {"a": 2}], "status": 5}', "data"),
    ],
)
def test_rows_are_taken_from_where_a_path_of_names_leads(body, path, tmp_path):
    (saved := tmp_path / "saved.json").write_bytes(body)
    for source in (body, saved, io.BytesIO(body), gzip.compress(body)):
        rows = rh.read_json(source, record_path=path)
        assert (rows.to_dicts(), len(rows.notes)) == ([{"a": 1}, {"a": 2}], 0)


def test_many_rows_at_a_path_are_the_same_with_any_number_of_threads():
    rows = [{"id": n, "text": f"row {n} " * 20, "nested": {"hits": [n]}} for n in range(60_000)]
    body = json.dumps({"took": 1, "hits": {"hits": rows, "after": "]}"}, "hits2": []}).encode()
    alone, together = (rh.read_json(body, record_path=["hits", "hits"], threads=threads) for threads in (1, 2))
    assert alone == together
    assert alone.to_dicts() == rows


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"items": []}', "no array of rows at `record_path`, which is `hits`, then `hits`"),
        (b'{"hits": {"total": 1}}', "is `hits`, then `hits`; in `hits` there is `total` at byte 21$"),
        (b'{"took": 1, "hits": {}, "more": {}}', "in `hits` there is nothing at byte 22$"),
        (b'{"took": 1, "hit": {}}', "in the object there is `hit`, `took` at byte 22$"),
        (b'{"hits": []}', "`hits` of `record_path` has to be an object, not an array at byte 9"),
        (b'{"hits": {"hits": {}}}', "`hits` of `record_path` has to be an array of rows, not an object"),
        (b'{"hits": {"hits": null}}', "`hits` of `record_path` has to be an array of rows, not null"),
        (b'{"hits": {"hits": 5}}', "`hits` of `record_path` has to be an array of rows, not a number"),
        (b'{"hits": {"hits": x}}', "expected a JSON value"),
        (b'{"hits": {"hits": [1]}}', "expected a row"),
        (b'{"hits": {"hits": []}, "hits": {}}', "`hits` appears twice in the object around the rows"),
        (b'{"hits": {"hits": [{"a": 1}]}, "more": ', "ends early"),
        (b'{"hits": {"hits": []}} 5', "expected the end of the body"),
        (
            b'[{"hits": {"hits": []}}]',
            "expected an object with the first name of `record_path`, found `\\[` .*`concat`",
        ),
        (b'{"hits": {"hits": []}}\n{"hits": {"hits": []}}', "is it another body.* and `concat` joins them"),
    ],
)
def test_a_path_that_leads_to_no_rows_is_refused(body, told):
    with pytest.raises(rh.errors.DecodeError, match=told):
        rh.read_json(body, record_path=["hits", "hits"])


def test_a_format_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="format is 'auto', 'results' or 'lines', not 'array'"):
        rh.read_json(b"[]", format="array")


def test_what_mixes_numbers_with_arrays_is_json_text_where_a_string_is_asked_for():
    places = [[1.5, 2.5], [[1.5, 2.5], [3.5, 4.5]]]
    body = json.dumps([{"geometry": {"type": "x", "coordinates": place}} for place in places]).encode()
    wanted = pa.schema([("geometry", pa.struct([("coordinates", pa.string())]))])
    for row, place in zip(rh.read_json(body, schema=wanted), places, strict=True):
        assert json.loads(row["geometry"]["coordinates"]) == place

"""The decoding rules, held against Python's own `json` cell by cell."""

import io
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rowhaul as rh

keys = st.text(max_size=6)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
integers = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)


def rows_of(cells):
    """Rows whose columns hold one kind of value each, some of them missing or null."""
    return st.lists(st.dictionaries(st.sampled_from("abcd"), st.none() | cells, max_size=4), max_size=8)


def read(rows):
    return rh.read_json(json.dumps(rows).encode())


def expect(rows):
    """What the table holds: every column in every row, null where it was missing."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [{name: row.get(name) for name in names} for row in rows]


@pytest.mark.parametrize("cells", [texts, integers, st.booleans(), floats], ids=["text", "integer", "boolean", "float"])
def test_each_kind_arrives_as_it_was_sent(cells):
    @given(rows_of(cells))
    def holds(rows):
        assert read(rows).to_dicts() == expect(rows)

    holds()


@given(st.lists(st.dictionaries(keys, texts, max_size=5), max_size=8))
def test_any_text_is_a_column_name(rows):
    table = read(rows)
    assert table.columns == list(dict.fromkeys(name for row in rows for name in row))
    assert table.to_dicts() == expect(rows)


@given(rows_of(st.lists(st.none() | integers, max_size=4)))
def test_lists_arrive_as_they_were_sent(rows):
    assert read(rows).to_dicts() == expect(rows)


@given(
    st.lists(st.fixed_dictionaries({"o": st.fixed_dictionaries({"a": st.none() | integers, "b": texts})}), max_size=8)
)
def test_objects_arrive_as_they_were_sent(rows):
    assert read(rows).to_dicts() == rows


mixed = st.recursive(
    st.none() | st.booleans() | integers | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), mixed, max_size=3), max_size=8))
def test_nothing_is_lost_whatever_is_mixed(rows):
    got = read(rows).to_dicts()
    assert len(got) == len(rows)
    for sent, found in zip(expect(rows), got, strict=True):
        for name, value in sent.items():
            assert same(value, found[name]), (name, value, found[name])


def same(sent, found):
    """Whether a cell says what was sent: as it is, as a number, or as its JSON text; null members are as if missing."""
    if isinstance(found, str) and not isinstance(sent, str):
        return same(sent, json.loads(found)) if sent is not None else found == "null"
    if isinstance(sent, dict):
        found = {name: value for name, value in (found or {}).items() if value is not None}
        sent = {name: value for name, value in sent.items() if value is not None}
        return sent.keys() == found.keys() and all(same(value, found[name]) for name, value in sent.items())
    if isinstance(sent, list):
        return len(sent) == len(found) and all(same(*pair) for pair in zip(sent, found, strict=True))
    if isinstance(sent, float) or isinstance(found, float):
        return float(sent) == float(found) and (int(sent) == int(found) or isinstance(sent, float))
    return sent == found and isinstance(sent, bool) == isinstance(found, bool)


def test_the_shape_does_not_depend_on_which_row_came_first():
    rows = [{"a": 1}, {"a": 2.5}, {"a": None}, {"b": [1]}, {"b": []}]
    there, back = read(rows), read(rows[::-1])
    assert dict(there.schema) == dict(back.schema)
    assert there["a"].to_list() == back["a"].to_list()[::-1]


@pytest.mark.parametrize(
    ("body", "kind", "values"),
    [
        (b'[{"a": 18446744073709551615}, {"a": 1}]', "uint64", [2**64 - 1, 1]),
        (b'[{"a": 18446744073709551616}, {"a": 1}]', "string", ["18446744073709551616", "1"]),
        (b'[{"a": 9007199254740993}, {"a": 0.5}]', "string", ["9007199254740993", "0.5"]),
        (b'[{"a": 1}, {"a": 0.5}]', "float64", [1.0, 0.5]),
        (b'[{"a": "007"}, {"a": 7}]', "string", ["007", "7"]),
        (b'[{"a": "x"}, {"a": {"c": null, "b": 5.0}}]', "string", ["x", '{"b":5}']),
        (b'[{"a": {}}, {"a": {}}]', "string", ["{}", "{}"]),
        (b'[{"a": null}]', "null", [None]),
    ],
)
def test_columns_widen_by_the_rules(body, kind, values):
    column = rh.read_json(body)["a"]
    assert column.type == kind
    assert column.to_list() == values


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[",
        b"[{]",
        b'{"data": 1}',
        b"[1]",
        b'[{"a": NaN}]',
        b'[{"a": 01}]',
        b'[{"a": "\xff"}]',
        b'[{"a": 1,}]',
        b"[{}] x",
    ],
)
def test_what_is_not_json_or_not_rows_is_refused(body):
    with pytest.raises(rh.errors.DecodeError):
        rh.read_json(body)


def test_depth_is_bounded_without_recursion():
    deep = b'[{"a": ' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}]"
    with pytest.raises(rh.errors.DecodeError, match="128"):
        rh.read_json(deep)


def test_a_count_that_does_not_match_is_refused_and_the_rows_are_handed_over():
    with pytest.raises(rh.errors.DecodeError, match="row_count") as caught:
        rh.read_json(b'{"status": "completed", "row_count": 3, "data": [{"a": 1}]}')
    assert caught.value.rows.to_dicts() == [{"a": 1}]


def test_bytes_paths_and_files_are_read_alike(tmp_path):
    body = b'{"status": "completed", "row_count": 1, "data": [{"a": 1}]}'
    path = tmp_path / "raw.json"
    path.write_bytes(body)
    for source in (body, bytearray(body), memoryview(body), path, str(path), io.BytesIO(body)):
        assert rh.read_json(source).to_dicts() == [{"a": 1}]
    with path.open("rb") as file:
        assert len(rh.read_json(file)) == 1
    with path.open() as file, pytest.raises(TypeError, match="binary"):
        rh.read_json(file)
    with pytest.raises(FileNotFoundError):
        rh.read_json(tmp_path / "none.json")
    with pytest.raises(TypeError, match="not from int"):
        rh.read_json(5)


def test_floats_are_correctly_rounded():
    texts = ["0.1", "1e23", "2.2250738585072011e-308", "9007199254740993.0", "5e-324", "1.7976931348623157e308"]
    body = "[" + ",".join(f'{{"a": {text}}}' for text in texts) + "]"
    assert rh.read_json(body.encode())["a"].to_list() == [float(text) for text in texts]


def test_more_columns_than_allowed_are_refused():
    with pytest.raises(rh.errors.DecodeError, match=r"more columns than `max_columns` allows \(1\)"):
        rh.read_json(b'[{"a": 1, "b": 2}]', max_columns=1)


@pytest.mark.parametrize("count", [0, -1, -(2**70)])
def test_a_bound_on_columns_below_one_is_refused(count):
    with pytest.raises(rh.errors.ConfigError, match="`max_columns` must be 1 or more"):
        rh.read_json(b"[]", max_columns=count)


@pytest.mark.parametrize("threads", [1, 2, 5, 2**70])
def test_any_number_of_threads_gives_the_same_table(threads):
    rows = [{"id": n, "name": f"row {n} " * 40, "late" if n > 20_000 else "early": [n]} for n in range(30_000)]
    body = json.dumps(rows).encode()
    table = rh.read_json(body, threads=threads)
    assert [row["id"] for row in table.to_dicts()] == list(range(30_000))
    assert table.columns == ["id", "name", "early", "late"]
    with pytest.raises(rh.errors.DecodeError) as caught:
        rh.read_json(body.replace(b'"id": 25000,', b'"id": 25000;'), threads=threads)
    assert (caught.value.row, len(caught.value.rows)) == (25_000, 25_000)


@pytest.mark.parametrize("threads", [2, 3])
def test_no_batch_is_of_a_few_rows_however_many_threads_read(threads):
    rows = [{"id": n, "name": f"row {n} " * 40} for n in range(40_000)]
    batches = pa.table(rh.read_json(json.dumps(rows).encode(), threads=threads)).to_batches()
    assert 2 * threads <= len(batches) <= 3 * threads
    assert min(len(batch) for batch in batches) > 500


def test_a_row_that_is_too_large_is_refused_by_any_number_of_threads():
    body = b"[" + b'{"a": 1, "b": "small"},' * 60_000 + b'{"a": 1, "b": "' + b"x" * (262 << 20) + b'"}]'
    refusals = []
    for threads in (1, 2):
        with pytest.raises(rh.errors.DecodeError, match="a row is larger than 256 MiB") as caught:
            rh.read_json(body, threads=threads)
        refusals.append((str(caught.value), caught.value.row, len(caught.value.rows)))
    assert refusals[0] == refusals[1]


@pytest.mark.parametrize("threads", [True, 2.0, "2"])
def test_a_number_of_threads_that_is_no_whole_number_is_named(threads):
    with pytest.raises(TypeError, match=f"`threads` must be a whole number, not {threads!r}"):
        rh.read_json(b"[]", threads=threads)
    with pytest.raises(TypeError, match=f"`threads` must be a whole number, not {threads!r}"):
        rh.Client("http://127.0.0.1:9", "key", threads=threads)


@pytest.mark.parametrize("threads", [0, -1])
def test_less_than_one_thread_is_refused(threads):
    with pytest.raises(rh.errors.ConfigError, match="`threads` must be 1 or more"):
        rh.read_json(b"[]", threads=threads)
    with pytest.raises(rh.errors.ConfigError, match="`threads` must be 1 or more"):
        rh.Client("http://127.0.0.1:9", "key", threads=threads)


def test_a_bound_beyond_all_counting_is_none():
    assert len(rh.read_json(b'[{"a": 1}]', max_columns=2**70)) == 1


class Pieces(io.BytesIO):
    """A file that gives a few bytes at a time and remembers how many were asked for."""

    def __init__(self, body):
        super().__init__(body)
        self.asked = []

    def read(self, size=-1):
        self.asked.append(size)
        return super().read(min(size, 7) if size >= 0 else -1)


def test_a_file_is_decoded_piece_by_piece_and_never_asked_for_the_whole():
    rows = [{"a": n, "b": "text"} for n in range(100)]
    file = Pieces(json.dumps(rows).encode())
    assert rh.read_json(file).to_dicts() == rows
    assert len(file.asked) > 100
    assert set(file.asked) == {1 << 20}


def test_a_file_that_breaks_off_hands_over_the_rows_before():
    with pytest.raises(rh.errors.DecodeError) as caught:
        rh.read_json(Pieces(b'[{"a": 1}, {"a": 2}, {"a"'))
    assert caught.value.rows.to_dicts() == [{"a": 1}, {"a": 2}]


def test_a_file_that_cannot_be_read_or_is_open_for_text_says_so():
    class Broken:
        def read(self, _size):
            raise OSError(5, "no")

    with pytest.raises(OSError, match="no"):
        rh.read_json(Broken())
    with pytest.raises(TypeError, match="binary"):
        rh.read_json(io.StringIO("[]"))
    for parsed in ({"a": 1}, [{"a": 1}], []):
        with pytest.raises(TypeError, match=r"json\.dumps"):
            rh.read_json(parsed)
    with pytest.raises(TypeError, match=r"rh\.concat"):
        rh.read_json([b"[]", b"[]"])
    with pytest.raises(TypeError, match="not from int"):
        rh.read_json(7)


def test_a_fault_in_a_file_names_the_file(tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(b'[{"a": 1}, oops]')
    with pytest.raises(rh.errors.DecodeError, match=r"bad\.json`: expected .* at byte 11 \(row 1\)"):
        rh.read_json(path)


def test_an_address_is_told_from_a_path():
    with pytest.raises(ValueError, match="fetch it and pass the bytes"):
        rh.read_json("https://example.com/rows.json")


def test_an_error_quotes_little_of_the_body():
    key = "長い" * 500
    with pytest.raises(rh.errors.DecodeError) as caught:
        rh.read_json(f'{{"data": [], "row_count": 0, "{key}": 1, "{key}": 2}}'.encode())
    assert len(str(caught.value).encode()) < 512 + 100


def test_an_offset_that_ends_with_its_colon_is_none():
    rows = rh.read_json(b'[{"a": "2024-01-01T00:00+00:"}]', parse_dates=["a"])
    assert (rows.to_dicts(), len(rows.notes)) == ([{"a": "2024-01-01T00:00+00:"}], 1)


def test_a_moment_whose_offset_leads_out_of_the_calendar_leaves_its_column_text():
    for text in ("0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-05:00"):
        body = json.dumps([{"at": "2024-01-01T00:00:00Z"}, {"at": text}]).encode()
        rows = rh.read_json(body, parse_dates=True)
        assert (rows.schema["at"], rows["at"].to_list()[1]) == ("string", text)


def test_times_too_fine_for_one_unit_and_too_far_for_the_other_stay_text_and_it_is_said_why():
    body = b'[{"at": "2024-01-01T00:00:00.123456789Z"}, {"at": "3000-01-01T00:00:00Z"}]'
    for parse_dates in (True, ["at"]):
        rows = rh.read_json(body, parse_dates=parse_dates)
        assert rows.schema["at"] == "string"
        (note,) = rows.notes
        assert note.column == "at"
        assert "beyond what nanoseconds can count" in note.message


def test_a_column_that_begins_with_dates_and_does_not_go_on_so_is_told_of():
    values = ["2024-01-01", None, "2024-01-02", "soon", "2024-01-03"]
    for at in ("day", "text"):
        rows = rh.read_json(json.dumps([{at: value, "name": "x"} for value in values]).encode(), parse_dates=True)
        assert rows[at].to_list() == values
        (note,) = rows.notes
        assert (note.column, "not all values are ISO 8601 dates" in note.message) == (at, True)
        assert 'such as "soon"' in note.message
    assert not rh.read_json(b'[{"a": "soon"}, {"a": "2024-01-01"}]', parse_dates=True).notes


def test_a_note_shows_little_of_a_long_name_whatever_it_is_about():
    name = "k" * 100_000
    (note,) = rh.read_json(json.dumps([{name: "soon"}]).encode(), parse_dates=[name]).notes
    assert len(note.column) < 300

"""How much memory a large result takes, in a process that had no other before: what was kept from one would hide it."""

import json
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from scripted import KEY

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="only Linux tells what a process took"
)

#: What a process takes for the first request of its life and the threads that read: not more with a larger body.
FIXED = 16_000_000
STREAM = 80_000_000

PROGRAM = """
    import sys
    from pathlib import Path
    import rowhaul as rh

    def kilobytes(field):
        return next(int(line.split()[1]) for line in Path("/proc/self/status").open() if line.startswith(field))

    url, key, threads, way = sys.argv[1:]
    job = rh.Client(url, key, threads=int(threads), ledger=False).job("j1").refresh()
    if way == "pandas":
        rh.read_json(b'[{"a": "x"}]').to_pandas()  # libraries are no part of what is measured
    Path("/proc/self/clear_refs").write_text("5")
    before = kilobytes("VmRSS")
    ways = {
        "rows": lambda: len(job.rows()),
        "pandas": lambda: len(job.rows().to_pandas()),
        "stream": lambda: sum(len(batch) for batch in job.stream()),
    }
    rows = ways[way]()
    print(rows, (kilobytes("VmHWM") - before) * 1024)
"""


def peak(scripted, way, threads):
    words = [sys.executable, "-c", textwrap.dedent(PROGRAM), scripted.url, KEY, str(threads), way]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True, timeout=50)
    rows, taken = map(int, done.stdout.split())
    assert rows == scripted.rows
    return taken


def serve(scripted, *parts):
    """Have rows sent, each part of them again and again until it is as large as it says; give the size of the body."""
    scripted.rows, texts = 0, []
    for rows, size in parts:
        text = b",".join(json.dumps(row, separators=(",", ":")).encode() for row in rows)
        times = max(1, size // len(text))
        scripted.rows += times * len(rows)
        texts += [text] * times
    head = f'{{"status":"completed","row_count":{scripted.rows},"data":['.encode()
    body = b"".join([head, b",".join(texts), b"]}"])
    scripted.answers["results"] = lambda answer: answer(200, body)
    return len(body)


def events():
    """Give rows with text of all lengths, numbers, and objects that all have."""
    chance = random.Random(5)

    def text(length):
        return "".join(chance.choices("abcdefghij ", k=chance.randrange(length // 2, length)))

    for number in range(2000):
        hosts = [{"name": text(16), "url": f"https://example.com/{text(30)}"} for _ in range(number % 3)]
        place = {"street": text(18), "city": text(8), "latitude": chance.random()}
        yield {f"field{n}": text(40) for n in range(12)} | {
            "id": number,
            "price": chance.random() * 100,
            "isOnline": number % 2 == 0,
            "description": text(600),
            "hosts": hosts,
            "place": place,
        }


def sparse():
    """Give rows with three of three hundred objects each, which are 2,401 columns."""
    chance = random.Random(5)
    for number in range(4000):
        names = chance.sample(range(300), 3)
        yield {"id": number} | {f"kind{n}": kind(number, n) for n in names}


def kind(number, n):
    """Give what one kind of object holds."""
    return {"a": "some text", "b": number, "c": [{"d": "x", "e": n}], "f": number % 2 == 0}


THREADS = pytest.mark.parametrize("threads", [1, 2, 4])


@THREADS
def test_a_table_takes_at_most_a_tenth_more_than_its_body(scripted, threads):
    # Each thread holds some MB besides, however large the table is, so it has to be a large one.
    body = serve(scripted, (list(events()), 512_000_000))
    assert peak(scripted, "rows", threads) <= 1.1 * body + FIXED


@THREADS
def test_a_frame_and_its_table_take_at_most_a_tenth_more_than_their_body(scripted, threads):
    body = serve(scripted, (list(events()), 512_000_000))
    assert peak(scripted, "pandas", threads) <= 1.1 * body + FIXED


@THREADS
def test_a_stream_takes_the_same_memory_however_large_the_result(scripted, threads):
    serve(scripted, (list(events()), 256_000_000))
    assert peak(scripted, "stream", threads) <= STREAM


@THREADS
def test_a_stream_takes_no_more_where_rows_are_so_sparse_that_a_table_could_not_hold_them(scripted, threads):
    serve(scripted, (list(sparse()), 64_000_000))
    assert scripted.rows * 2101 > 2 * 2**28
    assert peak(scripted, "stream", threads) <= STREAM


@THREADS
def test_a_stream_takes_no_more_where_rows_turn_sparse_after_many_that_are_not(scripted, threads):
    serve(scripted, (list(events()), 16_000_000), (list(sparse()), 16_000_000))
    assert peak(scripted, "stream", threads) <= STREAM


# Several threads read rows of one megabyte, one thread those that are longer.
@pytest.mark.parametrize("length", [1_000_000, 2_000_000])
@THREADS
def test_a_stream_takes_no_more_where_rows_are_long(scripted, threads, length):
    serve(scripted, ([{"id": number, "text": "x" * length} for number in range(4)], 200_000_000))
    assert peak(scripted, "stream", threads) <= STREAM


@THREADS
def test_a_stream_takes_no_more_where_one_row_names_thousands_of_columns_that_no_other_has(scripted, threads):
    wide = {f"column number {n}": f"the text in column {n}" for n in range(9000)}
    serve(scripted, ([wide], 1), ([{}], 60_000), ([wide], 1), ([{}], 60_000))
    assert peak(scripted, "stream", threads) <= STREAM


@THREADS
def test_a_stream_takes_no_more_where_many_rows_name_thousands_of_columns_among_rows_of_nothing(scripted, threads):
    wide = {f"c{n}": n for n in range(9000)}
    serve(scripted, ([wide, *[{}] * 500], 20_000_000))
    assert peak(scripted, "stream", threads) <= STREAM


@THREADS
def test_a_stream_takes_no_more_where_objects_in_arrays_are_of_many_kinds(scripted, threads):
    items = [{"kind": f"k{n % 230}", f"p{n % 230}": kind(n, n)} for n in range(40_000)]
    serve(scripted, ([{"id": n, "items": items[n : n + 20]} for n in range(0, len(items), 20)], 16_000_000))
    assert peak(scripted, "stream", threads) <= STREAM

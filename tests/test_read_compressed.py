"""Files, pipes and bytes that are compressed are read as what they were."""

import gzip
import io
import json
import os
import random
import sys
import threading
import zlib

import pyarrow as pa
import pytest

import rowhaul as rh

if sys.platform == "linux":
    import fcntl
    import termios


@pytest.mark.parametrize(
    "compress", [gzip.compress, lambda body: pa.Codec("zstd").compress(body, asbytes=True)], ids=["gzip", "zstd"]
)
def test_a_compressed_file_is_read_as_what_it_was_whatever_it_is_called(tmp_path, compress):
    body = b"".join(b'{"n": %d}\n' % n for n in range(100_000))
    path = tmp_path / "rows.json"
    path.write_bytes(compress(body))
    assert rh.read_json(path)["n"].to_list() == list(range(100_000))
    # Several in one file are one body.
    path.write_bytes(compress(body) + compress(b'{"n": -1}\n'))
    assert rh.read_json(path)["n"].to_list()[-1] == -1
    if compress is not gzip.compress:
        path.write_bytes(b"\x5a\x2a\x4d\x18\x03\x00\x00\x00abc" + compress(body))
        assert len(rh.read_json(path)) == 100_000
    path.write_bytes(compress(b'{"n": 1}, {'))
    with pytest.raises(rh.errors.DecodeError):
        rh.read_json(path)


@pytest.mark.parametrize("zeros", [1, 511, 3 << 20])
def test_zeros_behind_what_is_compressed_with_gzip_mean_nothing(tmp_path, zeros):
    path = tmp_path / "rows.json.gz"
    first, last = gzip.compress(b'{"n": 1}\n'), gzip.compress(b'{"n": 2}\n')
    path.write_bytes(first + bytes(zeros) + last + bytes(zeros))
    assert rh.read_json(path)["n"].to_list() == [1, 2]
    path.write_bytes(first + bytes(zeros) + b"more")
    with pytest.raises(rh.errors.DecodeError, match=r"cannot be inflated, so that none of its rows") as raised:
        rh.read_json(path)
    assert len(raised.value.rows) == 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("compress", [gzip.compress, lambda body: pa.Codec("zstd").compress(body, asbytes=True)])
def test_what_is_compressed_and_cut_gives_no_rows_but_those_before_as_the_error(tmp_path, compress, threads):
    rows = [{"n": n, "text": random.Random(n).randbytes(20).hex()} for n in range(100_000)]
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    packed = compress(body)
    (path := tmp_path / "rows.json").write_bytes(packed[:-9])
    for source in (packed[:-9], io.BytesIO(packed[:-9]), path):
        with pytest.raises(rh.errors.DecodeError, match=r"the (gzip|zstd) body ends") as raised:
            rh.read_json(source, threads=threads)
        read = len(raised.value.rows)
        if compress is gzip.compress:
            assert raised.value.byte_offset == len(zlib.decompressobj(31).decompress(packed[:-9]))
        assert raised.value.rows.to_dicts() == rows[:read]
        assert read > 80_000
    # One that lacks nothing but its end is cut, too.
    with pytest.raises(rh.errors.DecodeError, match="2 whole rows"):
        rh.read_json(gzip.compress(b'{"n": 1}\n{"n": 2}\n')[:-2])


def test_what_is_compressed_and_changed_gives_no_rows_for_any_may_be_changed(tmp_path):
    rows = [{"n": n, "text": random.Random(n).randbytes(20).hex()} for n in range(2_000)]
    packed = bytearray(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    packed[-6] ^= 1  # of the checksum
    (path := tmp_path / "rows.json").write_bytes(packed)
    for source in (bytes(packed), io.BytesIO(packed), path):
        with pytest.raises(rh.errors.DecodeError, match=r"none of its rows can be trusted") as raised:
            rh.read_json(source)
        assert len(raised.value.rows) == 0


class ByteByByte(io.BytesIO):
    """A file that gives less than it is asked for, as pipes do."""

    def read(self, _size=-1):
        return super().read(1)


@pytest.mark.parametrize("compress", [gzip.compress, lambda body: pa.Codec("zstd").compress(body, asbytes=True)])
def test_bytes_and_open_files_that_are_compressed_are_read_as_what_they_were(tmp_path, compress):
    body = b"".join(
        b'{"n": %d, "text": "%s"}\n' % (n, random.Random(n).randbytes(20).hex().encode()) for n in range(60_000)
    )
    packed, whole = compress(body), rh.read_json(body)
    assert len(packed) > 1 << 20
    (path := tmp_path / "rows").write_bytes(packed)
    assert all(rh.read_json(source) == whole for source in (packed, bytearray(packed), io.BytesIO(packed), path))
    few = compress(b'{"n": 7}')
    assert rh.read_json(ByteByByte(few))["n"].to_list() == [7]
    with pytest.raises(rh.errors.DecodeError):
        rh.read_json(compress(b'{"n": 1}, {'))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("compress", [gzip.compress, lambda body: pa.Codec("zstd").compress(body, asbytes=True)])
def test_what_is_wrong_with_compressed_rows_is_told_before_what_is_wrong_behind_them(tmp_path, compress, threads):
    rows = [b'{"n": %d, "text": "%s"}\n' % (n, random.Random(n).randbytes(20).hex().encode()) for n in range(90_000)]
    fault = 86_000
    rows[fault] = b'{"n": }\n'
    (path := tmp_path / "rows").write_bytes(packed := compress(b"".join(rows))[:-9])
    for source in (packed, path, io.BytesIO(packed)):
        with pytest.raises(rh.errors.DecodeError, match="once inflated, expected a JSON value") as raised:
            rh.read_json(source, threads=threads)
        assert raised.value.row == len(raised.value.rows) == fault
        assert raised.value.byte_offset == len(b"".join(rows[:fault])) + rows[fault].index(b"}")


@pytest.mark.skipif(sys.platform != "linux", reason="the pipe is asked how much is in it")
def test_a_compressed_body_comes_through_a_pipe_byte_by_byte():
    body, (reading, writing) = gzip.compress(b'{"n": 1}'), os.pipe()

    def write():
        for at in range(len(body)):
            os.write(writing, body[at : at + 1])
            # Until that byte is taken.
            while any(fcntl.ioctl(reading, termios.FIONREAD, bytes(4))):
                pass
        os.close(writing)

    writer = threading.Thread(target=write)
    writer.start()
    assert rh.read_json(f"/dev/fd/{reading}")["n"].to_list() == [1]
    writer.join()
    os.close(reading)

"""Files that threads pack: other programs unpack the same bytes, for any number of threads."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Sequence

import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.writing import packing
from twinset.writing.packing import packed

KINDS = ("gz", "bz2", "xz", "zst")
UNPACK = {
    "gz": gzip.decompress,
    "bz2": bz2.decompress,
    "xz": lzma.decompress,
    "zst": lambda data: zstandard.ZstdDecompressor().stream_reader(data).read(),
}
ARROW = {"gz": "gzip", "bz2": "bz2", "zst": "zstd"}


def bytes_of(pieces: Sequence[bytes], kind: str, threads: int) -> bytes:
    file = io.BytesIO()
    with packed(file, kind, threads) as out:
        for piece in pieces:
            out.write(piece)
    return file.getvalue()


@pytest.fixture(scope="module", autouse=True)
def small_chunks() -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr(packing, "_GZIP_CHUNK", 50)
    patch.setattr(packing, "_WINDOW", 20)


@pytest.mark.parametrize("kind", KINDS)
@given(pieces=st.lists(st.binary(max_size=120), max_size=8))
@examples(40)
def test_the_content_alone_decides_on_the_bytes(kind: str, pieces: list[bytes]) -> None:
    content = b"".join(pieces)
    data = bytes_of(pieces, kind, 1)
    assert UNPACK[kind](data) == content
    assert bytes_of([content], kind, 3) == data


@pytest.mark.parametrize("kind", ARROW)
@pytest.mark.parametrize("size", [0, 49, 50, 51, 100, 5000])
def test_arrow_reads_all_of_it(kind: str, size: int) -> None:
    content = bytes(range(250)) * (size // 250 + 1)
    data = bytes_of([content[:size]], kind, 2)
    assert pa.CompressedInputStream(pa.py_buffer(data), ARROW[kind]).read() == content[:size]


def test_gzip_is_one_member_that_uses_what_was_before() -> None:
    content = b"the quick brown fox " * 50
    data = bytes_of([content], "gz", 2)
    unpacker = zlib.decompressobj(wbits=31)
    assert unpacker.decompress(data) == content
    assert unpacker.eof
    assert unpacker.unused_data == b""
    assert len(data) < 20 * len(bytes_of([content[:50]], "gz", 1))


def test_zstd_is_one_frame_whatever_the_threads() -> None:
    content = b"".join(b"%d and a half\n" % number for number in range(400_000))
    data = [bytes_of([content[:at], content[at:]], "zst", n) for at, n in ((9, 1), (4321, 5))]
    assert data[0] == data[1]
    assert len(content) > 2 * packing._ZSTD_CHUNK
    unpacker = zstandard.ZstdDecompressor().decompressobj()
    assert unpacker.decompress(data[0]) == content
    assert unpacker.eof
    assert unpacker.unused_data == b""


def test_a_fault_leaves_the_file_unfinished() -> None:
    file = io.BytesIO()

    def fail() -> None:
        with packed(file, "gz", 3) as out:
            out.write(b"x" * 500)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with pytest.raises(EOFError):
        gzip.decompress(file.getvalue())

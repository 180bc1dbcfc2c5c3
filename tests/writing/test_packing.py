"""Files that threads pack: other programs unpack the same bytes, for any number of threads."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Sequence

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.writing import routes
from twinset.writing.routes import packed

KINDS = ("gz", "bz2", "xz", "zst")
UNPACK = {
    "gz": gzip.decompress,
    "bz2": bz2.decompress,
    "xz": lzma.decompress,
    "zst": lambda data: zstandard.ZstdDecompressor().stream_reader(data).read(),
}


def bytes_of(pieces: Sequence[bytes], kind: str, threads: int) -> bytes:
    file = io.BytesIO()
    with packed(file, kind, threads) as out:
        for piece in pieces:
            out.write(piece)
    return file.getvalue()


@pytest.fixture(scope="module", autouse=True)
def small_chunks() -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr(routes, "_GZIP_CHUNK", 50)
    patch.setattr(routes, "_WINDOW", 20)


@pytest.mark.parametrize("kind", KINDS)
@given(pieces=st.lists(st.binary(max_size=120), max_size=8))
@examples(40)
def test_the_content_alone_decides_on_the_bytes(kind: str, pieces: list[bytes]) -> None:
    content = b"".join(pieces)
    data = bytes_of(pieces, kind, 1)
    assert UNPACK[kind](data) == content
    assert bytes_of([content], kind, 3) == data


def test_gzip_is_one_member_that_uses_what_was_before() -> None:
    content = b"the quick brown fox " * 50
    data = bytes_of([content], "gz", 2)
    unpacker = zlib.decompressobj(wbits=31)
    assert unpacker.decompress(data) == content
    assert unpacker.eof
    assert unpacker.unused_data == b""
    assert len(data) < 20 * len(bytes_of([content[:50]], "gz", 1))


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

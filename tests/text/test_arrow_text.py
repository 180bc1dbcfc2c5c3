"""Arrow arrays of every kind as data and offsets, and the words behind them."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from tests.text_segments import paragraphs, sentences

from twinset.errors import TwinsetError
from twinset.model import Ragged
from twinset.text.arrow import arrow_text
from twinset.text.segments import words

TEXTS = ["One two", None, "", "Ещё раз", "last"]
EXPECTED = [["one", "two"], [], [], ["ещё", "раз"], ["last"]]
TYPES = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]


def read(texts: object) -> list[bytes]:
    data, offsets = arrow_text(texts)
    assert data.dtype == np.uint8
    assert offsets.dtype == np.int64
    return [data[a:b].tobytes() for a, b in itertools.pairwise(offsets)]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_type_with_offsets(kind: pa.DataType) -> None:
    raw = [text and text.encode() for text in TEXTS]
    array = pa.array(raw, pa.binary()).cast(kind)
    assert read(array) == [text or b"" for text in raw]
    assert read(array.slice(1, 3)) == [b"", b"", "Ещё раз".encode()]
    assert read(array.slice(5)) == []


def test_a_large_string_array_is_not_copied() -> None:
    array = pa.array(["abc", "def"], pa.large_string())
    data, offsets = arrow_text(array.slice(1))
    assert data.ctypes.data == array.buffers()[2].address
    assert offsets.tolist() == [3, 6]


def test_rows_of_bytes_are_texts() -> None:
    assert read(Ragged.from_rows([[97, 98], [], [99]], np.uint8)) == [b"ab", b"", b"c"]


def test_chunks_are_joined() -> None:
    chunks = pa.chunked_array([["a"], ["b", None], [], ["c"]], pa.string())
    assert read(chunks) == [b"a", b"b", b"", b"c"]
    assert read(pa.chunked_array([], pa.string())) == []
    assert read(pa.chunked_array([["a", "b"]], pa.string()).slice(1)) == [b"b"]


def test_dictionaries_and_views_are_unpacked() -> None:
    assert read(pa.array(["a", "b", "a"]).dictionary_encode()) == [b"a", b"b", b"a"]
    if hasattr(pa, "string_view"):
        assert read(pa.array(["a", "longer than twelve"], pa.string_view()))[0] == b"a"


def test_bytes_under_a_null_are_no_text() -> None:
    offsets = pa.array([0, 1, 4, 5], pa.int64()).buffers()[1]
    hidden = pa.Array.from_buffers(
        pa.large_string(), 3, [pa.py_buffer(b"\x05"), offsets, pa.py_buffer(b"aXYZb")]
    )
    assert hidden.to_pylist() == ["a", None, "b"]
    assert read(hidden) == [b"a", b"", b"b"]
    assert read(hidden.slice(1)) == [b"", b"b"]


def test_half_a_surrogate_pair_separates_words() -> None:
    assert words(["ab\ud800cd", None]) == [["ab", "cd"], []]


@pytest.mark.parametrize("texts", [[1, 2], pa.array([[1], [2]]), [b"x", 3]])
def test_other_types_are_refused(texts: object) -> None:
    with pytest.raises(TwinsetError, match="string"):
        arrow_text(texts)


def test_words_of_texts() -> None:
    assert words(TEXTS) == EXPECTED
    assert words(pa.array(TEXTS), threads=2) == EXPECTED
    assert words([]) == []


def test_sentences_and_paragraphs_of_texts() -> None:
    texts = ["One two. Three!\n\nFour.", None, "..."]
    assert sentences(texts) == [[["one", "two"], ["three"], ["four"]], [], []]
    assert paragraphs(texts) == [[["one", "two", "three"], ["four"]], [], []]

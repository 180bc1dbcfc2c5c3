"""Texts cut into lines, paragraphs, sentences and windows, against the twin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.kernels.text_strategies import document, pack
from tests.passages.unit_twins import units
from twinset import _kernels

LEVELS = ("line", "paragraph", "sentence", "window")
prose = st.text("aB1я漢ก\u0301\u200d .!?…。！।(「»\n\r\t\x0c\u2028\u2029\xa0,\"'-", max_size=30)
any_text = document.map(lambda data: data.decode("utf-8", "replace"))
Rows = list[tuple[int, int, str]]


def split(texts: list[str], level: str, size: int = 1, threads: int = 1) -> list[Rows]:
    arguments = (LEVELS.index(level), size, threads)
    packed = pack([text.encode() for text in texts], b"a.\n\n", b"b")
    data, ends, places, offsets = _kernels.split_texts(*packed, *arguments)
    pieces = [data[a:b].tobytes().decode() for a, b in itertools.pairwise(ends)]
    start, end = places.reshape(2, -1).tolist()
    rows = list(zip(start, end, pieces, strict=True))
    return [rows[a:b] for a, b in itertools.pairwise(offsets)]


@pytest.mark.parametrize("level", LEVELS)
@examples(300)
@given(st.lists(st.one_of(prose, any_text), max_size=3), st.integers(1, 4))
@example(["a\n\n\t", "b\u2029 "], 1)
def test_pieces_equal_the_twin(level: str, texts: list[str], size: int) -> None:
    cut = split(texts, level, size)
    assert [[row[:2] for row in rows] for rows in cut] == [
        [unit[:2] for unit in units(text, level, size)] for text in texts
    ]
    blanks = " \t\x0b\xa0\u1680\u202f\u205f\u3000\ufeff\n\r\x0c\x85\u2028\u2029\u200b" + "".join(
        map(chr, range(0x2000, 0x200B))
    )
    for text, rows in zip(texts, cut, strict=True):
        assert [piece for _, _, piece in rows] == [text[a:b].strip(blanks) for a, b, _ in rows]


@examples(300)
@given(st.lists(st.one_of(prose, any_text), max_size=4), st.integers(1, 2))
@example(["a\n\n\t", "b\u2029 "], 1)
def test_keys_of_paragraphs_are_equal_where_their_words_are(texts: list[str], threads: int) -> None:
    data, offsets = pack([text.encode() for text in texts], b"a.\n\n", b"b")
    keys, places, ends = _kernels.keyed_paragraphs(data, offsets, threads)
    twins = [units(text, "paragraph") for text in texts]
    assert np.diff(ends).tolist() == [len(own) for own in twins]
    flat = [(text, unit) for text, own in zip(texts, twins, strict=True) for unit in own]
    begins, stops = places.reshape(2, -1).tolist()
    for key, begin, end, (text, unit) in zip(keys.tolist(), begins, stops, flat, strict=True):
        assert data[begin:end].tobytes().decode() == text[unit[0] : unit[1]]
        same = [other[1][2] == unit[2] for other in flat]
        assert same == (keys == key).tolist()


@pytest.mark.parametrize("level", LEVELS)
@examples(300)
@given(prose, st.integers(1, 4), st.data())
def test_pieces_stay_what_they_are_when_others_go(
    level: str, text: str, size: int, data: st.DataObject
) -> None:
    before = units(text, level, size)
    stays = data.draw(st.lists(st.booleans(), min_size=len(before), max_size=len(before)))
    left, at = "", 0
    for (start, end, _), keep in zip(before, stays, strict=True):
        left += text[at:start] + (text[start:end] if keep else "")
        at = end
    left += text[at:]
    after = [unit[2] for unit in units(left, level, size)]
    assert after == [unit[2] for unit, keep in zip(before, stays, strict=True) if keep]


def test_threads_do_not_matter() -> None:
    texts = [f"One {n}. Two!\n\nThree {n}" for n in range(100)]
    for level in LEVELS:
        assert split(texts, level, 2, 4) == split(texts, level, 2)


@pytest.mark.parametrize(
    ("level", "text", "pieces"),
    [
        ("line", "one\r\n\r\ntwo\rthree", ["one\r\n", "two\r", "three"]),
        ("paragraph", "one\ntwo\n \n\n  three\n", ["one\ntwo\n \n\n", "  three\n"]),
        (
            "sentence",
            'One. "Two?" Is 3.14 e.g. x',
            ["One. ", '"Two?" ', "Is 3.14 e.g. ", "x"],
        ),
        ("sentence", "漢。「字」。語", ["漢。", "「字」。", "語"]),
        ("sentence", "One ... . Two", ["One ... . ", "Two"]),
        ("window", "one two, (three four) five", ["one two, ", "(three four) ", "five"]),
    ],
)
def test_examples(level: str, text: str, pieces: list[str]) -> None:
    (rows,) = split([text], level, 2)
    assert [text[start:end] for start, end, _ in rows] == pieces

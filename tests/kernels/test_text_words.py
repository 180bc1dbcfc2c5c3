"""The tokeniser against its twin: every script, every path, every broken byte."""

from __future__ import annotations

import itertools
import unicodedata

import numpy as np
import pytest
import text_twins as twins
from hypothesis import given
from hypothesis import strategies as st
from text_strategies import PROSE, SAME_UNICODE, document, documents, pack, relaxed

from tests.kernels.examples import examples
from twinset import _kernels

PIECE = 16384  # texts are read in pieces of about this size


def kernel_words(
    texts: list[bytes],
    before: bytes = b"",
    after: bytes = b"",
    threads: int = 1,
    plain: bool = False,
) -> list[list[str]]:
    packed = pack(texts, before, after)
    data, ends, bounds = _kernels.words(*packed, threads, plain)
    raw = data.tobytes()
    every = [raw[a:b].decode() for a, b in itertools.pairwise(ends)]
    return [every[a:b] for a, b in itertools.pairwise(bounds)]


def words_of(text: str) -> list[str]:
    return kernel_words([text.encode("utf-8", "surrogatepass")])[0]


@relaxed
@given(documents, st.sampled_from([b"", b"abc", "я".encode()]), st.sampled_from([b"", b"xyz" * 30]))
def test_words_equal_the_twin(texts: list[bytes], before: bytes, after: bytes) -> None:
    words = [twins.words(text) for text in texts]
    assert kernel_words(texts, before, after) == words
    assert kernel_words(texts * 20, threads=4) == words * 20


@examples(12)
@given(st.lists(document, min_size=1, max_size=3), st.integers(0, 300))
def test_pieces_do_not_cut_words(parts: list[bytes], shift: int) -> None:
    body = b"".join(parts) or b"x"
    text = b"a" * shift + body * (2 * PIECE // len(body) + 1)
    text = text[: 2 * PIECE + shift]
    assert kernel_words([text]) == [twins.words(text)]


MIDDLES = [
    "漢", "漢字", "か\u3099", "ไ", "👍", "❤\ufe0f", "я", "Щё", "é", "e\u0301", "İ", "ς", "Ⱥ", "가",
    "\u1100\u1161", "\u0301", "\u00ad", "\u200d", "“", "’", "…", "\u00a0", "\u2028", "\u200b", "€",
    "豈", "ش\u0651\u064e", "ש\u05c1\u05bc", "ก\u0e48\u0e38", "क\u093c\u094d", "漢x", "x漢", "”я",
    "—漢", "я漢",
]  # fmt: skip
BROKEN = [b"\xe2", b"\xe2\x80", b"\xc2", b"\xa0", b"\x80", b"\xe6\xbc", b"\xf0\x9f\x91", b"\xd1"]


@pytest.mark.parametrize("after", [0, 1, 7, 8, 9, 75])
def test_every_kind_of_character_at_every_place_of_a_block(after: int) -> None:
    middles = [middle.encode() for middle in MIDDLES] + BROKEN
    texts = [
        PROSE[before % 3 : before].encode() + middle + PROSE[:after].encode()
        for middle in middles
        for before in [*range(12), *range(55, 70), 126, 127, 128]
    ]
    got = kernel_words(texts)
    assert got == kernel_words(texts, plain=True)
    assert [
        (text, one) for text, one in zip(texts, got, strict=True) if one != twins.words(text)
    ] == []


@pytest.mark.parametrize("unit", ["a", "я", "é", "e\u0301", "漢", "ไ", "가", "\u0915\u094d"])
def test_a_text_without_separators(unit: str) -> None:
    text = unit * (2 * PIECE)
    assert words_of(text) == twins.words(text.encode())


@pytest.mark.skipif(not SAME_UNICODE, reason="the tables are of another Unicode version")
def test_every_character_alone_after_a_letter_and_inside_a_word() -> None:
    codes = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    telling = [
        c
        for c in codes
        if unicodedata.category(chr(c)) not in ("Cn", "Co") and (c < 0x3400 or c % 7 == 0)
    ]
    singular = [c for c in codes if c >= 0x3400 and unicodedata.decomposition(chr(c))]
    chars = [chr(c) for c in telling + singular]
    texts = [f"{c} e{c}x \u0301{c}\u0301\u0323q" for c in chars]
    got = kernel_words([text.encode() for text in texts])
    wrong = [
        c
        for c, text, one in zip(chars, texts, got, strict=True)
        if one != twins.words(text.encode())
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop_here: v2.0", ["don", "t", "stop", "here", "v2", "0"]),
        ("Съешь ЖЕ ещё", ["съешь", "же", "ещё"]),
        ("ΟΔΟΣ οδός ὈΔΟΣ", ["οδοσ", "οδόσ", "ὀδοσ"]),
        ("İstanbul ISTANBUL", ["i̇stanbul", "istanbul"]),
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा"]),
        ("مرحبا، بِكَ", ["مرحبا", "بِكَ"]),
        ("東京タワーへ行く", list("東京タワーへ行く")),
        ("ｶﾞ", ["ｶ", "ﾞ"]),
        ("ที่นี่ ๒๕๖๓", ["ที่", "นี่", "๒๕๖๓"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("👍🏽👨\u200d👩\u200d👧❤️", ["👍", "👨", "👩", "👧", "❤"]),
        ("soft\u00adhyphen می\u200cخواهم", ["softhyphen", "میخواهم"]),
        (" \u0301a \u0301", ["a"]),
        ("x² ½ Ⅷ ①", ["x²", "½", "ⅷ", "①"]),
        ("ab漢cd", ["ab", "漢", "cd"]),
        ("€ © ™ → + =", []),
        ("", []),
    ],
)
def test_examples(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


@relaxed
@given(st.text(max_size=30))
def test_normal_forms_have_the_same_words(text: str) -> None:
    raw = text.encode("utf-8", "replace").decode()
    composed, decomposed = (unicodedata.normalize(form, raw) for form in ("NFC", "NFD"))
    assert words_of(composed) == words_of(decomposed) == words_of(raw)


def test_a_character_cut_by_the_end_of_its_document_is_broken() -> None:
    data = np.frombuffer("aяb".encode(), dtype=np.uint8).copy()
    _, _, bounds = _kernels.words(data, np.array([0, 2, 4]), 1)
    assert bounds.tolist() == [0, 1, 2]


def test_canonical_order_of_many_marks_is_not_quadratic() -> None:
    text = "e" + "\u0301\u0323" * 100_000
    assert len(words_of(text)) == 1
